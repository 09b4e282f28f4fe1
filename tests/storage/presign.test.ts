import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBucket } from '../../src/storage/buckets.ts';
import { getObject } from '../../src/storage/object-read.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { presign } from '../../src/storage/presign.ts';
import { Storage } from '../../src/storage/storage.ts';
import { itOnOtherStorage, itOnS3rver } from '../support/on-other-storage.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';
import { ODD_KEYS } from './keys.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

let s3: TestStorage;
let bucket: string;
beforeAll(async () => {
  s3 = await startStorage();
  bucket = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
});
afterAll(() => s3.close());

describe('presign', () => {
  it('signs links that write and read exactly their key, whatever is in it', async () => {
    for (const key of ODD_KEYS) {
      const up = await presign(withoutPolicy({ provider: s3.provider, bucket, key }), 'PUT', 60);
      expect((await fetch(up.url, { method: 'PUT', body: `<${key}>` })).status).toBe(200);
      const down = await presign(withoutPolicy({ provider: s3.provider, bucket, key }), 'GET', 60);
      expect(await (await fetch(down.url)).text()).toBe(`<${key}>`);
      expect(await text((await getObject(withoutPolicy({ provider: s3.provider, bucket, key }))).body!)).toBe(
        `<${key}>`,
      );
    }
  });

  // s3rver does not check signatures.
  itOnOtherStorage('signs for one key and one method only', async () => {
    const { url } = await presign(withoutPolicy({ provider: s3.provider, bucket, key: 'plain' }), 'GET', 60);
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403);
    expect((await fetch(url.replace('/plain?', '/metadata?'))).status).toBe(403);
  });

  describe.each([
    ['refuses headers that a link did not sign', undefined],
    ['takes headers that a link does not name, as Ceph', 'as to Ceph'],
  ] as const)('where storage %s', (_what, unsignedHeaders) => {
    let strict: TestStorage;
    beforeAll(async () => {
      strict = await startStorage({}, unsignedHeaders === undefined ? {} : { unsignedHeaders });
      await createBucket(withoutPolicy({ provider: strict.provider, bucket })).catch(() => undefined);
      await putObject(
        withoutPolicy({ provider: strict.provider, bucket, key: 'of others' }),
        Readable.from(['secret']),
      );
    });
    afterAll(() => strict.close());

    it('a link that writes reads nothing, and opens nothing to others', async () => {
      const { url } = await presign(withoutPolicy({ provider: strict.provider, bucket, key: 'linked' }), 'PUT', 60);
      for (const [name, value] of [
        ['x-amz-copy-source', `/${bucket}/of%20others`],
        ['x-amz-acl', 'public-read'],
        ['x-amz-grant-read', 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'],
      ] as const) {
        expect((await fetch(url, { method: 'PUT', body: '', headers: { [name]: value } })).status).toBe(403);
      }
      expect((await fetch(url, { method: 'PUT', body: 'mine' })).status).toBe(200);
      expect(
        await text((await getObject(withoutPolicy({ provider: strict.provider, bucket, key: 'linked' }))).body!),
      ).toBe('mine');
    });

    it('storage is asked once', async () => {
      await presign(withoutPolicy({ provider: strict.provider, bucket, key: 'first' }), 'PUT', 60);
      strict.counter.reset();
      await presign(withoutPolicy({ provider: strict.provider, bucket, key: 'second' }), 'PUT', 60);
      expect(strict.counter.calls).toEqual([]);
    });
  });

  itOnS3rver('makes no link that writes where storage takes whatever comes with it', async () => {
    const lax = await startStorage({}, { unsignedHeaders: 'always' });
    await expect(presign(withoutPolicy({ provider: lax.provider, bucket, key: 'x' }), 'PUT', 60)).rejects.toMatchObject(
      { code: 'not_supported' },
    );
    expect(await presign(withoutPolicy({ provider: lax.provider, bucket, key: 'x' }), 'GET', 60)).toMatchObject({
      method: 'GET',
    });
    await lax.close();
  });

  it('says when the link really ends', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const link = await presign(withoutPolicy({ provider: s3.provider, bucket, key: 'plain' }), 'GET', 3600);
    expect(link).toMatchObject({ method: 'GET', url: expect.stringContaining('X-Amz-Expires=3600') });
    const ends = Date.parse(link.expiresAt);
    expect(ends).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(ends).toBeLessThanOrEqual(Date.now() + 3_600_000);
  });

  it('uses the public endpoint, with its path, and asks storage nothing', async () => {
    const provider = new Storage([
      { ...s3.options, publicEndpoint: 'https://files.example.com/s3' },
    ]).providers.provider('test');
    s3.counter.reset();
    const { url } = await presign(withoutPolicy({ provider, bucket, key: 'a b/ü' }), 'GET', 60);
    expect(url).toContain(`https://files.example.com/s3/${bucket}/a%20b/%C3%BC?`);
    expect(s3.counter.calls).toEqual([]);
  });

  it('refuses lifetimes that storage would not honour', async () => {
    for (const seconds of [0, -1, 1.5, NaN, 604_801])
      await expect(
        presign(withoutPolicy({ provider: s3.provider, bucket, key: 'x' }), 'GET', seconds),
      ).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
