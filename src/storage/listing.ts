import { checkBucket, checkPrefix } from './address.ts';
import { endOf, MAX_PAGE_KEYS, type Entry, type ListedObject } from './bucket-page.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Provider } from './provider.ts';
import { Walk, type WalkQuery } from './walk.ts';

/** With a `delimiter`, keys beneath the next one are rolled up into `prefixes`. `grants` are the caller's `effective` ones. */
export type ListQuery = WalkQuery & {
  /** `next_cursor` of the page before, of a query with the same prefix and delimiter. */
  readonly cursor?: string | undefined;
  /** 1 to 1000: objects and prefixes together. */
  readonly limit: number;
};

export type ObjectPage = { readonly objects: ListedObject[]; readonly prefixes: string[]; readonly next_cursor: string | null };

/** A page that would need more storage calls than this is cut short; `next_cursor` goes on from there. */
const MAX_CALLS = 20;

/**
 * Lists the keys of a bucket that the caller may list, a page at a time, in the byte order of their UTF-8.
 *
 * What policy does not allow is skipped, not read. A caller with no grant gets an empty page, and storage is not asked. A common
 * prefix is shown when storage has it and policy allows some key beneath.
 *
 * @throws {SvcError} `invalid_request`: the cursor is not one of this query. `not_found`: the bucket.
 */
export async function listObjects(provider: Provider, query: ListQuery): Promise<ObjectPage> {
  checkBucket(query.bucket);
  checkPrefix(provider, query.prefix);
  const { limit } = query;
  const walk = new Walk(provider, query, 'objects:list', query.cursor === undefined ? '' : decodeCursor(query.cursor, query));

  const found: Entry[] = [];
  for (let calls = 0; calls < MAX_CALLS && found.length < limit && !walk.ended; calls++) {
    // The first call asks for what is wanted. Where policy leaves gaps, each further one reads as far as storage gives at once.
    found.push(...(await walk.read(calls === 0 ? limit : MAX_PAGE_KEYS)));
  }

  const shown = found.slice(0, limit);
  const left = found.length > limit;
  const next = left ? endOf(shown.at(-1)!) : walk.ended ? undefined : walk.after;
  return {
    objects: shown.flatMap((entry) => (entry.kind === 'object' ? [entry.object] : [])),
    prefixes: shown.flatMap((entry) => (entry.kind === 'prefix' ? [entry.name] : [])),
    next_cursor: next === undefined ? null : encodeCursor(next, query),
  };
}
