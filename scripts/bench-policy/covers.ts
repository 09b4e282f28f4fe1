import type { Resource, Selector } from '../../src/policy/model/resource.ts';

/** Whether the selector covers a resource: the resource that it names, and everything beneath. */
export function covers(selector: Selector, place: Resource): boolean {
  if (selector.type === 'all') return true;
  if (selector.provider !== place.provider) return false;
  if (selector.type === 'provider') return true;
  if (!('bucket' in place) || selector.bucket !== place.bucket) return false;
  if (selector.type === 'bucket') return true;
  if (!('key' in place)) return false;
  return selector.type === 'object' ? selector.key === place.key : place.key.startsWith(selector.prefix);
}
