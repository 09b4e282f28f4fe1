import { csvCells } from './csv.ts';

type Members = Readonly<Record<string, unknown>>;

/** The columns of a line of the audit as CSV. */
export const AUDIT_COLUMNS = [
  'instance',
  'seq',
  'time',
  'kind',
  'operation',
  'outcome',
  'why',
  'issuer',
  'subject',
  'name',
  'via',
  'credentialId',
  'address',
  'face',
  'requestId',
  'bytes',
  'durationMs',
  'resource',
  'provider',
  'bucket',
  'key',
  'prefix',
  'action',
  'resourceOutcome',
  'rule',
  'version',
] as const;

/** A line of the audit as rows of CSV, one for each resource. */
export function auditRows(line: Members & { readonly resources: readonly Members[] }): string[] {
  const resources = line.resources.length === 0 ? [{}] : line.resources;
  return resources.map((one) =>
    csvCells(
      AUDIT_COLUMNS.map((column) =>
        text(column === 'resourceOutcome' ? one['outcome'] : (line[column] ?? one[column])),
      ),
    ),
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
