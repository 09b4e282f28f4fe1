import { ACTIONS_ON, maskOf, type ActionMask, type AtomicAction } from '../model/action.ts';
import type { Grants } from '../index/grants.ts';
import { allowedAt, allowedOnAllUnder, allowedUnder } from '../index/key-tree.ts';
import { allowedOnKey } from '../index/packed-trees.ts';
import type { KeysScope, Scope } from '../model/resource.ts';

/**
 * The actions that are allowed on at least one resource inside the scope, each on the kind of resource that it is asked on.
 *
 * A provider contains itself, any bucket and any key. A bucket, prefix or key scope contains the bucket itself and any key of the bucket, any key that starts
 * with the prefix, or exactly the key. Every name counts as possible, so when a rule allows a prefix, there is always a key that no narrower rule denies. One
 * walk answers for all actions.
 */
export function allowedBeneath(grants: Grants, scope: Scope): ActionMask {
  const provider = grants.providers.get(scope.provider);
  if (!('bucket' in scope)) return provider?.somewhere ?? grants.allowed;

  const bucket = provider?.buckets.get(scope.bucket);
  if (bucket === undefined) return (provider ?? grants).allowed & (ACTIONS_ON.bucket | ACTIONS_ON.object);
  const onBucket = bucket.allowed & ACTIONS_ON.bucket;
  if (!('key' in scope)) return onBucket | allowedUnder(bucket.keys, 'prefix' in scope ? scope.prefix : '');
  return onBucket | allowedOnKey(bucket.trees, bucket.root, scope.key);
}

/** Whether a listing may show the common prefix: whether a key that starts with it may be listed, even if no such key exists. */
export function commonPrefixVisible(grants: Grants, scope: KeysScope): boolean {
  return (allowedBeneath(grants, scope) & maskOf('objects:list')) !== 0;
}

/** Whether the action is allowed on every key that starts with the prefix. */
export function allowedThroughout(
  grants: Grants,
  action: AtomicAction,
  { provider, bucket, prefix }: KeysScope,
): boolean {
  const inProvider = grants.providers.get(provider);
  const inBucket = inProvider?.buckets.get(bucket);
  const allowed = inBucket === undefined ? (inProvider ?? grants).allowed : allowedOnAllUnder(inBucket.keys, prefix);
  return (allowed & maskOf(action)) !== 0;
}

/** The actions that are allowed on a key that starts with the prefix and that no rule names more closely, such as the key of a new object. */
export function allowedOnNewKey(grants: Grants, { provider, bucket, prefix }: KeysScope): ActionMask {
  const inProvider = grants.providers.get(provider);
  const inBucket = inProvider?.buckets.get(bucket);
  return (
    (inBucket === undefined ? (inProvider ?? grants).allowed : allowedAt(inBucket.keys, prefix)) & ACTIONS_ON.object
  );
}

/** The actions that are allowed on a bucket of the provider that no rule names, and on its keys. */
export function allowedOnNewBucket(grants: Grants, provider: string): ActionMask {
  return (grants.providers.get(provider) ?? grants).allowed & (ACTIONS_ON.bucket | ACTIONS_ON.object);
}

/** Returns a function that gives the actions allowed on a key of the bucket. It gives the same answers as `decide`, but looks up the bucket only once. */
export function allowedByKey(
  grants: Grants,
  { provider, bucket }: { readonly provider: string; readonly bucket: string },
): (key: string) => ActionMask {
  const inProvider = grants.providers.get(provider);
  const inBucket = inProvider?.buckets.get(bucket);
  if (inBucket !== undefined) return (key) => allowedOnKey(inBucket.trees, inBucket.root, key);
  const allowed = (inProvider ?? grants).allowed & ACTIONS_ON.object;
  return () => allowed;
}
