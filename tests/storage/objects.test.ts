import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/policy/index/grants.ts';
import { createBucket } from '../../src/storage/buckets.ts';
import { listObjects } from '../../src/storage/listing.ts';
import { completeUpload, putPart, startUpload } from '../../src/storage/multipart.ts';
import { copyObject, moveObject } from '../../src/storage/object-copy.ts';
import { deleteObject, deleteObjects } from '../../src/storage/object-delete.ts';
import { getObject, headObject } from '../../src/storage/object-read.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { Storage } from '../../src/storage/storage.ts';
import { itOnOtherStorage } from '../support/on-other-storage.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';
import { KEYS_FOR_REAL_STORAGE, ODD_KEYS } from './keys.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

let s3: TestStorage;
let bucket: string;
let keys: string[];
beforeAll(async () => {
  s3 = await startStorage();
  bucket = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
  keys = s3.isS3rver ? ODD_KEYS : [...ODD_KEYS, ...KEYS_FOR_REAL_STORAGE];
});
afterAll(() => s3.close());

const put = (key: string, content: string | Buffer, options: Parameters<typeof putObject>[2] = {}) =>
  putObject(withoutPolicy({ provider: s3.provider, bucket, key }), Readable.from([Buffer.from(content)]), {
    contentLength: Buffer.byteLength(content),
    ...options,
  });
const read = async (key: string, conditions = {}) => {
  const { status, headers, body } = await getObject(withoutPolicy({ provider: s3.provider, bucket, key }), conditions);
  return { status, headers, text: body === undefined ? undefined : await text(body) };
};
const place = (key: string) => ({ provider: s3.provider, bucket, key });
const allKeys = async (): Promise<string[]> =>
  (
    await listObjects(withoutPolicy({ provider: s3.provider, bucket, prefix: '' }), { limit: 1000, grants: EVERYTHING })
  ).objects.map(({ key }) => key);

describe('keys', () => {
  it('go to storage byte for byte: written, read, headed, copied, listed and deleted', async () => {
    for (const key of keys) {
      await put(key, `content of ${key}`);
      expect(await read(key)).toMatchObject({ status: 200, text: `content of ${key}` });
      expect((await headObject(withoutPolicy({ provider: s3.provider, bucket, key }))).headers['content-length']).toBe(
        String(Buffer.byteLength(`content of ${key}`)),
      );
      await copyObject(withoutPolicy(place(key)), withoutPolicy(place('the copy')));
      expect((await read('the copy')).text).toBe(`content of ${key}`);
    }
    expect(new Set(await allKeys())).toEqual(new Set([...keys, 'the copy']));

    const half = Math.floor(keys.length / 2);
    for (const key of keys.slice(0, half)) await deleteObject(withoutPolicy({ provider: s3.provider, bucket, key }));
    expect(new Set(await allKeys())).toEqual(new Set([...keys.slice(half), 'the copy']));
    const { deleted, failed } = await deleteObjects(
      withoutPolicy({ provider: s3.provider, bucket, keys: [...keys, 'the copy'] }),
    );
    expect({ deleted, failed }).toEqual({ deleted: [...keys, 'the copy'], failed: [] });
    expect(await allKeys()).toEqual([]);
  });
});

describe('getObject', () => {
  beforeAll(() => put('digits', '0123456789', { contentType: 'text/plain; charset=utf-8' }));

  it('gives the headers that a client needs, and no other', async () => {
    const { headers } = await read('digits');
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '10',
      etag: '"781e5e245d69b566979b86e28d23f2c7"',
      'accept-ranges': 'bytes',
    });
    expect(headers['last-modified']).toMatch(/ GMT$/);
    expect(Object.keys(headers).filter((name) => name.startsWith('x-'))).toEqual([]);
  });

  it('gives one range, and ignores what is not one', async () => {
    expect(await read('digits', { range: 'bytes=2-4' })).toMatchObject({
      status: 206,
      text: '234',
      headers: { 'content-range': 'bytes 2-4/10', 'content-length': '3' },
    });
    expect(await read('digits', { range: 'bytes=7-' })).toMatchObject({ status: 206, text: '789' });
    for (const range of ['bytes=0-1,4-5', 'bytes=5-3', 'bytes=-', 'bytes=a-b', 'lines=1-2', 'bytes=1-2x', '']) {
      expect(await read('digits', { range })).toMatchObject({ status: 200, text: '0123456789' });
    }
    await expect(read('digits', { range: 'bytes=10-' })).rejects.toMatchObject({ code: 'range_not_satisfiable' });
  });

  itOnOtherStorage('gives the end of an object', async () => {
    expect(await read('digits', { range: 'bytes=-3' })).toMatchObject({ status: 206, text: '789' });
  });

  it('gives the whole object when a range was meant for another version', async () => {
    const { headers } = await read('digits');
    expect(await read('digits', { range: 'bytes=2-4', ifRange: headers.etag })).toMatchObject({
      status: 206,
      text: '234',
    });
    expect(await read('digits', { range: 'bytes=2-4', ifRange: headers['last-modified'] })).toMatchObject({
      status: 200,
    });
  });

  itOnOtherStorage('gives the whole object when it has another ETag than the range was meant for', async () => {
    expect(await read('digits', { range: 'bytes=2-4', ifRange: '"other"' })).toMatchObject({
      status: 200,
      text: '0123456789',
    });
  });

  it('answers 304 when the client has it already', async () => {
    const { etag, 'last-modified': time } = (await read('digits')).headers;
    expect(await read('digits', { ifNoneMatch: etag })).toMatchObject({ status: 304, text: undefined });
    expect(await read('digits', { ifNoneMatch: '"other"' })).toMatchObject({ status: 200 });
    expect(await read('digits', { ifModifiedSince: time })).toMatchObject({ status: 304 });
    expect(await read('digits', { ifModifiedSince: 'Thu, 01 Jan 1970 00:00:00 GMT' })).toMatchObject({ status: 200 });
    expect(await read('digits', { ifModifiedSince: 'yesterday' })).toMatchObject({ status: 200 });
    expect(await read('digits', { ifNoneMatch: '"other"', ifModifiedSince: time })).toMatchObject({ status: 200 });
    expect(
      await headObject(withoutPolicy({ provider: s3.provider, bucket, key: 'digits' }), { ifNoneMatch: etag }),
    ).toMatchObject({ status: 304 });
  });

  it('answers not_found for a missing key and for a missing bucket', async () => {
    await expect(read('missing')).rejects.toMatchObject({ code: 'not_found', detail: 'there is no such object' });
    await expect(headObject(withoutPolicy({ provider: s3.provider, bucket, key: 'missing' }))).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(
      getObject(withoutPolicy({ provider: s3.provider, bucket: 'svc-no-such-bucket', key: 'x' })),
    ).rejects.toMatchObject({ code: 'not_found', detail: 'there is no such bucket' });
  });

  it('closes its connection to storage when the body is dropped', async () => {
    await put('large', Buffer.alloc(8 * 2 ** 20));
    for (let i = 0; i < 5; i++) {
      const { body } = await getObject(withoutPolicy({ provider: s3.provider, bucket, key: 'large' }));
      if (i % 2 === 0) for await (const _ of body!) break;
      body!.destroy();
    }
    expect((await read('digits')).text).toBe('0123456789');
  });
});

describe('putObject', () => {
  it('keeps the content type, and refuses one that is none', async () => {
    await put('page', '<p>', { contentType: 'text/html' });
    expect((await read('page')).headers['content-type']).toBe('text/html');
    for (const contentType of ['text/plain\r\nx-amz-acl: public-read', 'ß'.repeat(4), ''])
      await expect(put('page', 'x', { contentType })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('takes what has no type for application/octet-stream, whichever way it is written', async () => {
    await put('untyped', 'x');
    await put('untyped/streamed', Buffer.alloc(2 * 2 ** 20));
    await put('untyped/parts', Buffer.alloc(9 * 2 ** 20), { contentLength: undefined });
    const { id } = await startUpload(withoutPolicy(place('untyped/joined')));
    const part = await putPart(withoutPolicy(place('untyped/joined')), {
      id,
      number: 1,
      size: 1,
      body: Readable.from([Buffer.from('x')]),
    });
    await completeUpload(withoutPolicy(place('untyped/joined')), id, [part]);
    for (const key of ['untyped', 'untyped/streamed', 'untyped/parts', 'untyped/joined'])
      expect([key, (await headObject(withoutPolicy(place(key)))).headers['content-type']]).toEqual([
        key,
        'application/octet-stream',
      ]);
  });

  it("writes bodies of no, of unknown and of many parts' length", async () => {
    const large = Buffer.alloc(11 * 2 ** 20, 'abcdefg');
    expect(await put('empty', '')).toEqual({ etag: '"d41d8cd98f00b204e9800998ecf8427e"' });
    await put('unknown', 'some', { contentLength: undefined });
    await putObject(withoutPolicy({ provider: s3.provider, bucket, key: 'parts' }), Readable.from([large]), {
      contentLength: large.length,
    });
    await putObject(withoutPolicy({ provider: s3.provider, bucket, key: 'parts, unknown' }), Readable.from([large]));
    expect((await read('empty')).text).toBe('');
    expect((await read('unknown')).text).toBe('some');
    for (const key of ['parts', 'parts, unknown'])
      expect(
        Buffer.compare(
          await buffer((await getObject(withoutPolicy({ provider: s3.provider, bucket, key }))).body!),
          large,
        ),
      ).toBe(0);
    expect(await s3.openUploads(bucket)).toEqual([]);
  });

  it('refuses to overwrite when told to, and leaves what is there', async () => {
    await put('mine', 'first', { ifNoneMatchAny: true });
    await expect(put('mine', 'second', { ifNoneMatchAny: true })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    expect((await read('mine')).text).toBe('first');
  });

  it('refuses a body of another length than announced, and leaves what was there', async () => {
    await put('kept', 'before');
    for (const [content, contentLength] of [
      ['short', 6],
      ['too long', 7],
      [Buffer.alloc(6 * 2 ** 20), 12 * 2 ** 20],
    ] as const) {
      await expect(put('kept', content, { contentLength })).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect((await read('kept')).text).toBe('before');
    expect(await s3.openUploads(bucket)).toEqual([]);
  });

  it('refuses what does not fit in parts, and a bucket that is not there', async () => {
    await expect(put('huge', '', { contentLength: 10 ** 12 })).rejects.toMatchObject({ code: 'payload_too_large' });
    await expect(
      putObject(withoutPolicy({ provider: s3.provider, bucket: 'svc-no-such-bucket', key: 'x' }), Readable.from(['x'])),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('deleteObject and deleteObjects', () => {
  it('count an object that is not there as deleted', async () => {
    await deleteObject(withoutPolicy({ provider: s3.provider, bucket, key: 'never was' }));
    expect(
      await deleteObjects(withoutPolicy({ provider: s3.provider, bucket, keys: ['never was', 'ctl\x01never'] })),
    ).toEqual({ deleted: ['never was', 'ctl\x01never'], failed: [] });
  });

  it('delete a thousand keys in one storage call, each once', async () => {
    const many = Array.from({ length: 999 }, (_, i) => `many/${i}`);
    await s3.plant(bucket, many);
    s3.counter.reset();
    const { deleted, failed } = await deleteObjects(
      withoutPolicy({ provider: s3.provider, bucket, keys: [...many, 'many/0'] }),
    );
    expect({ deleted, failed }).toEqual({ deleted: many, failed: [] });
    expect(s3.counter.calls).toHaveLength(1);
    expect((await allKeys()).filter((key) => key.startsWith('many/'))).toEqual([]);
  });

  it('answer not_found for a missing bucket', async () => {
    await expect(
      deleteObjects(withoutPolicy({ provider: s3.provider, bucket: 'svc-no-such-bucket', keys: ['x'] })),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('copyObject and moveObject', () => {
  it('copy within and across buckets with the content type, without downloading', async () => {
    const other = s3.bucketName();
    await createBucket(withoutPolicy({ provider: s3.provider, bucket: other }));
    await put('source', 'content', { contentType: 'text/css' });
    s3.counter.reset();
    await copyObject(withoutPolicy(place('source')), withoutPolicy({ ...place('target'), bucket: other }));
    expect(s3.counter.calls.filter((call) => call.startsWith('GET'))).toEqual([]);
    const target = await getObject(withoutPolicy({ provider: s3.provider, bucket: other, key: 'target' }));
    expect([target.headers['content-type'], await text(target.body!)]).toEqual(['text/css', 'content']);
  });

  it('copy between providers by streaming, with what is stored with the object', async () => {
    const other = new Storage([
      { ...s3.options, name: 'other', endpoint: s3.options.endpoint.replace('127.0.0.1', 'localhost') },
    ]).providers.provider('other');
    await putObject(withoutPolicy({ provider: s3.provider, bucket, key: 'rich' }), Readable.from(['rich']), {
      contentType: 'text/css',
      stored: { 'cache-control': 'no-store', 'x-amz-meta-color': 'red' },
    });
    await copyObject(withoutPolicy(place('rich')), withoutPolicy({ provider: other, bucket, key: 'rich/copy' }));
    const { headers, text: content } = await read('rich/copy');
    expect({ headers, content }).toMatchObject({
      headers: { 'content-type': 'text/css', 'cache-control': 'no-store', 'x-amz-meta-color': 'red' },
      content: 'rich',
    });
    expect((await headObject(withoutPolicy(place('rich/copy')))).headers['x-amz-meta-color']).toBe('red');
    await moveObject(withoutPolicy(place('rich')), withoutPolicy({ provider: other, bucket, key: 'rich/moved' }));
    expect((await read('rich/moved')).text).toBe('rich');
    await expect(read('rich')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('never delete an object that was moved on to itself, under whatever name its storage is known', async () => {
    const sameEndpoint = new Storage([{ ...s3.options, name: 'alias' }]).providers.provider('alias');
    const otherEndpoint = new Storage([
      { ...s3.options, name: 'alias2', endpoint: s3.options.endpoint.replace('127.0.0.1', 'localhost') },
    ]).providers.provider('alias2');
    await put('self', 'precious');
    await expect(moveObject(withoutPolicy(place('self')), withoutPolicy(place('self')))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(copyObject(withoutPolicy(place('self')), withoutPolicy(place('self')))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(
      moveObject(withoutPolicy(place('self')), withoutPolicy({ ...place('self'), provider: sameEndpoint })),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(
      moveObject(withoutPolicy(place('self')), withoutPolicy({ ...place('self'), provider: otherEndpoint })),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect((await read('self')).text).toBe('precious');
  });

  it('refuse to overwrite where that is asked, within a provider and between two, and keep the source', async () => {
    const other = new Storage([
      { ...s3.options, name: 'other', endpoint: s3.options.endpoint.replace('127.0.0.1', 'localhost') },
    ]).providers.provider('other');
    await put('taken', 'stays');
    await put('comes', 'content');
    for (const provider of [s3.provider, other]) {
      const target = { ...place('taken'), provider };
      for (const act of [copyObject, moveObject])
        await expect(
          act(withoutPolicy(place('comes')), withoutPolicy(target), { ifNoneMatchAny: true }),
        ).rejects.toMatchObject({ code: 'precondition_failed' });
    }
    expect([(await read('taken')).text, (await read('comes')).text]).toEqual(['stays', 'content']);
    await moveObject(withoutPolicy(place('comes')), withoutPolicy(place('free')), { ifNoneMatchAny: true });
    expect((await read('free')).text).toBe('content');
  });

  it('move, and keep the source when the copy fails', async () => {
    await put('from', 'content');
    await moveObject(withoutPolicy(place('from')), withoutPolicy(place('to')));
    expect((await read('to')).text).toBe('content');
    await expect(read('from')).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      moveObject(withoutPolicy(place('to')), withoutPolicy({ ...place('x'), bucket: 'svc-no-such-bucket' })),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(moveObject(withoutPolicy(place('from')), withoutPolicy(place('x')))).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await read('to')).text).toBe('content');
  });

  it('are read and written when their key has a question mark, behind which some storage looks for a version', async () => {
    const copied: (string | undefined)[] = [];
    s3.counter.before = async (_call, headers) => void copied.push(headers['x-amz-copy-source'] as string | undefined);
    await put('what', 'neighbour');
    for (const key of ['what?', 'what?.txt', 'what?versionId=null']) {
      await put(key, `content of ${key}`, { contentType: 'text/css', stored: { 'x-amz-meta-a': 'b' } });
      await copyObject(withoutPolicy(place(key)), withoutPolicy(place('what copy')));
      await moveObject(withoutPolicy(place(key)), withoutPolicy(place('what moved')));
      for (const target of ['what copy', 'what moved']) {
        const { text: content, headers } = await read(target);
        expect([content, headers['content-type']]).toEqual([`content of ${key}`, 'text/css']);
      }
      await expect(read(key)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(copied.filter((source) => source !== undefined)).toEqual([]);
    await copyObject(withoutPolicy(place('what')), withoutPolicy(place('what?')), { storageClass: 'STANDARD' });
    expect(copied.filter((source) => source !== undefined)).toHaveLength(1);
    s3.counter.before = undefined;
  });

  it('copy a large object in parts, or leave nothing behind', async () => {
    const content = randomBytes(12 * 2 ** 20);
    const [source, target, never] = [
      withoutPolicy(place('large/ö')),
      withoutPolicy(place('large copy')),
      withoutPolicy(place('never')),
    ];
    await put(source.key, content, { contentType: 'text/css' });
    const sizes = { single: 5 * 2 ** 20, part: 5 * 2 ** 20 };
    expect((await copyObject(source, target, {}, sizes)).etag).toMatch(/^".+-3"$/);
    const { headers, body } = await getObject(target);
    expect(headers['content-type']).toBe('text/css');
    expect(Buffer.compare(await buffer(body!), content)).toBe(0);
    s3.counter.before = async (call) => {
      if (!call.includes('partNumber')) return;
      s3.counter.before = undefined;
      await put(source.key, content.fill(1));
    };
    await expect(copyObject(source, never, {}, sizes)).rejects.toMatchObject({ code: 'conflict' });
    s3.counter.spoil = (call) => (call.includes('partNumber=3') ? { status: 416, code: 'InvalidRange' } : undefined);
    await expect(copyObject(source, never, {}, sizes)).rejects.toMatchObject({ code: 'conflict' });
    s3.counter.spoil = undefined;
    await expect(read('never')).rejects.toMatchObject({ code: 'not_found' });
    expect(await s3.openUploads(bucket)).toEqual([]);
  });

  it('copy a large object between providers in parts that are streamed, or leave nothing behind', async () => {
    const content = randomBytes(12 * 2 ** 20);
    const other = new Storage([
      { ...s3.options, name: 'other', endpoint: s3.options.endpoint.replace('127.0.0.1', 'localhost') },
    ]).providers.provider('other');
    const [source, target, never] = [
      withoutPolicy(place('through/%')),
      withoutPolicy({ ...place('through copy'), provider: other }),
      withoutPolicy({ ...place('never'), provider: other }),
    ];
    await put(source.key, content, { contentType: 'text/css', stored: { 'cache-control': 'no-store' } });
    const sizes = { single: 5 * 2 ** 20, part: 5 * 2 ** 20 };
    for (const to of [target, withoutPolicy(place('through copy'))]) {
      expect((await copyObject(source, to, {}, sizes)).etag).toMatch(/^".+-3"$/);
      const { headers, body } = await getObject(to);
      expect([headers['content-type'], headers['cache-control']]).toEqual(['text/css', 'no-store']);
      expect(Buffer.compare(await buffer(body!), content)).toBe(0);
    }
    for (const changed of [Buffer.alloc(content.length, 1), 'shrunk']) {
      await put(source.key, content);
      s3.counter.before = async (call) => {
        if (!call.includes('partNumber=2')) return;
        s3.counter.before = undefined;
        await put(source.key, changed);
      };
      await expect(copyObject(source, withoutPolicy(place('never')), {}, sizes)).rejects.toMatchObject({
        code: 'conflict',
      });
    }
    await expect(read('never')).rejects.toMatchObject({ code: 'not_found' });
    await expect(moveObject(source, never, { signal: AbortSignal.abort(new Error('gone')) }, sizes)).rejects.toThrow(
      'gone',
    );
    expect(await s3.openUploads(bucket)).toEqual([]);
  });
});
