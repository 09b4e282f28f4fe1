import { bucketTarget, type Targets } from '../access/target.ts';
import { permissionList } from '../policy/permission-list.ts';
import type { Scope } from '../policy/resource.ts';
import { permissionQuery, permissions } from '../wire/permission.ts';
import { bucketPath, providerPath } from '../wire/storage.ts';
import { route, type Route } from './route.ts';

/** The permission endpoints drive what the UI shows. They answer from policy alone; every other route asks policy itself. */
export function permissionRoutes(targets: Targets): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/providers/:provider/permissions',
      tag: 'Permissions',
      operation: 'permission/list',
      summary: 'What you may do on a provider',
      params: providerPath,
      access: { kind: 'session' },
      responses: { 200: { description: 'The allowed actions of `providers:read`, `buckets:read`, `buckets:create`.', schema: permissions } },
      handle: ({ caller, input }) => ({ status: 200, json: { actions: permissionList(caller.effective, { provider: input.path.provider }) } }),
    }),
    route({
      method: 'get',
      path: '/api/providers/:provider/buckets/:bucket/permissions',
      tag: 'Permissions',
      operation: 'permission/list',
      summary: 'What you may do in a bucket, beneath a prefix, or on a key',
      description: 'An action is listed when it is allowed on at least one resource in the place asked about. Storage is not asked, so an unknown bucket is answered like any other.',
      params: bucketPath,
      query: permissionQuery,
      access: { kind: 'session' },
      responses: { 200: { description: 'The allowed actions, in a fixed order.', schema: permissions } },
      handle: ({ caller, input }) => ({ status: 200, json: { actions: permissionList(caller.effective, scopeOf(targets, input.path, input.query)) } }),
    }),
  ];
}

function scopeOf(targets: Targets, { provider, bucket }: { provider: string; bucket: string }, { prefix, key }: { prefix?: string; key?: string }): Scope {
  if (key !== undefined) return targets.object(provider, bucket, key);
  if (prefix === undefined || prefix === '') return bucketTarget(provider, bucket);
  return targets.beneath(provider, bucket, prefix);
}
