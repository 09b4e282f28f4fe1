import { isEach } from './each.ts';
import type { KeysScope, Resource, Selector, WrittenSelector } from './resource.ts';

/** Everything, a provider, a bucket, or a folder of a bucket. The prefix is empty or ends with a slash. */
export type Place = Exclude<Selector, { readonly type: 'object' }>;

/** The narrowest place that contains the resource or scope. */
export function placeOf(on: Resource | KeysScope): Place {
  const { provider } = on;
  if (!('bucket' in on)) return { type: 'provider', provider };
  const { bucket } = on;
  const path = 'key' in on ? on.key : 'prefix' in on ? on.prefix : undefined;
  return path === undefined
    ? { type: 'bucket', provider, bucket }
    : { type: 'prefix', provider, bucket, prefix: folderOf(path) };
}

/**
 * The narrowest place that contains both.
 *
 * @example
 * // both in the bucket `photos` of `main`
 * joinPlaces({ …, prefix: '2026/may/' }, { …, prefix: '2026/june/' }) // { …, prefix: '2026/' }
 */
export function joinPlaces(one: Place, other: Place): Place {
  if (one.type === 'all' || other.type === 'all' || one.provider !== other.provider) return { type: 'all' };
  const { provider } = one;
  if (one.type === 'provider' || other.type === 'provider' || one.bucket !== other.bucket)
    return { type: 'provider', provider };
  const { bucket } = one;
  if (one.type === 'bucket' || other.type === 'bucket') return { type: 'bucket', provider, bucket };
  let length = 0;
  while (length < one.prefix.length && one.prefix[length] === other.prefix[length]) length++;
  return { type: 'prefix', provider, bucket, prefix: folderOf(one.prefix.slice(0, length)) };
}

/** The place in which the selector and `place` overlap; undefined when they do not. A selector with `each` counts as its whole prefix. */
export function sharedPlace(selector: WrittenSelector, place: KeysScope): Place | undefined {
  const whole = placeOf(place);
  if (selector.type === 'all') return whole;
  if (selector.provider !== place.provider) return undefined;
  if (selector.type === 'provider') return whole;
  if (selector.bucket !== place.bucket) return undefined;
  if (selector.type === 'bucket') return whole;
  const path = selector.type === 'object' ? selector.key : selector.prefix;
  const { provider, bucket } = selector;
  if (path.startsWith(place.prefix) && (selector.type === 'object' || path !== place.prefix))
    return { type: 'prefix', provider, bucket, prefix: folderOf(path) };
  return selector.type === 'prefix' && place.prefix.startsWith(path) ? whole : undefined;
}

export function covers(selector: Selector, resource: Resource): boolean {
  if (selector.type === 'all') return true;
  if (selector.provider !== resource.provider) return false;
  if (selector.type === 'provider') return true;
  if (resource.kind === 'provider' || selector.bucket !== resource.bucket) return false;
  if (selector.type === 'bucket') return true;
  if (resource.kind === 'bucket') return false;
  return selector.type === 'prefix' ? resource.key.startsWith(selector.prefix) : resource.key === selector.key;
}

const WIDTHS = ['all', 'provider', 'bucket', 'prefix', 'object'] as const;

function width(selector: WrittenSelector): number {
  return WIDTHS.indexOf(selector.type);
}

/** The indexes of the selectors, from the widest selector to the narrowest. */
export function widestFirst(selectors: readonly WrittenSelector[]): number[] {
  const lengthOf = (selector: WrittenSelector): number => (selector.type === 'prefix' ? selector.prefix.length : 0);
  return selectors
    .map((_, at) => at)
    .sort((a, b) => width(selectors[a]!) - width(selectors[b]!) || lengthOf(selectors[a]!) - lengthOf(selectors[b]!));
}

/** The selector, or a narrower one that also covers the place. Selectors with `each` stay as they are. */
export function narrowedTo(selector: WrittenSelector, place: Place): WrittenSelector {
  if (isEach(selector) || selector.type === 'object') return selector;
  const bare: Place =
    place.type === 'prefix' && place.prefix === ''
      ? { type: 'bucket', provider: place.provider, bucket: place.bucket }
      : place;
  if (selector.type === 'prefix')
    return bare.type === 'prefix' && bare.prefix.startsWith(selector.prefix) && bare.prefix !== selector.prefix
      ? bare
      : selector;
  return width(bare) > width(selector) ? bare : selector;
}

/** The path up to and including its last slash. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
