import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createBucket } from '../../src/storage/buckets.ts';
import { completeUpload, listParts, startUpload } from '../../src/storage/multipart.ts';
import { getObject, headObject } from '../../src/storage/object-read.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { copyPart, type NewPartCopy } from '../../src/storage/part-copy.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';

let s3: TestStorage;
let bucket: string;
beforeAll(async () => {
  s3 = await startStorage();
  bucket = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
});
afterEach(() => void (s3.counter.before = undefined));
afterAll(() => s3.close());

const place = (key: string) => withoutPolicy({ provider: s3.provider, bucket, key });
const put = (key: string, content: string) =>
  putObject(place(key), Readable.from([Buffer.from(content)]), { contentLength: Buffer.byteLength(content) });

/** Makes an object of one part that is copied, and returns its content. */
async function copied(from: string, given: Partial<NewPartCopy> = {}): Promise<string> {
  const { id } = await startUpload(place('target'));
  const part = await copyPart(place(from), place('target'), { number: 1, ...given, id });
  expect(part.lastModified).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(await listParts(place('target'), id)).toMatchObject([{ number: 1, etag: part.etag }]);
  await completeUpload(place('target'), id, [part]);
  return text((await getObject(place('target'))).body!);
}

describe('copyPart', () => {
  it('copies the source or a range of it, whatever its name, and never lets storage read that name', async () => {
    const sent: unknown[] = [];
    s3.counter.before = async (_call, headers) => void sent.push(headers['x-amz-copy-source']);
    await put('a b', 'neighbour');
    for (const key of ['plain', 'a%20b', 'a+b', 'q?versionId=null', 'large/ö']) {
      await put(key, `content of ${key}`);
      expect(await copied(key)).toBe(`content of ${key}`);
      expect(await copied(key, { range: 'bytes=3-9' })).toBe('tent of');
    }
    await put('empty', '');
    expect(await copied('empty')).toBe('');
    expect(sent.filter((source) => source !== undefined)).toEqual([]);
  });

  it.each(['bytes=0-7', 'bytes=7-7', 'bytes=3-2'])('refuses the range %s of 7 bytes', async (range) => {
    await put('seven', '1234567');
    await expect(copied('seven', { range })).rejects.toMatchObject({ code: 'range_not_satisfiable' });
  });

  it('copies only from a source that meets the conditions', async () => {
    const { etag } = await put('source', 'content');
    const modified = (await headObject(place('source'))).headers['last-modified']!;
    const before = new Date(Date.parse(modified) - 1_000).toUTCString();
    const met: Partial<NewPartCopy>[] = [
      { sourceIfMatch: etag },
      { sourceIfMatch: etag.replaceAll('"', '') },
      { sourceIfMatch: '*' },
      { sourceIfMatch: `"x", ${etag}` },
      { sourceIfNoneMatch: '"x"' },
      { sourceIfModifiedSince: before },
      { sourceIfUnmodifiedSince: modified },
      { sourceIfMatch: etag, sourceIfUnmodifiedSince: before },
      { sourceIfNoneMatch: '"x"', sourceIfModifiedSince: modified },
    ];
    for (const given of met) expect([given, await copied('source', given)]).toEqual([given, 'content']);
    const unmet: Partial<NewPartCopy>[] = [
      { sourceIfMatch: '"x"' },
      { sourceIfNoneMatch: etag },
      { sourceIfNoneMatch: '*' },
      { sourceIfModifiedSince: modified },
      { sourceIfUnmodifiedSince: before },
    ];
    for (const given of unmet)
      await expect(copied('source', given).catch((error: unknown) => [given, error])).resolves.toEqual([
        given,
        expect.objectContaining({ code: 'precondition_failed' }),
      ]);
  });

  it('copies no other version than it looked at', async () => {
    for (const changed of ['new content', 'short']) {
      await put('changing', 'old content');
      s3.counter.before = async (call) => {
        if (!/^GET .*\/changing$/.test(call)) return;
        s3.counter.before = undefined;
        await put('changing', changed);
      };
      await expect(copied('changing', { range: 'bytes=6-10' })).rejects.toMatchObject({ code: 'conflict' });
    }
  });
});
