import { takeAll } from '../bounds/take-all.ts';
import { allowedThroughout } from '../policy/listing/beneath.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { MAX_PAGE_KEYS } from './bucket-page.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { LongQuestion, PrefixRef } from './provider.ts';
import {
  fetchVersions,
  positionAfter,
  type ListedVersion,
  type VersionEntry,
  type VersionPosition,
} from './version-page.ts';
import { VersionWalk, type VersionQuery } from './version-walk.ts';

type Paged = {
  /** `nextCursor` of the previous page of the same listing. */
  readonly cursor?: string | undefined;
  /** 1 to 1000, for versions and prefixes together. */
  readonly limit: number;
};

export type VersionsPage = {
  readonly versions: ListedVersion[];
  readonly prefixes: string[];
  readonly nextCursor: string | null;
};

/** The maximum number of storage calls for a page, as for a listing of objects. */
const MAX_CALLS = 32;
/** How many versions are read to learn whether there is a next page. Some storage begins with those before. */
const PEEKED = 100;
/** What a version adds to the longest position of a cursor, in bytes. Longer ones make a longer cursor. */
const VERSION_BYTES = 128;

/**
 * Lists the versions and delete markers of the keys on which the caller may do `objects:versions`, page by page: keys in the byte order of their UTF-8 form, and
 * the versions of a key from the newest on.
 *
 * A page does not depend on keys that the caller may not see, unless it is cut short because there are very many of them.
 *
 * @throws {SvcError} `invalid_request`: the cursor belongs to another query. `not_found`: the bucket.
 */
export async function listVersions(
  place: Permitted<PrefixRef>,
  { cursor, ...query }: Omit<VersionQuery, 'action'> & Paged,
): Promise<VersionsPage> {
  const { delimiter, grants } = query;
  const bound = { delimiter, question: 'versions' };
  const action = 'objects:versions';
  const walk = new VersionWalk(place, { ...query, action }, positionIn(place, cursor, bound), { requests: MAX_CALLS });
  // When some keys are denied, only a further allowed entry proves that there is a next page.
  const scope = { provider: place.provider.name, bucket: place.bucket, prefix: place.prefix };
  const beyond = allowedThroughout(grants, action, scope) ? 0 : 1;
  const limit = Math.min(query.limit, MAX_PAGE_KEYS - beyond);
  const found: VersionEntry[] = [];
  for (let keys = limit + beyond; found.length < limit + beyond && !walk.ended && !walk.isSpent; keys = MAX_PAGE_KEYS)
    found.push(...takeAll(await walk.read(keys)));
  const page = found.splice(0, limit);
  const next = found.length > 0 ? positionAfter(page.at(-1)!) : walk.ended ? undefined : walk.at;
  return pageOf(place, page, next, bound);
}

/** Lists the versions of exactly the key that the place names as its prefix. A page does not depend on other keys that begin with it. */
export async function listVersionsOfKey(
  place: Permitted<PrefixRef>,
  { cursor, limit, ...asked }: LongQuestion & Paged,
): Promise<VersionsPage> {
  const bound = { question: 'versions of a key' };
  const after = positionIn(place, cursor, bound);
  const isOwn = ({ name }: VersionEntry): boolean => name === place.prefix;
  const { entries, truncated } = await fetchVersions(place, {
    after,
    maxKeys: Math.min(limit + 1, MAX_PAGE_KEYS),
    ...asked,
  });
  const own = entries.filter(isOwn);
  const page = own.slice(0, limit);
  // Only a further version of the key proves that there is a next page.
  let further = own.slice(limit);
  if (further.length === 0 && truncated && own.length === entries.length) {
    const peeked = await fetchVersions(place, { after: positionAfter(own.at(-1)!), maxKeys: PEEKED, ...asked });
    further = peeked.entries.filter(isOwn);
  }
  return pageOf(place, page, further.length > 0 ? positionAfter(page.at(-1)!) : undefined, bound);
}

function pageOf(
  place: Permitted<PrefixRef>,
  page: readonly VersionEntry[],
  next: VersionPosition | undefined,
  bound: { readonly delimiter?: string | undefined; readonly question: string },
): VersionsPage {
  const versions: ListedVersion[] = [];
  const prefixes: string[] = [];
  for (const { name, version } of page)
    if (version === undefined) prefixes.push(name);
    else versions.push(version);
  return {
    versions,
    prefixes,
    nextCursor:
      next === undefined ? null : encodeCursor(place, `${next.version ?? ''}\n${next.key}`, bound, VERSION_BYTES),
  };
}

function positionIn(
  place: Permitted<PrefixRef>,
  cursor: string | undefined,
  bound: { readonly delimiter?: string | undefined; readonly question: string },
): VersionPosition {
  if (cursor === undefined) return { key: '' };
  const text = decodeCursor(place, cursor, bound);
  const end = text.indexOf('\n');
  return { key: text.slice(end + 1), version: text.slice(0, end) || undefined };
}
