import type { AtomicAction } from '../model/action.ts';
import type { Grants } from '../index/grants.ts';
import { keyFilter } from './key-filter.ts';
import { compareKeys, justBefore } from '../index/key-order.ts';
import type { KeysScope } from '../model/resource.ts';

/** A page of a listing: the positions where it begins and ends, the number of its entries, and how many of them are allowed. */
export type SamplePage = {
  readonly begin: string;
  readonly end: string;
  readonly entries: number;
  readonly allowed: number;
};

/** Options of {@link planPages}: find `wanted` entries after `after`, on at most `pages` pages of `size` entries. */
export type PagePlanOptions = {
  readonly after: string;
  readonly wanted: number;
  readonly size: number;
  readonly pages: number;
};

/** A planned page passes this share of the places that the seen page passed, because keys may be closer together elsewhere. */
const OVERLAP = 0.8;

/**
 * Returns the positions at which pages should begin to hold the wanted entries, if keys are spread as on the page that was seen. The keys are unknown until
 * they are read, but rules name places among them, and the seen page shows how many of these places one page passes.
 */
export function planPages(
  grants: Grants,
  action: AtomicAction,
  scope: KeysScope,
  { begin, end, entries, allowed }: SamplePage,
  { after, wanted, size, pages }: PagePlanOptions,
): string[] {
  let passed = 0;
  for (const place of ruledPlaces(grants, scope, begin)) {
    if (compareKeys(place, end) > 0) break;
    passed += 1;
  }
  const step = Math.max(1, Math.floor((OVERLAP * (passed - 1) * size) / entries));
  const enough = Math.ceil((wanted * Math.max(1, passed)) / (Math.max(1, allowed) * step));
  const permits = keyFilter(grants, action, scope);
  const positions = [after];
  let count = 0;
  for (const place of ruledPlaces(grants, scope, after)) {
    if (positions.length >= Math.min(enough, pages)) break;
    count += 1;
    if (count % step === 0) positions.push(permits(place) ? justBefore(place) : place);
  }
  return positions;
}

/** Whether rules name more than `count` places after the position `after`. */
export function hasMoreRules(grants: Grants, scope: KeysScope, after: string, count: number): boolean {
  const places = ruledPlaces(grants, scope, after);
  let seen = 0;
  while (seen <= count && places.next().done !== true) seen += 1;
  return seen > count;
}

/** The prefixes and keys that rules name in the scope after the position `after`, in listing order. */
function* ruledPlaces(
  grants: Grants,
  { provider, bucket, prefix }: KeysScope,
  after: string,
): Generator<string, void, void> {
  const root = grants.providers.get(provider)?.buckets.get(bucket)?.keys;
  const left = root === undefined ? [] : [{ node: root, path: '' }];
  for (let last = left.pop(); last !== undefined; last = left.pop()) {
    const { node, path } = last;
    const isNamed = node.prefixClauses.length + node.keyClauses.length > 0;
    if (isNamed && path.startsWith(prefix) && compareKeys(path, after) > 0) yield path;
    for (const child of node.ordered.toReversed()) {
      const place = path + child.label;
      const isWithin = place.startsWith(prefix) || prefix.startsWith(place);
      const isAhead = compareKeys(place, after) > 0 || after.startsWith(place);
      if (isWithin && isAhead) left.push({ node: child, path: place });
    }
  }
}
