import { atomicActions, maskOfAll, type ActionName } from './action.ts';
import { allowedBeneath } from './beneath.ts';
import type { Grants } from './grants.ts';
import type { Scope } from './resource.ts';

/** The actions that the provider permission endpoint answers, in this order. */
export const PROVIDER_PERMISSIONS: readonly ActionName[] = ['providers:read', 'buckets:read', 'buckets:create'];

/** The actions that the bucket permission endpoint answers, in this order. */
export const BUCKET_PERMISSIONS: readonly ActionName[] = [
  'buckets:read',
  'buckets:delete',
  'objects:read',
  'objects:list',
  'objects:get',
  'objects:write',
  'objects:delete',
  'objects:presign',
];

const withMasks = (names: readonly ActionName[]) => names.map((name) => ({ name, mask: maskOfAll(atomicActions(name)) }));
const ON_PROVIDER = withMasks(PROVIDER_PERMISSIONS);
const ON_BUCKET = withMasks(BUCKET_PERMISSIONS);

/**
 * The permissions to show for a scope: those of the endpoint's list that are allowed somewhere in it. A name that stands for
 * several actions is listed when all of them are.
 *
 * @see spec "Permission response (Family A)"
 */
export function permissionList(grants: Grants, scope: Scope): ActionName[] {
  const allowed = allowedBeneath(grants, scope);
  const names: ActionName[] = [];
  for (const { name, mask } of 'bucket' in scope ? ON_BUCKET : ON_PROVIDER) {
    if ((allowed & mask) === mask) names.push(name);
  }
  return names;
}
