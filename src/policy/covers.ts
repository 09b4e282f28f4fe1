import type { Resource, Selector } from './resource.ts';

/**
 * Whether the selector covers a resource: the resource that it names, and everything beneath.
 *
 * It covers another selector when it covers every resource that the other one covers.
 */
export function covers(selector: Selector, place: Resource | Selector): boolean {
  if (selector.type === 'all') return true;
  if (!('provider' in place) || selector.provider !== place.provider) return false;
  if (selector.type === 'provider') return true;
  if (!('bucket' in place) || selector.bucket !== place.bucket) return false;
  if (selector.type === 'bucket') return true;
  if (selector.type === 'object') return 'key' in place && selector.key === place.key;
  if ('key' in place) return place.key.startsWith(selector.prefix);
  return 'prefix' in place && place.prefix.startsWith(selector.prefix);
}
