import { authorize, permits, permitsBeneath } from '../access/authorize.ts';
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
      call: async ({ provider, name }, { caller, trail, signal }) => {
        const [target] = authorize(caller, [{ action: 'buckets:create', resource: bucketTarget(provider, name) }], trail);
        await createBucket(storage.provider(target.provider), target.bucket, { signal });
        return { name };
      },
    },
    'bucket/delete': {
      call: async ({ provider, bucket }, { caller, trail, signal }) => {
        const [target] = authorize(caller, [{ action: 'buckets:delete', resource: bucketTarget(provider, bucket) }], trail);
        await deleteBucket(storage.provider(target.provider), target.bucket, { signal });
        return {};
      },
    },
    'object/list': {
      call: async ({ provider, bucket, prefix = '', delimiter, cursor, limit = 200 }, { caller, signal }) => {
        if (!permitsBeneath(caller, 'objects:list', targets.beneath(provider, bucket, prefix))) return { objects: [], prefixes: [], nextCursor: null };
        const page = await listObjects(storage.provider(provider), { bucket, prefix, delimiter, cursor, limit, grants: caller.effective, signal });
        return {
          objects: page.objects.map(({ key, size, etag, last_modified: lastModified }) => ({ key, size, etag, lastModified })),
          prefixes: page.prefixes,
          nextCursor: page.next_cursor,
        };
      },
    },
    'object/head': {
      call: async ({ provider, bucket, key }, { caller, trail, signal }) => {
        const [target] = authorize(caller, [{ action: 'objects:get', resource: targets.object(provider, bucket, key) }], trail);
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
      call: async ({ provider, bucket, key, keys }, { caller, trail, signal }) => {
        if ((key === undefined) === (keys === undefined)) throw invalidRequest({ path: 'params', message: 'give either `key` or `keys`' });
        if (keys === undefined) {
          const [target] = authorize(caller, [{ action: 'objects:delete', resource: targets.object(provider, bucket, key ?? '') }], trail);
          await deleteObject(storage.provider(target.provider), target, { signal });
          return { deleted: [target.key], failed: [] };
        }
        const { allowed, denied } = partKeys(targets, caller, 'objects:delete', { provider, bucket }, keys, trail);
        if (allowed.length === 0) return { deleted: [], failed: denied };
        const { deleted, failed } = await deleteObjects(storage.provider(provider), bucket, allowed, { signal });
        for (const each of failed) trail.failedAt(targets.object(provider, bucket, each.key), each.code);
        return { deleted, failed: [...denied, ...failed] };
      },
    },
    'object/copy': {
      call: async ({ to, move = false, ifNoneMatch, ...from }, { caller, trail, signal }) => {
        const [source, target] = authorize(caller, copyAsks(targets, from, to, move), trail);
        const ends = [
          { ...source, provider: storage.provider(source.provider) },
          { ...target, provider: storage.provider(target.provider) },
        ] as const;
        const options = { signal, ifNoneMatchAny: ifNoneMatch === '*' };
        const { etag } = await (move ? moveObject(...ends, options) : copyObject(...ends, options));
        return { provider: target.provider, bucket: target.bucket, key: target.key, etag };
      },
    },
    'object/presign': {
      call: async ({ method: verb, expiresIn, ...object }, { caller, trail }) => {
        const [target] = authorize(caller, presignAsks(targets, object, verb), trail);
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
