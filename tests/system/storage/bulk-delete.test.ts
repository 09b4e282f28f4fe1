import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { codeOf } from '../../../src/errors/svc-error.ts';
import { EVERYTHING } from '../../../src/policy/index/grants.ts';
import { createBucket } from '../../../src/storage/buckets.ts';
import { listObjects } from '../../../src/storage/listing.ts';
import { deleteObjects } from '../../../src/storage/object-delete.ts';
import { putObject } from '../../../src/storage/object-write.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { startStorage, type TestStorage } from '../../support/s3-server.ts';
import { missingForSwift, startSwift, type Swift } from '../../support/swift.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

const KEYS = ['a.txt', 'b & c.txt', 'ü/<d>.txt'];

async function fill(provider: StorageProvider, bucket: string): Promise<void> {
  await createBucket(withoutPolicy({ provider, bucket }));
  for (const key of [...KEYS, 'stays.txt'])
    await putObject(withoutPolicy({ provider, bucket, key }), Readable.from([Buffer.from(key)]), {
      contentLength: Buffer.byteLength(key),
    });
}

async function keysIn(provider: StorageProvider, bucket: string): Promise<string[]> {
  return (
    await listObjects(withoutPolicy({ provider, bucket, prefix: '' }), { limit: 100, grants: EVERYTHING })
  ).objects.map(({ key }) => key);
}

describe('deleteObjects', () => {
  let s3: TestStorage;
  beforeAll(async () => {
    s3 = await startStorage();
  });
  afterEach(() => {
    s3.counter.spoil = undefined;
  });
  afterAll(() => s3.close());

  it('sends the digest of a bulk request, which older gateways ask for', async () => {
    const bucket = s3.bucketName();
    await fill(s3.provider, bucket);
    const sent = jest.spyOn(s3.provider.s3, 'ask');
    await deleteObjects(withoutPolicy({ provider: s3.provider, bucket, keys: KEYS }));
    expect(sent.mock.calls).toHaveLength(1);
    const { headers, body } = sent.mock.calls[0]![0];
    sent.mockRestore();
    expect(headers?.['content-md5']).toBe(
      createHash('md5')
        .update(body as Buffer)
        .digest('base64'),
    );
  });

  it('deletes in one request', async () => {
    const bucket = s3.bucketName();
    await fill(s3.provider, bucket);
    s3.counter.reset();
    expect(await deleteObjects(withoutPolicy({ provider: s3.provider, bucket, keys: KEYS }))).toEqual({
      deleted: KEYS,
      failed: [],
    });
    expect(s3.counter.calls).toHaveLength(1);
    expect(await keysIn(s3.provider, bucket)).toEqual(['stays.txt']);
  });

  it.each([
    [400, 'InvalidRequest'],
    [400, 'MissingContentMD5'],
    [501, 'NotImplemented'],
  ])('deletes one by one where storage answers a bulk delete with %s %s', async (status, code) => {
    const bucket = s3.bucketName();
    await fill(s3.provider, bucket);
    s3.counter.spoil = (call) => (call.startsWith('POST') ? { status, code } : undefined);
    expect(await deleteObjects(withoutPolicy({ provider: s3.provider, bucket, keys: KEYS }))).toEqual({
      deleted: KEYS,
      failed: [],
    });
    expect(await keysIn(s3.provider, bucket)).toEqual(['stays.txt']);
  });

  it('fails where storage refuses it for another reason, and deletes nothing', async () => {
    const bucket = s3.bucketName();
    await fill(s3.provider, bucket);
    s3.counter.spoil = (call) => (call.startsWith('POST') ? { status: 403, code: 'AccessDenied' } : undefined);
    await expect(deleteObjects(withoutPolicy({ provider: s3.provider, bucket, keys: KEYS }))).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(await keysIn(s3.provider, bucket)).toHaveLength(4);
  });
});

const asked = process.env['SVC_TEST_SWIFT'] === '1';
if (!asked || missingForSwift.length > 0) {
  describe('deleteObjects on Swift', () => {
    it.skip(
      asked
        ? `is not tried: this machine has no ${missingForSwift.join(' and no ')}`
        : 'is tried by `npm run -s test:swift` alone: it takes long to start',
      () => undefined,
    );
  });
} else {
  describe('deleteObjects on Swift', () => {
    let swift: Swift;
    let storage: Storage;
    beforeAll(async () => {
      swift = await startSwift();
      storage = new Storage([swift.options]);
    });
    afterAll(async () => {
      storage.close();
      await swift.close();
    });

    it('deletes what was asked for, by a bulk request with its digest', async () => {
      const provider = storage.providers.provider('swift');
      await fill(provider, 'files');
      const bulk = jest.spyOn(provider.s3, 'ask');
      const single = jest.spyOn(provider.s3, 'send');
      expect(await deleteObjects(withoutPolicy({ provider, bucket: 'files', keys: KEYS }))).toEqual({
        deleted: KEYS,
        failed: [],
      });
      expect([bulk.mock.calls.length, single.mock.calls.length]).toEqual([1, 0]);
      expect(await keysIn(provider, 'files')).toEqual(['stays.txt']);
    });

    it('takes writes with a condition, each of which Swift refuses, and heeds it', async () => {
      const provider = storage.providers.provider('swift');
      await createBucket(withoutPolicy({ provider, bucket: 'written' }));
      for (const contentLength of [5, 2 * 2 ** 20]) {
        const object = withoutPolicy({ provider, bucket: 'written', key: `${contentLength}` });
        const write = (options: Parameters<typeof putObject>[2]) =>
          putObject(object, Readable.from([Buffer.alloc(contentLength)]), { ...options, contentLength });
        const again = ({ code }: { code?: unknown }) => {
          expect(code).toBe('storage_unavailable');
          return write({ ifNoneMatchAny: true });
        };
        const { etag } = await write({ ifNoneMatchAny: true }).catch(again);
        await expect(write({ ifNoneMatchAny: true })).rejects.toMatchObject({ code: 'precondition_failed' });
        expect(await write({ ifMatch: etag })).toEqual({ etag });
      }
    });

    it('takes them also when two of them find out at once', async () => {
      const fresh = new Storage([swift.options]);
      const provider = fresh.providers.provider('swift');
      const bucket = 'at-once';
      await createBucket(withoutPolicy({ provider, bucket }));
      const contentLength = 2 * 2 ** 20;
      const write = (key: string) =>
        putObject(withoutPolicy({ provider, bucket, key }), Readable.from([Buffer.alloc(contentLength)]), {
          contentLength,
          ifNoneMatchAny: true,
        });
      const failed: string[] = [];
      const fail = (key: string, error: unknown) => {
        expect(codeOf(error)).toBe('storage_unavailable');
        failed.push(key);
      };
      await Promise.all(['a', 'b'].map((key) => write(key).catch((error: unknown) => fail(key, error))));
      for (const key of failed) expect(await write(key)).toHaveProperty('etag');
      fresh.close();
    });
  });
}
