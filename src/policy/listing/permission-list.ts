import { ACTIONS_ON, atomicActions, maskOf, maskOfAll, type ActionMask, type ActionName } from '../model/action.ts';
import { allowedBeneath, allowedByKey, allowedOnNewBucket, allowedOnNewKey } from './beneath.ts';
import type { Grants } from '../index/grants.ts';
import { mergedKeys, mergedPrefixes } from '../model/name.ts';
import type { KeysScope, Scope } from '../model/resource.ts';

/** The actions that the provider permission endpoint reports, in this order. */
export const PROVIDER_PERMISSIONS: readonly ActionName[] = ['providers:read', 'buckets:read', 'buckets:create'];

/** The actions that the bucket permission endpoint reports, in this order. */
export const BUCKET_PERMISSIONS: readonly ActionName[] = [
  'buckets:read',
  'buckets:delete',
  'objects:read',
  'objects:list',
  'objects:get',
  'objects:write',
  'objects:delete',
  'objects:presign',
  'objects:versions',
  'objects:restore',
  'objects:purge',
];

const withMasks = (names: readonly ActionName[]) =>
  names.map((name) => ({ name, mask: maskOfAll(atomicActions(name)) }));
const ON_PROVIDER = withMasks(PROVIDER_PERMISSIONS);
const ON_BUCKET = withMasks(BUCKET_PERMISSIONS);
const LISTED = maskOf('objects:list');
const ON_KEY = ON_BUCKET.filter(({ mask }) => (mask & ACTIONS_ON.object) === mask);

/**
 * The permissions to show for a scope: the actions of the endpoint's list that are allowed somewhere in it. A name that stands for several actions is listed
 * when all of them are allowed.
 *
 * @see spec "Permission response (Family A)"
 */
export function permissionList(grants: Grants, scope: Scope): ActionName[] {
  const allowed =
    'key' in scope
      ? onAll([scope.key, ...mergedKeys(scope.key)], (key) => allowedBeneath(grants, { ...scope, key }))
      : 'prefix' in scope
        ? onAll([scope.prefix, ...mergedPrefixes(scope.prefix)], (prefix) =>
            allowedBeneath(grants, { ...scope, prefix }),
          )
        : allowedBeneath(grants, scope);
  return namesIn(allowed, 'bucket' in scope ? ON_BUCKET : ON_PROVIDER);
}

/** The permissions on a key directly beneath the prefix that no rule names more closely, such as the key of a new object. */
export function permissionsHere(grants: Grants, scope: KeysScope): ActionName[] {
  const places = [scope.prefix, ...mergedPrefixes(scope.prefix)];
  return namesIn(
    onAll(places, (prefix) => allowedOnNewKey(grants, { ...scope, prefix })),
    ON_KEY,
  );
}

/** The permissions on a bucket of the provider that no rule names. */
export function permissionsOnNewBucket(grants: Grants, provider: string): ActionName[] {
  return namesIn(allowedOnNewBucket(grants, provider), ON_BUCKET);
}

/** The permissions on each of the keys. */
export function permissionsByKey(
  grants: Grants,
  bucket: { readonly provider: string; readonly bucket: string },
  keys: readonly string[],
): Record<string, ActionName[]> {
  const allowedOn = allowedByKey(grants, bucket);
  return Object.fromEntries(keys.map((key) => [key, namesIn(onAll([key, ...mergedKeys(key)], allowedOn), ON_KEY)]));
}

/**
 * The actions that are allowed on a name and on each for which some storage takes it, because that is what a request needs (`src/access/authorize.ts`). A listing
 * shows names as they are written.
 */
function onAll([name = '', ...others]: readonly string[], allowedOn: (name: string) => ActionMask): ActionMask {
  const allowed = allowedOn(name);
  return others.reduce((left, other) => left & (allowedOn(other) | LISTED), allowed);
}

function namesIn(
  allowed: ActionMask,
  listed: readonly { readonly name: ActionName; readonly mask: ActionMask }[],
): ActionName[] {
  return listed.filter(({ mask }) => (allowed & mask) === mask).map(({ name }) => name);
}
