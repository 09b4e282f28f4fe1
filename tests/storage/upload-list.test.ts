import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decide } from '../../src/policy/index/decide.ts';
import { compileGrants, EVERYTHING, NOTHING, type Grants } from '../../src/policy/index/grants.ts';
import { objectResource, type Selector } from '../../src/policy/model/resource.ts';
import { createBucket } from '../../src/storage/buckets.ts';
import { startUpload } from '../../src/storage/multipart.ts';
import { listUploads, type UploadPage } from '../../src/storage/upload-list.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';

let s3: TestStorage;
beforeAll(async () => {
  s3 = await startStorage();
});
afterAll(() => s3.close());

const KEYS = ['a', 'a', 'a', 'a/1', 'home/alice/ü +%25', 'home/alice/2', 'home/bob/1', 'home/bob/1', 'z'];

async function bucketWith(keys: readonly string[]): Promise<string> {
  const bucket = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
  for (const key of keys) await startUpload(withoutPolicy({ provider: s3.provider, bucket, key }));
  s3.counter.reset();
  return bucket;
}

function writeGrants(bucket: string, ...rules: readonly string[]): Grants {
  const selectorOf = (rule: string): Selector => {
    const place = { provider: 'test', bucket };
    const name = rule.slice(3);
    if (rule[1] === '*') return { type: 'bucket', ...place };
    return rule[1] === 'p' ? { type: 'prefix', ...place, prefix: name } : { type: 'object', ...place, key: name };
  };
  return compileGrants([
    {
      name: 'test',
      source: 'config',
      rules: rules.map((rule) => ({
        effect: rule.startsWith('+') ? 'allow' : 'deny',
        actions: ['objects:write'],
        resources: [selectorOf(rule)],
      })),
    },
  ]);
}

async function pagesOf(bucket: string, grants: Grants, limit: number, prefix = ''): Promise<UploadPage[]> {
  const pages: UploadPage[] = [];
  for (let cursor: string | null | undefined; cursor !== null && pages.length < 50; cursor = pages.at(-1)!.nextCursor)
    pages.push(await listUploads(withoutPolicy({ provider: s3.provider, bucket, prefix }), { grants, limit, cursor }));
  return pages;
}

const keysOf = (pages: readonly UploadPage[]) => pages.flatMap(({ uploads }) => uploads.map(({ key }) => key));

describe('listUploads', () => {
  it('shows each upload once, with its id, page by page', async () => {
    const bucket = await bucketWith(KEYS);
    for (const limit of [1, 2, 3, 1000]) {
      const pages = await pagesOf(bucket, EVERYTHING, limit);
      expect(keysOf(pages).sort()).toEqual(KEYS.toSorted());
      const ids = pages.flatMap(({ uploads }) => uploads.map(({ id }) => id));
      expect(ids.sort()).toEqual((await s3.openUploads(bucket)).sort());
      expect(pages).toHaveLength(Math.ceil(KEYS.length / limit));
      expect(pages[0]!.uploads[0]!.initiated).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    }
    expect(keysOf(await pagesOf(bucket, EVERYTHING, 1000, 'home/bob'))).toEqual(['home/bob/1', 'home/bob/1']);
  });

  it('asks storage only beneath what one may write, and nothing when that is nothing', async () => {
    const bucket = await bucketWith(KEYS);
    expect(keysOf(await pagesOf(bucket, writeGrants(bucket, '+p:home/alice/'), 1000))).toHaveLength(2);
    expect(s3.counter.calls).toEqual([expect.stringContaining('prefix=home%2Falice%2F')]);
    s3.counter.reset();
    expect(await pagesOf(bucket, NOTHING, 10)).toEqual([{ uploads: [], nextCursor: null }]);
    expect(s3.counter.calls).toEqual([]);
  });

  it.each([
    [['+p:home/alice/', '+o:home/bob/1']],
    [['+*', '-p:home/']],
    [['+*', '-o:a']],
    [['+p:a/', '+p:z', '-o:home/bob/1']],
    [['+*', '-p:a', '-p:z']],
  ])('tells nothing of what %j does not allow', async (rules) => {
    const hidden = (key: string) =>
      !decide(writeGrants('bucket', ...rules), 'objects:write', objectResource('test', 'bucket', key)).allowed;
    const shown = KEYS.filter((key) => !hidden(key));
    for (const limit of [1, 2, 100]) {
      const seen = await Promise.all(
        [KEYS, shown].map(async (keys) => {
          const bucket = await bucketWith(keys);
          const pages = await pagesOf(bucket, writeGrants(bucket, ...rules), limit);
          return pages.map(({ uploads, nextCursor }) => [uploads.map(({ key }) => key), nextCursor?.length]);
        }),
      );
      expect(seen[0]).toEqual(seen[1]);
      expect(seen[0]!.flatMap(([keys]) => keys as string[]).sort()).toEqual(shown.toSorted());
    }
  });

  it('refuses a cursor of another prefix', async () => {
    const bucket = await bucketWith(KEYS);
    const [{ nextCursor } = { nextCursor: null }] = await pagesOf(bucket, EVERYTHING, 1);
    const place = withoutPolicy({ provider: s3.provider, bucket, prefix: 'home/' });
    await expect(listUploads(place, { grants: EVERYTHING, limit: 1, cursor: nextCursor! })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
