import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/policy/index/grants.ts';
import { createBucket } from '../../src/storage/buckets.ts';
import { listObjects } from '../../src/storage/listing.ts';
import { abortUpload, completeUpload, listParts, putPart, startUpload } from '../../src/storage/multipart.ts';
import { getObject } from '../../src/storage/object-read.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { itOnOtherStorage } from '../support/on-other-storage.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const MIB = 2 ** 20;
let s3: TestStorage;
let bucket: string;
beforeAll(async () => {
  s3 = await startStorage();
  bucket = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
});
afterAll(() => s3.close());

type UploadRef = { readonly bucket: string; readonly key: string; readonly id: string };
const start = async (key: string): Promise<UploadRef> => ({
  bucket,
  key,
  ...(await startUpload(withoutPolicy({ provider: s3.provider, bucket, key }), { contentType: 'text/css' })),
});
const send = (upload: UploadRef, number: number, content: Buffer, size = content.length) =>
  putPart(withoutPolicy({ provider: s3.provider, ...upload }), {
    id: upload.id,
    number,
    size,
    body: Readable.from([content]),
  });
const allKeys = async (): Promise<string[]> =>
  (
    await listObjects(withoutPolicy({ provider: s3.provider, bucket, prefix: '' }), { limit: 1000, grants: EVERYTHING })
  ).objects.map(({ key }) => key);

/** A body that stops in the middle, as of a client that goes away without a word. */
function bodyCutAt(bytes: number): Readable {
  const body = new PassThrough();
  for (let sent = 0; sent < bytes; sent += 64 * 1024) body.write(Buffer.alloc(Math.min(64 * 1024, bytes - sent)));
  setTimeout(() => body.destroy(new Error('aborted')), 5);
  return body;
}

describe('multipart uploads', () => {
  it('join the parts that arrived, in whatever order, sent twice or not', async () => {
    const upload = await start('joined ü+%');
    const first = Buffer.alloc(5 * MIB, 'a');
    await send(upload, 2, Buffer.from('the end'));
    await send(upload, 1, Buffer.alloc(5 * MIB, 'x'));
    const again = await send(upload, 1, first);
    expect(await listParts(withoutPolicy({ provider: s3.provider, ...upload }), upload.id)).toEqual([
      { number: 1, size: first.length, etag: again.etag, lastModified: expect.stringMatching(/^\d{4}-.*Z$/) },
      { number: 2, size: 7, etag: expect.stringMatching(/^"\w+"$/), lastModified: expect.any(String) },
    ]);
    expect(await allKeys()).not.toContain(upload.key);

    expect(
      (
        await completeUpload(
          withoutPolicy({ provider: s3.provider, ...upload }),
          upload.id,
          await listParts(withoutPolicy({ provider: s3.provider, ...upload }), upload.id),
        )
      ).etag,
    ).toMatch(/^".+"$/);
    const { body, headers } = await getObject(withoutPolicy({ provider: s3.provider, ...upload }));
    expect(headers['content-type']).toBe('text/css');
    expect(Buffer.compare(await buffer(body!), Buffer.concat([first, Buffer.from('the end')]))).toBe(0);
    expect(await s3.openUploads(bucket)).toEqual([]);
  });

  it('belong to their own key: the id is not found with any other', async () => {
    const upload = await start('mine');
    await send(upload, 1, Buffer.from('x'));
    for (const other of [
      { ...upload, key: 'mine2' },
      { ...upload, key: 'min' },
      { ...upload, id: 'no-such-upload' },
    ]) {
      await expect(listParts(withoutPolicy({ provider: s3.provider, ...other }), other.id)).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(send(other, 1, Buffer.from('y'))).rejects.toMatchObject({ code: 'not_found' });
      await expect(
        completeUpload(withoutPolicy({ provider: s3.provider, ...other }), other.id, [{ number: 1, etag: '"x"' }]),
      ).rejects.toMatchObject({ code: 'not_found' });
      await abortUpload(withoutPolicy({ provider: s3.provider, ...other }), other.id);
    }
    expect(await listParts(withoutPolicy({ provider: s3.provider, ...upload }), upload.id)).toHaveLength(1);
    await abortUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id);
  });

  it('are dropped with their parts, and may be dropped twice', async () => {
    const upload = await start('dropped');
    await send(upload, 1, Buffer.from('x'));
    await abortUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id);
    await abortUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id);
    await expect(listParts(withoutPolicy({ provider: s3.provider, ...upload }), upload.id)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await s3.openUploads(bucket)).toEqual([]);
  });

  it('cannot be completed without a part', async () => {
    const upload = await start('empty');
    await expect(
      completeUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id, []),
    ).rejects.toMatchObject({ code: 'invalid_request', detail: 'no part is named; name those to join' });
    await abortUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id);
  });

  it('are joined from exactly the parts that are named, and refused with their numbers where some are not there', async () => {
    const upload = await start('exact');
    const sent = await Promise.all(
      [1, 2, 3].map((number) => send(upload, number, Buffer.alloc(number === 3 ? 3 : 5 * MIB, String(number)))),
    );
    const [first, second, third] = sent as [(typeof sent)[0], (typeof sent)[0], (typeof sent)[0]];
    const fails = (parts: readonly { number: number; etag: string }[]) =>
      expect(completeUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id, parts)).rejects;
    await fails([first, { ...second, etag: first.etag }, third]).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining(': 2;'),
      members: { parts: [2] },
    });
    await fails([first, second, { ...third, number: 4 }, { ...third, number: 7 }]).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining(': 4, 7;'),
      members: { parts: [4, 7] },
    });
    await fails([first, first]).toMatchObject({ code: 'invalid_request', detail: 'part 1 is named twice' });
    expect(await listParts(withoutPolicy({ provider: s3.provider, ...upload }), upload.id)).toHaveLength(3);
    s3.counter.reset();
    expect(
      await completeUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id, [third, first]),
    ).toMatchObject({ size: 5 * MIB + 3 });
    expect(s3.counter.calls.filter((call) => call.startsWith('GET'))).toEqual([]);
    const content = await buffer((await getObject(withoutPolicy({ provider: s3.provider, ...upload }))).body!);
    expect(Buffer.compare(content, Buffer.concat([Buffer.alloc(5 * MIB, '1'), Buffer.from('333')]))).toBe(0);
  });

  it('stay joined when the answer was lost and they are asked for again, and are not found where another object stands', async () => {
    const upload = await start('answer lost');
    const parts = [await send(upload, 1, Buffer.alloc(5 * MIB, 'l')), await send(upload, 2, Buffer.from('ost'))];
    const joined = await completeUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id, parts);
    expect(await completeUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id, parts)).toEqual(joined);
    await expect(
      completeUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id, parts.slice(0, 1)),
    ).rejects.toMatchObject({ code: 'not_found', detail: 'there is no such upload of this key; start a new one' });
    await putObject(withoutPolicy({ provider: s3.provider, ...upload }), Readable.from(['another']));
    await expect(
      completeUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id, parts),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('take no part that was cut off, stopped, or of another length', async () => {
    const upload = await start('cut');
    const stop = new AbortController();
    const held = new PassThrough();
    held.write(Buffer.alloc(MIB));
    setTimeout(() => stop.abort(), 20);
    const stopped = putPart(
      withoutPolicy({ provider: s3.provider, ...upload }),
      { id: upload.id, number: 3, size: 6 * MIB, body: held },
      { signal: stop.signal },
    );
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    await expect(
      putPart(withoutPolicy({ provider: s3.provider, ...upload }), {
        id: upload.id,
        number: 1,
        size: 6 * MIB,
        body: bodyCutAt(2 * MIB),
      }),
    ).rejects.toThrow();
    await expect(send(upload, 1, Buffer.alloc(MIB), 2 * MIB)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(send(upload, 2, Buffer.alloc(MIB), MIB - 1)).rejects.toMatchObject({ code: 'invalid_request' });
    await sleep(50);
    expect(await listParts(withoutPolicy({ provider: s3.provider, ...upload }), upload.id)).toEqual([]);
    await abortUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id);
  });

  it('list more parts than storage gives at once', async () => {
    const upload = await start('many');
    const count = s3.isS3rver ? 5 : 1005;
    const numbers = Array.from({ length: count }, (_, i) => i + 1).values();
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (const number of numbers) await send(upload, number, Buffer.from('x'));
      }),
    );
    expect(
      (await listParts(withoutPolicy({ provider: s3.provider, ...upload }), upload.id)).map(({ number }) => number),
    ).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    await abortUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id);
  });

  itOnOtherStorage('are not joined when one before the last is too small', async () => {
    const upload = await start('small');
    for (const number of [1, 2]) await send(upload, number, Buffer.from('x'));
    await expect(
      completeUpload(
        withoutPolicy({ provider: s3.provider, ...upload }),
        upload.id,
        await listParts(withoutPolicy({ provider: s3.provider, ...upload }), upload.id),
      ),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    await abortUpload(withoutPolicy({ provider: s3.provider, ...upload }), upload.id);
  });
});

describe('a client that goes away in the middle of an upload', () => {
  it('leaves no object and no upload, and what was there stays', async () => {
    await putObject(withoutPolicy({ provider: s3.provider, bucket, key: 'gone/0' }), Readable.from(['before']));
    const rounds = Array.from({ length: 50 }, (_, i) => i).values();
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (const i of rounds) {
          const signal = i % 3 === 0 ? AbortSignal.timeout(10 + i) : undefined;
          const contentLength = i % 2 === 0 ? 20 * MIB : undefined;
          const body = bodyCutAt([1, MIB, 6 * MIB, 11 * MIB, 16 * MIB][i % 5]!);
          await expect(
            putObject(withoutPolicy({ provider: s3.provider, bucket, key: `gone/${i}` }), body, {
              contentLength,
              signal,
            }),
          ).rejects.toThrow();
        }
      }),
    );
    await sleep(100);
    expect((await allKeys()).filter((key) => key.startsWith('gone/'))).toEqual(['gone/0']);
    expect(await s3.openUploads(bucket)).toEqual([]);
    expect(
      (
        await buffer((await getObject(withoutPolicy({ provider: s3.provider, bucket, key: 'gone/0' }))).body!)
      ).toString(),
    ).toBe('before');
  });
});
