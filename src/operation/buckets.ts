import { authorize, permits, permittedBeneath, permittedInside } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { Trail } from '../audit/trail.ts';
import { bucketTarget, providerTarget } from '../access/target.ts';
import { createBucket, deleteBucket, headBucket, listBuckets } from '../storage/buckets.ts';
import { readBucketInfo } from '../storage/bucket-info.ts';
import { finishAfterDisconnect } from './finish-after-disconnect.ts';
import { operation } from './operation.ts';

export const listProviders = operation({
  name: 'provider/list',
  access: { kind: 'policy', asks: () => [], each: 'providers:list' },
  run: ({ caller, storage }) => ({
    providers: storage
      .names()
      .filter((name) => permits(caller, 'providers:list', providerTarget(name)))
      .map((name) => ({ name, type: 's3' as const })),
  }),
});

export const listVisibleBuckets = operation({
  name: 'bucket/list',
  access: { kind: 'policy', asks: () => [], each: 'buckets:list' },
  run: async ({ input: { provider }, caller, storage, trail, signal }) => {
    const place = permittedBeneath(caller, 'buckets:list', providerTarget(provider));
    if (place === undefined) return { buckets: [] };
    trail.about({ provider });
    const buckets = await listBuckets(storage.open(place), { signal });
    return {
      buckets: buckets.filter(({ name }) =>
        permits(caller, 'buckets:list', { kind: 'bucket', provider, bucket: name }),
      ),
    };
  },
});

/** Tells whoever may do anything to a bucket, or to an object in it, that it exists. */
export const findBucket = operation({
  name: 'bucket/get',
  access: { kind: 'policy', asks: () => [] },
  run: async ({ input: { provider, bucket }, caller, storage, trail, signal }) => {
    await headBucket(storage.open(bucketOfSomeUse(caller, provider, bucket, trail)), { signal });
    return { name: bucket };
  },
});

/** Tells the same people what the bucket keeps. */
export const readInfoOfBucket = operation({
  name: 'bucket/info',
  access: { kind: 'policy', asks: () => [] },
  run: async ({ input: { provider, bucket }, caller, storage, trail, signal }) => ({
    name: bucket,
    ...(await readBucketInfo(storage.open(bucketOfSomeUse(caller, provider, bucket, trail)), { signal })),
  }),
});

/** @throws {SvcError} `access_denied` for whoever may do nothing to the bucket or to an object in it. */
function bucketOfSomeUse(caller: Caller, provider: string, bucket: string, trail: Trail) {
  const target = bucketTarget(provider, bucket);
  const place =
    permittedInside(caller, target) ?? authorize(caller, [{ action: 'buckets:list', resource: target }], trail)[0];
  trail.about({ provider, bucket });
  return place;
}

export const makeBucket = operation({
  name: 'bucket/create',
  access: {
    kind: 'policy',
    asks: ({ provider, name }) => [{ action: 'buckets:create', resource: bucketTarget(provider, name) }] as const,
  },
  run: async ({ targets: [target], storage, signal }) => {
    await finishAfterDisconnect(signal, (options) => createBucket(storage.open(target), options));
    return { name: target.bucket };
  },
});

export const removeBucket = operation({
  name: 'bucket/delete',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket }) => [{ action: 'buckets:delete', resource: bucketTarget(provider, bucket) }] as const,
  },
  run: async ({ targets: [target], storage, signal }) => {
    await finishAfterDisconnect(signal, (options) => deleteBucket(storage.open(target), options));
    return {};
  },
});

/** Tells administrators which storage providers answer. It reveals nothing about stored objects. */
export const checkProviders = operation({
  name: 'provider/health',
  access: { kind: 'admin' },
  run: async ({ services }) => ({
    providers: (await services.storageHealth.check()).map(({ checkedAt, ...health }) => ({
      ...health,
      checkedAt: new Date(checkedAt).toISOString(),
    })),
  }),
});
