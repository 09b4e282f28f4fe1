import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import type { SvcError } from '../../src/errors/svc-error.ts';
import { EVERYTHING } from '../../src/policy/index/grants.ts';
import { createBucket, deleteBucket, listBuckets } from '../../src/storage/buckets.ts';
import { listObjects } from '../../src/storage/listing.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { deleteObject } from '../../src/storage/object-delete.ts';
import { Storage } from '../../src/storage/storage.ts';
import { itOnOtherStorage } from '../support/on-other-storage.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';
import { ToldStorage, type Answer, type Asked } from './told-storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

let s3: TestStorage;
beforeAll(async () => {
  s3 = await startStorage();
});
afterAll(() => s3.close());

describe('Storage', () => {
  it('knows its providers by name, in the order of the configuration', () => {
    const storage = new Storage([
      { ...s3.options, name: 'b' },
      { ...s3.options, name: 'a' },
    ]);
    expect(storage.providers.names()).toEqual(['b', 'a']);
    expect(storage.providers.provider('a').name).toBe('a');
    for (const name of ['A', '', 'toString'])
      expect(() => storage.providers.provider(name)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('createBucket', () => {
  const told = new ToldStorage();
  const opened: Storage[] = [];
  beforeAll(() => told.start());
  afterEach(() => opened.splice(0).forEach((storage) => storage.close()));
  afterAll(() => told.close());
  /** What is asked when a bucket is created, where storage answers so; the fault with which it fails comes last. */
  const asked = async (region: string, answer: (request: Asked, count: number) => Answer) => {
    const storage = new Storage([{ ...s3.options, endpoint: told.endpoint, region }]);
    opened.push(storage);
    told.answer = (request) => answer(request, told.asked.length);
    const failed = await createBucket(
      withoutPolicy({ provider: storage.providers.provider('test'), bucket: 'files' }),
    ).catch((error: unknown) => [(error as SvcError).code]);
    return [
      ...told.asked
        .splice(0)
        .map(({ method, body }) => [method, /<LocationConstraint>(.*)<\/LocationConstraint>/.exec(body)?.[1] ?? body]),
      ...(failed ?? []),
    ];
  };
  const fault = (status: number, code: string) => ({ status, body: `<Error><Code>${code}</Code></Error>` });
  const free =
    (put: Answer) =>
    ({ method }: Asked): Answer =>
      method === 'HEAD' ? { status: 404 } : put;

  it('asks for the region of the provider, and for none in the first one of Amazon', async () => {
    expect(await asked('eu-central-1', free({}))).toEqual([
      ['HEAD', ''],
      ['PUT', 'eu-central-1'],
    ]);
    expect(await asked('us-east-1', free({}))).toEqual([
      ['HEAD', ''],
      ['PUT', ''],
    ]);
  });

  it('asks for no region where storage has but one without a name, and asks again for no other fault', async () => {
    expect(
      await asked('here', (request, count) =>
        count === 2 ? fault(400, 'InvalidLocationConstraint') : free({})(request),
      ),
    ).toEqual([
      ['HEAD', ''],
      ['PUT', 'here'],
      ['PUT', ''],
    ]);
    expect(await asked('here', free(fault(400, 'TooManyBuckets')))).toEqual([
      ['HEAD', ''],
      ['PUT', 'here'],
      'storage_unavailable',
    ]);
  });

  it.each([403, 301])('leaves it to storage whose the name is, where the service may not look (%d)', async (status) => {
    expect(
      await asked('us-east-1', ({ method }) => (method === 'HEAD' ? { status } : fault(409, 'BucketAlreadyExists'))),
    ).toEqual([['HEAD', ''], ['PUT', ''], 'bucket_exists']);
  });

  it('creates nothing where storage has the name, or does not say', async () => {
    expect(await asked('us-east-1', () => ({}))).toEqual([['HEAD', ''], 'bucket_exists']);
    expect(await asked('us-east-1', () => ({ status: 400 }))).toEqual([['HEAD', ''], 'invalid_request']);
  });
});

describe('buckets', () => {
  it('are created once, listed, and deleted when they are empty', async () => {
    const bucket = s3.bucketName();
    await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
    await expect(createBucket(withoutPolicy({ provider: s3.provider, bucket }))).rejects.toMatchObject({
      code: 'bucket_exists',
    });
    expect(await listBuckets(withoutPolicy({ provider: s3.provider }))).toContainEqual({
      name: bucket,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });

    await putObject(withoutPolicy({ provider: s3.provider, bucket, key: 'x' }), Readable.from(['x']));
    await expect(deleteBucket(withoutPolicy({ provider: s3.provider, bucket }))).rejects.toMatchObject({
      code: 'bucket_not_empty',
    });
    await deleteObject(withoutPolicy({ provider: s3.provider, bucket, key: 'x' }));
    await deleteBucket(withoutPolicy({ provider: s3.provider, bucket }));
    await expect(deleteBucket(withoutPolicy({ provider: s3.provider, bucket }))).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await listBuckets(withoutPolicy({ provider: s3.provider }))).map(({ name }) => name)).not.toContain(bucket);
  });

  // s3rver checks the region of signatures, and has one only.
  itOnOtherStorage('are created in a region that storage does not name', async () => {
    const provider = new Storage([{ ...s3.options, region: 'eu-somewhere-1' }]).providers.provider('test');
    const bucket = s3.bucketName();
    await createBucket(withoutPolicy({ provider, bucket }));
    await deleteBucket(withoutPolicy({ provider, bucket }));
  });

  it('are taken from the configuration when it names them, without asking storage', async () => {
    const provider = new Storage([{ ...s3.options, buckets: ['one', 'two'] }]).providers.provider('test');
    s3.counter.reset();
    expect(await listBuckets(withoutPolicy({ provider }))).toEqual([
      { name: 'one', createdAt: null },
      { name: 'two', createdAt: null },
    ]);
    expect(s3.counter.calls).toEqual([]);
  });

  it('are named with the setting to check where the configuration lists one that is not there', async () => {
    const [there, missing, other] = [s3.bucketName(), s3.bucketName(), s3.bucketName()];
    const provider = new Storage([{ ...s3.options, buckets: [there, missing] }]).providers.provider('test');
    await createBucket(withoutPolicy({ provider, bucket: there }));
    const detailOf = async (bucket: string) =>
      listObjects(withoutPolicy({ provider, bucket, prefix: '' }), { limit: 1, grants: EVERYTHING }).then(
        () => 'listed',
        (error: unknown) => (error as SvcError).detail,
      );
    expect([await detailOf(there), await detailOf(missing), await detailOf(other)]).toEqual([
      'listed',
      `storage provider \`test\` has no bucket \`${missing}\`; check its \`buckets\``,
      'there is no such bucket',
    ]);
    await deleteBucket(withoutPolicy({ provider, bucket: there }));
  });

  it('are not created where nobody would see them, because the configuration names others', async () => {
    const [shown, other] = [s3.bucketName(), s3.bucketName()];
    const provider = new Storage([{ ...s3.options, buckets: [shown] }]).providers.provider('test');
    s3.counter.reset();
    await expect(createBucket(withoutPolicy({ provider, bucket: other }))).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('ask an administrator to add it'),
    });
    expect(s3.counter.calls).toEqual([]);
    await createBucket(withoutPolicy({ provider, bucket: shown }));
    await deleteBucket(withoutPolicy({ provider, bucket: shown }));
  });
});
