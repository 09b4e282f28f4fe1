import type { AuditedResource } from '../audit-resource.ts';
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
    (places === undefined || line.resources.some((resource) => places.some((place) => isAt(resource, place))))
  );
}

const WHOLE = /^[^/]+(?:\/[^/]+)?$/;

/** Whether something is in a place, or is a folder around it: what is done to that is done to the place. */
function isAt({ resource, prefix }: AuditedResource, place: string): boolean {
  // Others may begin with the name of a provider or bucket.
  const start = WHOLE.test(place) ? `${place}/` : place;
  return resource === place || resource.startsWith(start) || (prefix !== undefined && start.startsWith(resource));
}
