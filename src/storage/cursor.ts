import { SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { PrefixRef } from './provider.ts';

/** The query that a cursor belongs to, besides the place. */
export type CursorQuery = {
  readonly delimiter?: string | undefined;
  /** Anything else that the position depends on, for queries other than listings. */
  readonly question?: string | undefined;
};

const LENGTH_BYTES = 2;
/** Enough for a key. */
const CONTENT_BYTES = LENGTH_BYTES + 1024;

/**
 * Makes a cursor: the position where a listing continues, for the client to send back. It is sealed and always has the same length, because the position may be
 * a key that the caller may not list. It opens only for the same provider, bucket, prefix and delimiter.
 *
 * @param after - exclusive.
 * @param room - bytes that a position may have in addition to a key; the number that a search adds by default.
 */
export function encodeCursor(place: Permitted<PrefixRef>, after: string, query: CursorQuery, room = 6): string {
  const position = Buffer.from(after);
  const content = Buffer.alloc(Math.max(CONTENT_BYTES + room, LENGTH_BYTES + position.length));
  content.writeUInt16BE(position.length);
  position.copy(content, LENGTH_BYTES);
  return place.provider.cursors.seal(content, boundTo(place, query)).text;
}

/**
 * Opens a cursor.
 *
 * @throws {SvcError} `invalid_request`: it is not a cursor, was changed, or belongs to another query. The cases are not told apart.
 */
export function decodeCursor(place: Permitted<PrefixRef>, cursor: string, query: CursorQuery): string {
  const content = place.provider.cursors.open(cursor, boundTo(place, query))?.content;
  if (content === undefined) {
    const message = 'is not one that this listing gave; start again without one';
    throw new SvcError('invalid_request', {
      detail: `the cursor ${message}`,
      members: { errors: [{ path: 'cursor', message }] },
    });
  }
  return content.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + content.readUInt16BE());
}

function boundTo({ provider, bucket, prefix }: PrefixRef, { delimiter = '', question }: CursorQuery): string {
  return JSON.stringify([provider.name, bucket, prefix, delimiter, ...(question === undefined ? [] : [question])]);
}
