import { actionIndex, resourceKindOf, type AtomicAction } from '../model/action.ts';
import type { Grants } from '../index/grants.ts';
import { decisionOnKey } from '../index/packed-trees.ts';

/**
 * Returns a predicate for the keys of one bucket, for listings. It gives the same answers as `decide`, but looks up the bucket only once.
 *
 * @param action - an action on objects; any other is allowed on no key.
 */
export function keyFilter(
  grants: Grants,
  action: AtomicAction,
  { provider, bucket }: { readonly provider: string; readonly bucket: string },
): (key: string) => boolean {
  if (resourceKindOf(action) !== 'object') return () => false;
  const index = actionIndex(action);
  const inProvider = grants.providers.get(provider);
  const inBucket = inProvider?.buckets.get(bucket);
  if (inBucket === undefined) {
    const { allowed } = (inProvider ?? grants).verdicts[index]!;
    return () => allowed;
  }
  return (key) => decisionOnKey(inBucket.trees, inBucket.root, key, index).allowed;
}
