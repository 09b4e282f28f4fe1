import { ATOMIC_ACTIONS, type AtomicAction } from './action.ts';
import type { Policy } from './rule.ts';

/** Whoever has this role is an administrator, whatever its policies are. */
export const ADMIN_ROLE = 'admin';

const onAll = (name: string, actions: readonly AtomicAction[]): Policy => ({
  name,
  source: 'built-in',
  rules: [{ effect: 'allow', actions, resources: [{ type: 'all' }] }],
});

/** The policies that `policy.defaults: true` adds to the configured ones. */
export const BUILT_IN_POLICIES: readonly Policy[] = [
  onAll('default-viewer', ['providers:list', 'buckets:list', 'objects:list', 'objects:get']),
  onAll('default-write', ['objects:write', 'objects:delete', 'objects:presign']),
  onAll('default-admin', ATOMIC_ACTIONS),
];

/** What every caller has where policy or sign-in is turned off. Nobody can be bound to it. */
export const UNRESTRICTED: Policy = onAll('unrestricted', ATOMIC_ACTIONS);
