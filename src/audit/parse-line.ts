import type { AuditLine } from './audit-query.ts';
import { readEntry } from './audit-resource.ts';
import { membersIn } from './chain-walk.ts';

/** Parses a line about an operation; undefined for any other line. */
export function parseLine(bytes: Buffer, instance: string): AuditLine | undefined {
  const line = membersIn(bytes);
  if (line === undefined || !isRecord(line)) return undefined;
  const resources = line.resources.flatMap((entry) => readEntry(entry, line['operation']) ?? []);
  return resources.length < line.resources.length
    ? undefined
    : ({ ...line, resources, instance } as unknown as AuditLine);
}

/** Whether a line has what the index and the answers need. The files may be damaged. */
function isRecord(
  line: Readonly<Record<string, unknown>>,
): line is Readonly<Record<string, unknown>> & { readonly resources: readonly unknown[] } {
  const { seq, kind, time, line: part = 1, resources } = line;
  return (
    (kind === 'intent' || kind === 'outcome') &&
    Number.isSafeInteger(seq) &&
    Number.isSafeInteger(part) &&
    !Number.isNaN(Date.parse(String(time))) &&
    Array.isArray(resources)
  );
}
