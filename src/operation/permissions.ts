import { invalidRequest } from '../access/invalid.ts';
import { bucketTarget, providerTarget, type Targets } from '../access/target.ts';
import type { Grants } from '../policy/index/grants.ts';
import { permissionList, permissionsByKey, permissionsHere } from '../policy/listing/permission-list.ts';
import type { OperationInput, OperationOutput } from '../wire/operations.ts';
import { operation } from './operation.ts';

type Question = OperationInput<'permission/list'>;
type Answer = OperationOutput<'permission/list'>;

/** Lists permissions for the UI, from policy alone. They protect nothing: every other operation asks policy itself. */
export const listPermissions = operation({
  name: 'permission/list',
  access: { kind: 'session' },
  run: ({ caller, input, services }) => answer(caller.effective, input, services.targets),
});

function answer(grants: Grants, { provider, bucket, prefix, key, keys }: Question, at: Targets): Answer {
  if ([prefix, key, keys].filter((member) => member !== undefined).length > 1)
    throw invalidRequest({ path: '', message: 'give either `prefix`, `key` or `keys`' });
  if (bucket === undefined) {
    if (keys !== undefined) throw invalidRequest({ path: 'bucket', message: 'is needed with `keys`' });
    return { actions: permissionList(grants, providerTarget(provider)) };
  }
  if (keys !== undefined)
    return {
      keys: permissionsByKey(
        grants,
        { provider, bucket },
        keys.map((each) => at.object(provider, bucket, each).key),
      ),
    };
  if (key !== undefined)
    return { actions: permissionList(grants, { provider, bucket, key: at.object(provider, bucket, key).key }) };
  bucketTarget(provider, bucket);
  if (prefix === undefined) return { actions: permissionList(grants, { provider, bucket }) };
  const scope = at.beneath(provider, bucket, prefix);
  return { actions: permissionList(grants, scope), here: permissionsHere(grants, scope) };
}
