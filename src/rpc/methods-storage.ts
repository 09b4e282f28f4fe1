import { authorize, permits, permitsBeneath, type Ask } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { copyAsks, partKeys, presignAsks } from '../access/changes.ts';
import { invalidRequest } from '../access/invalid.ts';
import { bucketTarget, providerTarget, type Targets } from '../access/target.ts';
import { permissionList } from '../policy/permission-list.ts';
import { createBucket, deleteBucket, listBuckets } from '../storage/buckets.ts';
import { listObjects } from '../storage/listing.ts';
import { copyObject, moveObject } from '../storage/object-copy.ts';
import { deleteObject, deleteObjects } from '../storage/object-delete.ts';
import { headObject } from '../storage/object-read.ts';
import { presign } from '../storage/presign.ts';
import type { Storage } from '../storage/storage.ts';
import type { RpcMethods } from './method.ts';

/** Providers, buckets and objects. Each method asks policy with the very resource that it gives to storage. */
export function storageMethods(storage: Storage, targets: Targets): RpcMethods {
  const change = { changes: true } as const;
  return {
    'provider/list': {
      call: (_params, { caller }) => ({
        providers: storage
          .names()
          .filter((name) => permits(caller, 'providers:list', providerTarget(name)))
          .map((name) => ({ name, type: 's3' })),
      }),
    },
    'bucket/list': {
      call: async ({ provider }, { caller, signal }) => {
        if (!permitsBeneath(caller, 'buckets:list', { provider })) return { buckets: [] };
        const buckets = await listBuckets(storage.provider(provider), { signal });
        const visible = buckets.filter(({ name }) => permits(caller, 'buckets:list', { kind: 'bucket', provider, bucket: name }));
        return { buckets: visible.map(({ name, created_at: createdAt }) => ({ name, createdAt })) };
      },
    },
    'bucket/create': {
      ...change,
      call: async ({ provider, name }, { caller, signal }) => {
        const target = bucketTarget(provider, name);
        authorize(caller, 'buckets:create', target);
        await createBucket(storage.provider(target.provider), target.bucket, { signal });
        return { name };
      },
    },
    'bucket/delete': {
      ...change,
      call: async ({ provider, bucket }, { caller, signal }) => {
        const target = bucketTarget(provider, bucket);
        authorize(caller, 'buckets:delete', target);
        await deleteBucket(storage.provider(target.provider), target.bucket, { signal });
        return {};
      },
    },
    'object/list': {
      call: async ({ provider, bucket, prefix = '', delimiter, cursor, limit = 200 }, { caller, signal }) => {
        if (!permitsBeneath(caller, 'objects:list', targets.beneath(provider, bucket, prefix))) return { objects: [], prefixes: [], nextCursor: null };
        const page = await listObjects(storage.provider(provider), { bucket, prefix, delimiter: delimiter === '' ? undefined : delimiter, cursor, limit, grants: caller.effective, signal });
        return {
          objects: page.objects.map(({ key, size, etag, last_modified: lastModified }) => ({ key, size, etag, lastModified })),
          prefixes: page.prefixes,
          nextCursor: page.next_cursor,
        };
      },
    },
    'object/head': {
      call: async ({ provider, bucket, key }, { caller, signal }) => {
        const target = targets.object(provider, bucket, key);
        authorize(caller, 'objects:get', target);
        const { headers } = await headObject(storage.provider(target.provider), target, { signal });
        const modified = headers['last-modified'];
        return {
          key,
          size: Number(headers['content-length'] ?? 0),
          etag: headers['etag'] ?? '',
          lastModified: modified === undefined ? null : new Date(modified).toISOString(),
          contentType: headers['content-type'] ?? 'application/octet-stream',
        };
      },
    },
    'object/delete': {
      ...change,
      call: async ({ provider, bucket, key, keys }, { caller, signal }) => {
        if ((key === undefined) === (keys === undefined)) throw invalidRequest({ path: 'params', message: 'give either `key` or `keys`' });
        if (keys === undefined) {
          const target = targets.object(provider, bucket, key ?? '');
          authorize(caller, 'objects:delete', target);
          await deleteObject(storage.provider(target.provider), target, { signal });
          return { deleted: [target.key], failed: [] };
        }
        const { allowed, denied } = partKeys(targets, caller, 'objects:delete', { provider, bucket }, keys);
        if (allowed.length === 0) return { deleted: [], failed: denied };
        const { deleted, failed } = await deleteObjects(storage.provider(provider), bucket, allowed, { signal });
        return { deleted, failed: [...denied, ...failed] };
      },
    },
    'object/copy': {
      ...change,
      call: async ({ to, move = false, ...from }, { caller, signal }) => {
        const [source, target] = authorizeAll(caller, copyAsks(targets, from, to, move));
        const ends = [
          { ...source, provider: storage.provider(source.provider) },
          { ...target, provider: storage.provider(target.provider) },
        ] as const;
        const { etag } = await (move ? moveObject(...ends, { signal }) : copyObject(...ends, { signal }));
        return { provider: target.provider, bucket: target.bucket, key: target.key, etag };
      },
    },
    'object/presign': {
      call: async ({ method: verb, expiresIn, ...object }, { caller }) => {
        const [target] = authorizeAll(caller, presignAsks(targets, object, verb));
        const { url, expires_at: expiresAt } = await presign(storage.provider(target.provider), target, verb, expiresIn);
        return { url, method: verb, expiresAt };
      },
    },
    'permission/list': {
      call: ({ provider, bucket, prefix, key }, { caller }) => {
        if (key !== undefined && prefix !== undefined) throw invalidRequest({ path: 'params', message: 'give either `prefix` or `key`' });
        if (bucket === undefined) return { actions: permissionList(caller.effective, { provider }) };
        if (key !== undefined) return { actions: permissionList(caller.effective, targets.object(provider, bucket, key)) };
        return { actions: permissionList(caller.effective, prefix === undefined ? bucketTarget(provider, bucket) : targets.beneath(provider, bucket, prefix)) };
      },
    },
  };
}

/** Asks all, then gives the resources in the same order. */
function authorizeAll<const T extends readonly Ask[]>(caller: Caller, asks: T): { readonly [K in keyof T]: T[K]['resource'] } {
  for (const { action, resource } of asks) authorize(caller, action, resource);
  return asks.map(({ resource }) => resource) as { readonly [K in keyof T]: T[K]['resource'] };
}
