import { invalidRequest } from '../access/invalid.ts';
import { bucketTarget, type Targets } from '../access/target.ts';
import { permissionList } from '../policy/permission-list.ts';
import type { Scope } from '../policy/resource.ts';
import type { OperationInput } from '../wire/operations.ts';
import { operation } from './operation.ts';

/** Lists permissions for the UI, from policy alone. They protect nothing: every other operation asks policy itself. */
export const listPermissions = operation({
  name: 'permission/list',
  access: { kind: 'session' },
  run: ({ caller, input, services }) => ({ actions: permissionList(caller.effective, scopeOf(input, services.targets)) }),
});

function scopeOf({ provider, bucket, prefix, key }: OperationInput<'permission/list'>, at: Targets): Scope {
  if (prefix !== undefined && key !== undefined) throw invalidRequest({ path: '', message: 'give either `prefix` or `key`' });
  if (bucket === undefined) return { provider };
  if (key !== undefined) return { provider, bucket, key: at.object(provider, bucket, key).key };
  bucketTarget(provider, bucket);
  return prefix === undefined || prefix === '' ? { provider, bucket } : at.beneath(provider, bucket, prefix);
}
