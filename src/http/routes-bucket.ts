import { permits, permitsBeneath } from '../access/authorize.ts';
import { bucketTarget, providerTarget } from '../access/target.ts';
import { createBucket, deleteBucket, listBuckets } from '../storage/buckets.ts';
import type { Storage } from '../storage/storage.ts';
import { bucket, bucketList, bucketPath, newBucket, providerList, providerPath } from '../wire/storage.ts';
import { route, type Route } from './route.ts';

/** Providers and buckets. */
export function bucketRoutes(storage: Storage): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/providers',
      tag: 'Storage',
      operation: 'provider/list',
      summary: 'The storage providers that you may see',
      access: { kind: 'each' },
      responses: { 200: { description: 'Those with `providers:list`.', schema: providerList } },
      handle: ({ caller }) => ({
        status: 200,
        json: {
          providers: storage
            .names()
            .filter((name) => permits(caller, 'providers:list', providerTarget(name)))
            .map((name) => ({ name, type: 's3' })),
        },
      }),
    }),
    route({
      method: 'get',
      path: '/api/providers/:provider/buckets',
      tag: 'Storage',
      operation: 'bucket/list',
      summary: 'The buckets that you may see',
      params: providerPath,
      access: { kind: 'each' },
      responses: { 200: { description: 'Those with `buckets:list`; none when you may see none, whether or not the provider exists.', schema: bucketList } },
      handle: async ({ caller, input, signal }) => {
        const { provider } = input.path;
        if (!permitsBeneath(caller, 'buckets:list', { provider })) return { status: 200, json: { buckets: [] } };
        const buckets = await listBuckets(storage.provider(provider), { signal });
        return { status: 200, json: { buckets: buckets.filter(({ name }) => permits(caller, 'buckets:list', { kind: 'bucket', provider, bucket: name })) } };
      },
    }),
    route({
      method: 'post',
      path: '/api/providers/:provider/buckets',
      tag: 'Storage',
      operation: 'bucket/create',
      summary: 'Create a bucket',
      params: providerPath,
      body: newBucket,
      access: { kind: 'asks', asks: ({ path, body }) => [{ action: 'buckets:create', resource: bucketTarget(path.provider, body.name) }] as const },
      responses: { 201: { description: 'It stands.', schema: bucket } },
      problems: ['bucket_exists'],
      handle: async ({ targets: [target], signal }) => {
        await createBucket(storage.provider(target.provider), target.bucket, { signal });
        return { status: 201, json: { name: target.bucket } };
      },
    }),
    route({
      method: 'delete',
      path: '/api/providers/:provider/buckets/:bucket',
      tag: 'Storage',
      operation: 'bucket/delete',
      summary: 'Delete an empty bucket',
      params: bucketPath,
      access: { kind: 'asks', asks: ({ path }) => [{ action: 'buckets:delete', resource: bucketTarget(path.provider, path.bucket) }] as const },
      responses: { 204: { description: 'It is gone.' } },
      problems: ['bucket_not_empty'],
      handle: async ({ targets: [target], signal }) => {
        await deleteBucket(storage.provider(target.provider), target.bucket, { signal });
        return { status: 204 };
      },
    }),
  ];
}
