import { ATOMIC_ACTIONS, type AtomicAction } from './action.ts';
import type { Policy } from './rule.ts';

/** The role of administrators. Its holders are administrators whatever policies the role has. */
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

/** The policy of every caller when policy or sign-in is turned off. No binding can name it. */
export const UNRESTRICTED: Policy = onAll('unrestricted', ATOMIC_ACTIONS);
