import { parseLine } from '../parse-line.ts';
import type { SinkOptions } from './sink-options.ts';

/** Whether a sink gets a line. A sink with a filter gets outcomes alone: what was begun has no outcome yet. */
export function isWanted(bytes: Buffer, only: NonNullable<SinkOptions['only']>): boolean {
  const line = parseLine(bytes, '');
  if (line === undefined || line.kind !== 'outcome') return false;
  const { operations, outcomes, places } = only;
  return (
    (operations === undefined || operations.includes(line.operation)) &&
    (outcomes === undefined || outcomes.includes(line.outcome ?? '')) &&
    (places === undefined || line.resources.some(({ resource }) => places.some((place) => resource.startsWith(place))))
  );
}
