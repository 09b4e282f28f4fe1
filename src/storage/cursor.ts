import { SvcError } from '../errors/svc-error.ts';

/** The query that a cursor belongs to. */
export type CursorQuery = { readonly prefix: string; readonly delimiter?: string | undefined };

const MAX_CURSOR_LENGTH = 8192;

/**
 * Where a listing goes on, for the client to hand back. It is no secret and proves nothing: a forged one can at most skip keys,
 * because every page is decided by policy anew.
 *
 * @param after - exclusive.
 */
export function encodeCursor(after: string, query: CursorQuery): string {
  return Buffer.from(JSON.stringify([after, query.prefix, query.delimiter ?? ''])).toString('base64url');
}

/** @throws {SvcError} `invalid_request`: not a cursor, or one of another prefix or delimiter. */
export function decodeCursor(cursor: string, query: CursorQuery): string {
  const parts = parse(cursor);
  if (parts === undefined) throw refusal('is not one that a listing gave');
  const [after, prefix, delimiter] = parts;
  if (prefix !== query.prefix || delimiter !== (query.delimiter ?? '')) throw refusal('belongs to another `prefix` or `delimiter`');
  return after;
}

function parse(cursor: string): readonly [string, string, string] | undefined {
  if (cursor.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(cursor)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(cursor, 'base64url')));
  } catch {
    return undefined;
  }
  const [after, prefix, delimiter, ...rest] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof after !== 'string' || typeof prefix !== 'string' || typeof delimiter !== 'string' || rest.length > 0) return undefined;
  return after.isWellFormed() ? [after, prefix, delimiter] : undefined;
}

function refusal(what: string): SvcError {
  return new SvcError('invalid_request', { detail: `the cursor ${what}; start again without one`, members: { errors: [{ path: 'cursor', message: what }] } });
}
