import { allowedThroughout } from '../policy/beneath.ts';
import { checkBucket, checkPrefix } from './address.ts';
import { endOf, MAX_PAGE_KEYS, type ListedEntry, type ListedObject } from './bucket-page.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { StorageProvider } from './provider.ts';
import { Walk, type WalkQuery } from './walk.ts';

/** With a `delimiter`, keys beneath the next one are rolled up into `prefixes`. `grants` are the caller's `effective` ones. */
export type ListQuery = WalkQuery & {
  /** `nextCursor` of the page before, of a query with the same prefix and delimiter. */
  readonly cursor?: string | undefined;
  /** 1 to 1000: objects and prefixes together. */
  readonly limit: number;
};

export type ObjectPage = { readonly objects: ListedObject[]; readonly prefixes: string[]; readonly nextCursor: string | null };

/** A page that would need more storage calls than this is cut short; `nextCursor` goes on from there. Each reads up to a thousand keys, or looks into one folder. */
const MAX_CALLS = 20;

/**
 * Lists the keys of a bucket that the caller may list, a page at a time, in the byte order of their UTF-8.
 *
 * What policy does not allow is skipped, not read. A caller with no grant gets an empty page, and storage is not asked. A common
 * prefix is shown when storage has some key beneath that the caller may list.
 *
 * Nothing of a page depends on keys that the caller may not list, unless there are so many of them in the way that it is cut short.
 *
 * @throws {SvcError} `invalid_request`: the cursor is not one of this query. `not_found`: the bucket.
 */
export async function listObjects(provider: StorageProvider, query: ListQuery): Promise<ObjectPage> {
  checkBucket(query.bucket);
  checkPrefix(provider, query.prefix);
  const walk = new Walk(provider, query, 'objects:list', query.cursor === undefined ? '' : decodeCursor(provider, query.cursor, query));

  // Where something is denied, only a further entry proves that there is more: what storage has left may be denied.
  const beyond = allowedThroughout(query.grants, 'objects:list', { provider: provider.name, bucket: query.bucket, prefix: query.prefix }) ? 0 : 1;
  const limit = Math.min(query.limit, MAX_PAGE_KEYS - beyond);
  const found: ListedEntry[] = [];
  for (let calls = 0; calls < MAX_CALLS && found.length < limit + beyond && !walk.ended; calls++) {
    // The first call asks for what is wanted. Where policy leaves gaps, each further one reads as far as storage gives at once.
    found.push(...(await walk.read(calls === 0 ? limit + beyond : MAX_PAGE_KEYS)));
  }

  const shown = found.slice(0, limit);
  const left = found.length > limit;
  const next = left ? endOf(shown.at(-1)!) : walk.ended ? undefined : walk.after;
  return {
    objects: shown.flatMap((entry) => (entry.kind === 'object' ? [entry.object] : [])),
    prefixes: shown.flatMap((entry) => (entry.kind === 'prefix' ? [entry.name] : [])),
    nextCursor: next === undefined ? null : encodeCursor(provider, next, query),
  };
}
