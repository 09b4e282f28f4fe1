import { AUDIT_COLUMNS, auditRows } from '../../format/audit-csv.ts';
import { saveBlob } from '../actions/save.ts';
import { isOutcome } from '../activity/outcome.tsx';
import { unreadable } from '../api/client.ts';
import { call } from '../api/rpc.ts';
import type { AuditFilter } from './admin-queries.ts';

/** An export ends after this many lines or characters: `svc audit export` has no such limit. */
export const MAX_EXPORTED = 10_000;
const MAX_CHARACTERS = 64 * 1_048_576;
const PAGE = 1_000;

export type Format = 'csv' | 'jsonl';

/** Saves the lines that match, oldest first, as `svc audit export` writes them. @returns whether these are all. */
export async function exportAudit({ outcome, ...filter }: AuditFilter, format: Format): Promise<boolean> {
  const question = { ...filter, ...(isOutcome(outcome) && { outcome }), limit: PAGE };
  const texts: string[] = [];
  let characters = 0;
  let cursor: string | null | undefined;
  while (cursor !== null && texts.length < MAX_EXPORTED && characters < MAX_CHARACTERS) {
    const page = await call('audit/list', { ...question, ...(cursor !== undefined && { cursor }) });
    for (const { changes: _changes, ...line } of page.lines) {
      texts.push(format === 'csv' ? auditRows(line).join('\n') : JSON.stringify(line));
      characters += texts.at(-1)!.length;
    }
    // The pages would never end.
    if (page.nextCursor === cursor) throw unreadable();
    cursor = page.nextCursor;
  }
  if (format === 'csv') texts.push(AUDIT_COLUMNS.join(','));
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  saveBlob(
    new Blob(
      [
        texts
          .reverse()
          .map((text) => `${text}\n`)
          .join(''),
      ],
      { type },
    ),
    `audit.${format}`,
  );
  return cursor === null;
}
