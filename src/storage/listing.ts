import { takeAll } from '../bounds/take-all.ts';
import { allowedThroughout } from '../policy/listing/beneath.ts';
import { afterPrefix } from '../policy/index/key-order.ts';
import { hasMoreRules } from '../policy/listing/page-plan.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { endOf, MAX_PAGE_KEYS, type ListedEntry, type ListedObject } from './bucket-page.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { PrefixRef } from './provider.ts';
import { commonPrefixOf, Walk, type WalkQuery } from './walk.ts';

/** With a `delimiter`, keys beneath the next delimiter are combined into `prefixes`. `grants` are the caller's `effective` grants. */
export type ListQuery = WalkQuery & {
  /** `nextCursor` of the previous page, for the same prefix and delimiter. */
  readonly cursor?: string | undefined;
  /** Only keys and common prefixes after this text are listed; ignored with a `cursor`. */
  readonly startAfter?: string | undefined;
  /** 1 to 1000, for objects and prefixes together. */
  readonly limit: number;
};

export type ObjectPage = {
  readonly objects: ListedObject[];
  readonly prefixes: string[];
  readonly nextCursor: string | null;
};

/**
 * The maximum number of storage calls for a page. Each reads up to a thousand keys or looks into one folder. A page that needs more is cut short, and
 * `nextCursor` continues from there.
 */
const MAX_CALLS = 32;
/** When rules name more than one place per this many entries of a page, the first call reads a full page of keys, because a short one would predict little. */
const MANY_RULES = 4;

/**
 * Lists the keys of a bucket that the caller may list, page by page, in the byte order of their UTF-8 form.
 *
 * Keys that policy does not allow are skipped without being read. A caller without grants gets an empty page, and storage is not asked. A common prefix is
 * listed when storage has a key beneath it that the caller may list.
 *
 * A page does not depend on keys that the caller may not list, unless it is cut short because there are very many of them.
 *
 * @throws {SvcError} `invalid_request`: the cursor belongs to another query. `not_found`: the bucket.
 */
export async function listObjects(place: Permitted<PrefixRef>, query: ListQuery): Promise<ObjectPage> {
  const after = query.cursor === undefined ? afterText(place, query) : decodeCursor(place, query.cursor, query);
  const walk = new Walk(place, query, after, { requests: MAX_CALLS });

  // When some keys are denied, only a further allowed entry proves that there is a next page.
  const scope = { provider: place.provider.name, bucket: place.bucket, prefix: place.prefix };
  const beyond = allowedThroughout(query.grants, 'objects:list', scope) ? 0 : 1;
  const limit = Math.min(query.limit, MAX_PAGE_KEYS - beyond);
  const wanted = limit + beyond;
  // The first call asks for as many keys as the page needs, unless there are many rules.
  const isDivided = beyond > 0 && hasMoreRules(query.grants, scope, after, wanted / MANY_RULES);
  const found: ListedEntry[] = [];
  for (
    let keys = isDivided ? MAX_PAGE_KEYS : wanted;
    found.length < wanted && !walk.ended && !walk.isSpent;
    keys = MAX_PAGE_KEYS
  ) {
    walk.readAhead(wanted - found.length);
    found.push(...takeAll(await walk.read(keys)));
  }

  const page = found.splice(0, limit);
  const left = found.length > 0;
  const next = left ? endOf(page.at(-1)!) : walk.ended ? undefined : walk.after;
  const objects: ListedObject[] = [];
  const prefixes: string[] = [];
  for (const { name, object } of page)
    if (object === undefined) prefixes.push(name);
    else objects.push(object);
  return {
    objects,
    prefixes,
    nextCursor: next === undefined ? null : encodeCursor(place, next, query),
  };
}

/** The position after a text. A common prefix in which it lies is listed before it, so the position is past all keys of that prefix. */
function afterText({ prefix }: PrefixRef, { startAfter = '', delimiter }: ListQuery): string {
  const folder = commonPrefixOf(startAfter, prefix, delimiter);
  return folder === undefined ? startAfter : afterPrefix(folder);
}
