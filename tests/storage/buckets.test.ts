import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { createBucket, deleteBucket, listBuckets } from '../../src/storage/buckets.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { deleteObject } from '../../src/storage/object-delete.ts';
import { Storage } from '../../src/storage/storage.ts';
import { itOnOtherStorage } from '../support/on-other-storage.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';

let s3: TestStorage;
beforeAll(async () => {
  s3 = await startStorage();
});
afterAll(() => s3.close());

describe('Storage', () => {
  it('knows its providers by name, in the order of the configuration', () => {
    const storage = new Storage([{ ...s3.options, name: 'b' }, { ...s3.options, name: 'a' }]);
    expect(storage.names()).toEqual(['b', 'a']);
    expect(storage.provider('a').name).toBe('a');
    for (const name of ['A', '', 'toString']) expect(() => storage.provider(name)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('buckets', () => {
  it('are created once, listed, and deleted when they are empty', async () => {
    const bucket = s3.bucketName();
    await createBucket(s3.provider, bucket);
    await expect(createBucket(s3.provider, bucket)).rejects.toMatchObject({ code: 'bucket_exists' });
    expect(await listBuckets(s3.provider)).toContainEqual({ name: bucket, createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });

    await putObject(s3.provider, { bucket, key: 'x' }, Readable.from(['x']));
    await expect(deleteBucket(s3.provider, bucket)).rejects.toMatchObject({ code: 'bucket_not_empty' });
    await deleteObject(s3.provider, { bucket, key: 'x' });
    await deleteBucket(s3.provider, bucket);
    await expect(deleteBucket(s3.provider, bucket)).rejects.toMatchObject({ code: 'not_found' });
    expect((await listBuckets(s3.provider)).map(({ name }) => name)).not.toContain(bucket);
  });

  // s3rver checks the region of signatures, and has one only.
  itOnOtherStorage('are created in a region that storage does not name', async () => {
    const provider = new Storage([{ ...s3.options, region: 'eu-somewhere-1' }]).provider('test');
    const bucket = s3.bucketName();
    await createBucket(provider, bucket);
    await deleteBucket(provider, bucket);
  });

  it('are taken from the configuration when it names them, without asking storage', async () => {
    const provider = new Storage([{ ...s3.options, buckets: ['one', 'two'] }]).provider('test');
    s3.counter.reset();
    expect(await listBuckets(provider)).toEqual([{ name: 'one', createdAt: null }, { name: 'two', createdAt: null }]);
    expect(s3.counter.calls).toEqual([]);
  });

  it('need a name that is one', async () => {
    s3.counter.reset();
    for (const name of ['..', 'a', 'Upper', 'a/b', '-a', 'a-', '10.0.0.1']) {
      await expect(createBucket(s3.provider, name)).rejects.toMatchObject({ code: 'invalid_request' });
      await expect(deleteBucket(s3.provider, name)).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(s3.counter.calls).toEqual([]);
  });
});
