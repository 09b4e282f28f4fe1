import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { codeOf } from '../../src/errors/svc-error.ts';
import { createBucket } from '../../src/storage/buckets.ts';
import { completeUpload, putPart, startUpload } from '../../src/storage/multipart.ts';
import { copyObject, moveObject } from '../../src/storage/object-copy.ts';
import { deleteObject } from '../../src/storage/object-delete.ts';
import { getObject, headObject } from '../../src/storage/object-read.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { readTags } from '../../src/storage/preserved-headers.ts';
import { Storage } from '../../src/storage/storage.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

/** Heeds `If-Match`. */
let strict: TestStorage;
/** Ignores every condition. */
let lax: TestStorage;
const bucket = 'svc-test-conditions';

beforeAll(async () => {
  strict = await startStorage({}, { heedsConditions: true, keepsTags: true });
  lax = await startStorage({ idleTimeoutMs: 60_000 });
  for (const { provider } of [strict, lax]) await createBucket(withoutPolicy({ provider, bucket }));
});
afterEach(() => {
  for (const { counter } of [strict, lax]) {
    counter.before = undefined;
    counter.spoil = undefined;
  }
});
afterAll(() => Promise.all([strict.close(), lax.close()]));

const place = ({ provider }: TestStorage, key: string) => ({ provider, bucket, key });
const put = ({ provider }: TestStorage, key: string, content: string, options: Parameters<typeof putObject>[2] = {}) =>
  putObject(withoutPolicy({ provider, bucket, key }), Readable.from([Buffer.from(content)]), {
    contentLength: Buffer.byteLength(content),
    ...options,
  });
const read = async ({ provider }: TestStorage, key: string) =>
  text((await getObject(withoutPolicy({ provider, bucket, key }))).body!);

/** Does something right before the first call that matches reaches storage. */
function justBefore({ counter }: TestStorage, pattern: RegExp, work: () => Promise<unknown>): void {
  counter.before = async (call) => {
    if (!pattern.test(call)) return;
    counter.before = undefined;
    await work();
  };
}

/** Somebody else who writes to the same storage, without this service. */
const overwrite = ({ provider }: TestStorage, key: string, content: string) =>
  provider.s3.send({ method: 'PUT', bucket, key, body: Buffer.from(content) });

describe('moveObject', () => {
  it('does not delete a version that was written after its last look, and says where both are', async () => {
    await put(strict, 'from', 'old');
    justBefore(strict, /^DELETE/, () => overwrite(strict, 'from', 'newer'));
    const places = new RegExp(`\`test/${bucket}/to\` now, and could not be deleted at \`test/${bucket}/from\``);
    await expect(
      moveObject(withoutPolicy(place(strict, 'from')), withoutPolicy(place(strict, 'to'))),
    ).rejects.toMatchObject({ code: 'conflict', detail: expect.stringMatching(places) });
    expect([await read(strict, 'from'), await read(strict, 'to')]).toEqual(['newer', 'old']);
  });

  it('does not delete a version that was written after the copy, where storage heeds no condition', async () => {
    await put(lax, 'seen', 'old');
    let isCopied = false;
    lax.counter.before = async (call) => {
      isCopied ||= /^PUT .*\/seen-moved/.test(call);
      if (!isCopied || !/^HEAD .*\/seen(?:\?|$)/.test(call)) return;
      lax.counter.before = undefined;
      await overwrite(lax, 'seen', 'newer');
    };
    await expect(
      moveObject(withoutPolicy(place(lax, 'seen')), withoutPolicy(place(lax, 'seen-moved'))),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect([await read(lax, 'seen'), await read(lax, 'seen-moved')]).toEqual(['newer', 'old']);
  });

  it('copies no other version than it looked at', async () => {
    await put(strict, 'changing', 'old');
    justBefore(strict, /^PUT .*\/changed/, () => overwrite(strict, 'changing', 'newer'));
    await expect(
      moveObject(withoutPolicy(place(strict, 'changing')), withoutPolicy(place(strict, 'changed'))),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(read(strict, 'changed')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('lets a write through this service wait, where storage heeds no condition', async () => {
    await put(lax, 'from', 'old');
    let writing: Promise<unknown> | undefined;
    justBefore(lax, /^DELETE/, () => Promise.race([(writing = put(lax, 'from', 'newer')), sleep(500)]));
    await moveObject(withoutPolicy(place(lax, 'from')), withoutPolicy(place(lax, 'to')));
    await writing;
    expect([await read(lax, 'from'), await read(lax, 'to')]).toEqual(['newer', 'old']);
  });

  it.each([
    ['refuses one', { status: 501, code: 'NotImplemented' }],
    ['misreads one', { status: 412, code: 'PreconditionFailed' }],
  ])('deletes without a condition where storage %s', async (name, fault) => {
    await put(strict, name, 'x');
    let deletes = 0;
    strict.counter.spoil = (call) => (call.startsWith('DELETE') && (deletes += 1) === 1 ? fault : undefined);
    await moveObject(withoutPolicy(place(strict, name)), withoutPolicy(place(strict, `${name} moved`)));
    await expect(read(strict, name)).rejects.toMatchObject({ code: 'not_found' });
    expect(deletes).toBe(2);
  });

  it('says where both are when the source cannot be deleted', async () => {
    await put(lax, 'kept', 'x');
    lax.counter.spoil = (call) => (call.startsWith('DELETE') ? 'busy' : undefined);
    await expect(
      moveObject(withoutPolicy(place(lax, 'kept')), withoutPolicy(place(lax, 'kept too'))),
    ).rejects.toMatchObject({
      code: 'storage_unavailable',
      detail: expect.stringContaining(
        `\`test/${bucket}/kept too\` now, and could not be deleted at \`test/${bucket}/kept\``,
      ),
    });
  });
});

describe('between providers', () => {
  it('an object moves to its own name, for they are two storages', async () => {
    await put(strict, 'own name', 'moved');
    // Storage tells versions of the same content apart by the second.
    await sleep(1_000);
    await moveObject(withoutPolicy(place(strict, 'own name')), withoutPolicy(place(lax, 'own name')));
    expect(await read(lax, 'own name')).toBe('moved');
    await expect(read(strict, 'own name')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('no new content goes with what was stored with the old, whether or not storage heeds conditions', async () => {
    for (const [from, to] of [
      [strict, lax],
      [lax, strict],
    ] as const) {
      await put(from, 'mixed', 'old', { contentType: 'text/old' });
      justBefore(from, /^GET .*\/mixed$/, () => overwrite(from, 'mixed', 'newer'));
      await expect(
        copyObject(withoutPolicy(place(from, 'mixed')), withoutPolicy(place(to, 'mixed copy'))),
      ).rejects.toMatchObject({ code: 'conflict' });
      await expect(read(to, 'mixed copy')).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('tags and `Expires` are carried', async () => {
    const alias = new Storage([
      { ...strict.options, name: 'alias', endpoint: strict.options.endpoint.replace('127.0.0.1', 'localhost') },
    ]).providers.provider('alias');
    const stored = { 'x-amz-tagging': 'a%20b=1&c=%26', expires: 'Wed, 01 Jan 2031 00:00:00 GMT' };
    await put(strict, 'tagged', 'x', { stored });
    await moveObject(
      withoutPolicy(place(strict, 'tagged')),
      withoutPolicy({ provider: alias, bucket, key: 'tagged/moved' }),
    );
    // A copy may lack what its storage does not keep; a move would lose it.
    await copyObject(withoutPolicy(place(strict, 'tagged/moved')), withoutPolicy(place(lax, 'tagged/copy')));
    await expect(
      moveObject(withoutPolicy(place(strict, 'tagged/moved')), withoutPolicy(place(lax, 'tagged/lost'))),
    ).rejects.toMatchObject({ code: 'conflict', detail: expect.stringContaining('did not keep its tags') });
    expect(await read(strict, 'tagged/moved')).toBe('x');
    const { headers } = await lax.provider.s3.send({ method: 'HEAD', bucket, key: 'tagged/copy' });
    expect(headers['expires']).toBe('Wed, 01 Jan 2031 00:00:00 GMT');
  });
});

describe('getObject', () => {
  const OTHER = '"of another version"';

  it('answers with the whole object to an `If-Range` of another version, whether or not storage heeds conditions', async () => {
    for (const at of [strict, lax]) {
      const { etag } = await put(at, 'ranged', '0123456789');
      const ranged = async (ifRange: string, range: string) => {
        const { status, body } = await getObject(withoutPolicy(place(at, 'ranged')), { range, ifRange });
        return [status, await text(body!)];
      };
      expect(await ranged(OTHER, 'bytes=2-3')).toEqual([200, '0123456789']);
      expect(await ranged(OTHER, 'bytes=20-30')).toEqual([200, '0123456789']);
      expect(await ranged(etag, 'bytes=2-3')).toEqual([206, '23']);
      await expect(ranged(etag, 'bytes=20-30')).rejects.toMatchObject({ code: 'range_not_satisfiable' });
    }
  });

  it('reads no other version than the required one, whether or not storage heeds conditions', async () => {
    for (const at of [strict, lax]) {
      await put(at, 'required', 'x');
      await expect(getObject(withoutPolicy(place(at, 'required')), { ifMatch: OTHER })).rejects.toMatchObject({
        code: 'precondition_failed',
      });
    }
  });
});

describe('writes to storage that takes none with a condition, such as Swift', () => {
  beforeEach(() => {
    let isConditional = false;
    lax.counter.before = async (_call, headers) => {
      isConditional = headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
    };
    lax.counter.spoil = (call) =>
      call.startsWith('PUT') && isConditional ? { status: 501, code: 'NotImplemented' } : undefined;
  });
  const refused = { code: 'precondition_failed' };

  it.each([
    ['small', 'x'],
    ['streamed', 'x'.repeat(2 * 2 ** 20)],
  ])('heed it all the same, when storage has said so once: %s', async (name, content) => {
    const key = `unconditional ${name}`;
    const store = (options: Parameters<typeof putObject>[2]) => put(lax, key, content, options);
    // What has been sent of a large body cannot be sent again.
    if (name === 'streamed')
      await expect(store({ ifNoneMatchAny: true })).rejects.toMatchObject({
        code: 'storage_unavailable',
        detail: expect.stringContaining('try again'),
      });
    const { etag } = await store({ ifNoneMatchAny: true });
    await expect(store({ ifNoneMatchAny: true })).rejects.toMatchObject(refused);
    await expect(store({ ifMatch: '"of another version"' })).rejects.toMatchObject(refused);
    for (const ifMatch of [etag, '*']) await store({ ifMatch });
    expect(await read(lax, key)).toBe(content);
    const copied = (to: string) =>
      copyObject(withoutPolicy(place(lax, key)), withoutPolicy(place(lax, to)), { ifNoneMatchAny: true });
    await copied(`${key} copy`);
    await expect(copied(`${key} copy`)).rejects.toMatchObject(refused);
  });

  it('heed it also when several of them find out at once', async () => {
    const fresh = await startStorage({ idleTimeoutMs: 60_000 });
    await createBucket(withoutPolicy({ provider: fresh.provider, bucket }));
    const { promise: bothCame, resolve: came } = Promise.withResolvers<undefined>();
    const answered: unknown[] = [];
    let conditional = 0;
    fresh.counter.before = async (call, headers) => {
      if (!call.startsWith('PUT') || headers['if-none-match'] === undefined) return;
      if ((conditional += 1) === 2) came(undefined);
      await bothCame;
    };
    fresh.counter.spoil = (call) =>
      call.startsWith('PUT') && conditional > answered.length ? { status: 501, code: 'NotImplemented' } : undefined;
    const store = (key: string) => put(fresh, key, 'x'.repeat(2 * 2 ** 20), { ifNoneMatchAny: true });
    const keys = ['a', 'b'];
    await Promise.all(keys.map((key) => store(key).catch((error: unknown) => answered.push(codeOf(error)))));
    expect(answered).toEqual(['storage_unavailable', 'storage_unavailable']);
    for (const key of keys) await store(key);
    expect(conditional).toBe(2);
    await fresh.close();
  });

  it('keep their condition where storage refused another one for another reason', async () => {
    const fresh = await startStorage({ idleTimeoutMs: 60_000 });
    await createBucket(withoutPolicy({ provider: fresh.provider, bucket }));
    const conditions: unknown[] = [];
    let isRefused = false;
    fresh.counter.before = async (call, headers) => {
      if (!call.startsWith('PUT')) return;
      conditions.push(headers['if-none-match']);
      isRefused = headers['x-amz-storage-class'] !== undefined;
    };
    fresh.counter.spoil = (call) =>
      call.startsWith('PUT') && isRefused ? { status: 501, code: 'NotImplemented' } : undefined;
    const store = (key: string, stored: Readonly<Record<string, string>> = {}) =>
      put(fresh, key, 'x'.repeat(2 * 2 ** 20), { ifNoneMatchAny: true, stored }).catch(codeOf);
    const cold = { 'x-amz-storage-class': 'GLACIER' };
    expect(await store('cold', cold)).toBe('storage_unavailable');
    for (const key of ['warm', 'cold']) await store(key);
    expect(conditions).toEqual(['*', '*', '*']);
    expect([await store('colder', cold), await store('colder', cold)]).toEqual([
      'storage_unavailable',
      'not_supported',
    ]);
    await store('warmer');
    expect(conditions.slice(3)).toEqual(['*', undefined, '*']);
    await fresh.close();
  });

  it('say what storage refuses when that is not the condition', async () => {
    lax.counter.spoil = (call) => (call.startsWith('PUT') ? { status: 501, code: 'NotImplemented' } : undefined);
    const codes: unknown[] = [];
    for (let i = 0; i < 2; i += 1)
      codes.push(await put(lax, 'refused', 'x'.repeat(2 * 2 ** 20), { ifNoneMatchAny: true }).catch(codeOf));
    expect(codes).toContain('not_supported');
  });
});

describe('writes that may not overwrite', () => {
  const LARGE = 'x'.repeat(2 * 2 ** 20);
  const refused = { status: 'rejected', reason: { code: 'precondition_failed' } };

  it.each([
    ['small', (key: string, i: number) => put(lax, key, `${i}`, { ifNoneMatchAny: true })],
    ['streamed', (key: string, i: number) => put(lax, key, `${i}${LARGE}`, { ifNoneMatchAny: true })],
    [
      'of unknown length',
      (key: string, i: number) => put(lax, key, `${i}`, { contentLength: undefined, ifNoneMatchAny: true }),
    ],
    [
      'copied',
      (key: string, i: number) =>
        copyObject(withoutPolicy(place(lax, `source ${i}`)), withoutPolicy(place(lax, key)), { ifNoneMatchAny: true }),
    ],
    [
      'joined from parts',
      async (key: string, i: number) => {
        const upload = { bucket, key, ...(await startUpload(withoutPolicy({ provider: lax.provider, bucket, key }))) };
        const part = await putPart(withoutPolicy({ provider: lax.provider, ...upload }), {
          id: upload.id,
          number: 1,
          size: 1,
          body: Readable.from([Buffer.from(`${i}`)]),
        });
        return completeUpload(withoutPolicy({ provider: lax.provider, ...upload }), upload.id, [part], {
          ifNoneMatchAny: true,
        });
      },
    ],
  ])('come about once for a key, however many are %s at a time', async (name, write) => {
    for (let i = 0; i < 4; i += 1) await put(lax, `source ${i}`, `${i}`);
    const key = `once ${name}`;
    const ends = await Promise.allSettled([0, 1, 2, 3].map((i) => write(key, i)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(ends.filter(({ status }) => status === 'rejected')).toMatchObject([refused, refused, refused]);
    expect((await read(lax, key))[0]).toBe(String(ends.findIndex(({ status }) => status === 'fulfilled')));
  });

  it('hold nobody up while their client is slow, and are refused then', async () => {
    const body = new PassThrough();
    const slow = putObject(withoutPolicy({ provider: lax.provider, bucket, key: 'slow' }), body, {
      contentLength: LARGE.length,
      ifNoneMatchAny: true,
    });
    const refusal = expect(slow).rejects.toMatchObject({ code: 'precondition_failed' });
    body.write(LARGE.slice(1));
    await put(lax, 'slow', 'fast', { ifNoneMatchAny: true });
    body.end('x');
    await refusal;
    expect(await read(lax, 'slow')).toBe('fast');
  });

  it('give their turn back when the client leaves', async () => {
    const puts = { isHeld: false };
    lax.counter.spoil = (call) => {
      if (!call.startsWith('PUT') || puts.isHeld) return undefined;
      puts.isHeld = true;
      return 'hold';
    };
    const [held, waiting] = [new AbortController(), new AbortController()];
    const first = put(lax, 'left', 'first', { ifNoneMatchAny: true, signal: held.signal }).catch(() => 'gone');
    while (!puts.isHeld) await sleep(5);
    const second = put(lax, 'left', 'second', { ifNoneMatchAny: true, signal: waiting.signal }).catch(() => 'gone');
    const third = put(lax, 'left', 'third', { ifNoneMatchAny: true });
    waiting.abort();
    expect(await second).toBe('gone');
    held.abort();
    expect(await first).toBe('gone');
    await third;
    expect(
      (await headObject(withoutPolicy({ provider: lax.provider, bucket, key: 'left' }))).headers['content-length'],
    ).toBe('5');
    expect(await read(lax, 'left')).toBe('third');
  });

  it('give their turn back when storage cuts them off before it has come', async () => {
    const object = { bucket, key: 'cut off' };
    const endTurn = await lax.provider.keyLocks.acquire(lax.provider, object);
    lax.counter.spoil = () => 'cut';
    const half = Buffer.alloc(LARGE.length / 2);
    await expect(
      putObject(withoutPolicy({ provider: lax.provider, ...object }), Readable.from([half, half]), {
        contentLength: LARGE.length,
      }),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });
    lax.counter.spoil = undefined;
    endTurn();
    await put(lax, object.key, 'next', { signal: AbortSignal.timeout(5_000) });
    expect(await read(lax, object.key)).toBe('next');
  });
});

describe('writes over one version', () => {
  const LARGE = 'x'.repeat(2 * 2 ** 20);
  const inParts = 'y'.repeat(9 * 2 ** 20);
  type Options = NonNullable<Parameters<typeof putObject>[2]>;
  const join = async (at: TestStorage, key: string, content: string, options: Options) => {
    const object = withoutPolicy(place(at, key));
    const { id } = await startUpload(object);
    const body = Readable.from([Buffer.from(content)]);
    const part = await putPart(object, { id, number: 1, size: Buffer.byteLength(content), body });
    await completeUpload(object, id, [part], options);
  };
  const ways: [
    string,
    string,
    (at: TestStorage, key: string, content: string, options: Options) => Promise<unknown>,
  ][] = [
    ['small', 'new', put],
    ['streamed', LARGE, put],
    [
      'of unknown length',
      'new',
      (at, key, content, rest) => put(at, key, content, { contentLength: undefined, ...rest }),
    ],
    [
      'sent in parts',
      inParts,
      (at, key, content, rest) => put(at, key, content, { contentLength: undefined, ...rest }),
    ],
    ['joined', 'new', join],
  ];

  it.each(ways)('replace that one alone, and nothing that is not there, when %s', async (name, content, write) => {
    for (const at of [strict, lax]) {
      for (const form of [(etag: string) => etag, (etag: string) => etag.replaceAll('"', ''), () => '*']) {
        const { etag } = await put(at, name, 'old');
        await write(at, name, content, { ifMatch: form(etag) });
        expect(await read(at, name)).toBe(content);
      }
      await put(at, name, 'old');
      await expect(write(at, name, content, { ifMatch: '"other"' })).rejects.toMatchObject({
        code: 'precondition_failed',
      });
      expect(await read(at, name)).toBe('old');
      for (const ifMatch of ['*', '"other"'])
        await expect(write(at, `${name} none`, content, { ifMatch })).rejects.toMatchObject({
          code: 'not_found',
          detail: expect.stringContaining('no object with this key to replace'),
        });
      await expect(read(at, `${name} none`)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it.each(ways)('of several at once, one does, when %s', async (name, content, write) => {
    const { etag } = await put(lax, name, 'old');
    const ends = await Promise.allSettled([1, 2, 3].map((i) => write(lax, name, `${i}${content}`, { ifMatch: etag })));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = ends.findIndex(({ status }) => status === 'fulfilled') + 1;
    expect((await read(lax, name)).slice(0, 1)).toBe(String(winner));
  });

  it.each([
    ['misreads the ETag without quotes', 1, { status: 412, code: 'PreconditionFailed' }],
    ['misreads every ETag', 2, { status: 412, code: 'PreconditionFailed' }],
    ['refuses conditions', 2, { status: 501, code: 'NotImplemented' }],
  ])('are sent again where storage %s', async (name, spoilt, fault) => {
    for (const write of [put, join]) {
      const { etag } = await put(strict, name, 'old');
      let sent = 0;
      strict.counter.spoil = (call) =>
        /^(?:PUT [^?]*$|POST .*uploadId)/.test(call) && (sent += 1) <= spoilt ? fault : undefined;
      await write(strict, name, 'new', { ifMatch: etag });
      strict.counter.spoil = undefined;
      expect([sent, await read(strict, name)]).toEqual([spoilt + 1, 'new']);
    }
  });
});

describe('a copy', () => {
  it.each([
    ['at once', undefined],
    ['in parts', { single: 0, part: 5 * 2 ** 20 }],
  ])('replaces only the version that it names, from a source that meets the conditions, %s', async (name, sizes) => {
    for (const at of [strict, lax]) {
      const [from, to] = [withoutPolicy(place(at, `${name} from`)), withoutPolicy(place(at, `${name} to`))];
      const { etag: source } = await put(at, from.key, 'new');
      await expect(copyObject(from, to, { ifMatch: '*' }, sizes)).rejects.toMatchObject({ code: 'not_found' });
      const { etag } = await put(at, to.key, 'old');
      for (const unmet of [{ ifMatch: source }, { sourceIfMatch: etag }, { sourceIfNoneMatch: '*' }])
        await expect(copyObject(from, to, unmet, sizes)).rejects.toMatchObject({ code: 'precondition_failed' });
      expect(await read(at, to.key)).toBe('old');
      const copied = await copyObject(from, to, { ifMatch: etag, sourceIfMatch: source }, sizes);
      expect(copied).toEqual({ etag: expect.any(String), lastModified: expect.stringMatching(/^\d{4}-.*Z$/) });
      expect(await read(at, to.key)).toBe('new');
    }
  });

  it('copies no other version than met the conditions', async () => {
    const { etag } = await put(strict, 'source', 'old');
    justBefore(strict, /^PUT .*\/of-source/, () => overwrite(strict, 'source', 'newer'));
    await expect(
      copyObject(withoutPolicy(place(strict, 'source')), withoutPolicy(place(strict, 'of-source')), {
        sourceIfMatch: etag,
      }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('says that the copy is of another version than met the conditions, where storage heeds none', async () => {
    for (const replace of [undefined, { stored: {} }]) {
      const { etag } = await put(lax, 'source', 'old');
      justBefore(lax, /^PUT .*\/of-source/, () => put(lax, 'source', 'newer'));
      await expect(
        copyObject(withoutPolicy(place(lax, 'source')), withoutPolicy(place(lax, 'of-source')), {
          sourceIfMatch: etag,
          replace,
        }),
      ).rejects.toMatchObject({ code: 'conflict', detail: expect.stringContaining(`\`test/${bucket}/of-source\``) });
    }
  });

  it.each([
    ['at once', undefined],
    ['in parts', { single: 0, part: 5 * 2 ** 20 }],
  ])('gets other headers than its source, also when it is the source, %s', async (name, sizes) => {
    const stored = { 'x-amz-meta-old': 'x', 'cache-control': 'no-store' };
    const from = withoutPolicy(place(strict, `${name} replaced`));
    await put(strict, from.key, 'content', { contentType: 'text/old', stored });
    await expect(copyObject(from, from, {}, sizes)).rejects.toMatchObject({ code: 'invalid_request' });
    for (const to of [withoutPolicy(place(strict, `${name} other`)), from]) {
      const replace = { contentType: 'text/new', stored: { 'x-amz-meta-new': 'y', 'content-language': 'de' } };
      await copyObject(from, to, { replace }, sizes);
      const { headers } = await headObject(to);
      expect(headers).toMatchObject({ 'content-type': 'text/new', 'x-amz-meta-new': 'y', 'content-language': 'de' });
      expect(headers['x-amz-meta-old'] ?? headers['cache-control']).toBeUndefined();
      expect(await read(strict, to.key)).toBe('content');
    }
  });
});

describe('deleteObject', () => {
  it('deletes the named version alone', async () => {
    for (const at of [strict, lax]) {
      const object = withoutPolicy(place(at, 'deleted'));
      await expect(deleteObject(object, { ifMatch: '*' })).rejects.toMatchObject({ code: 'precondition_failed' });
      for (const form of [(etag: string) => etag, (etag: string) => etag.replaceAll('"', ''), () => '*']) {
        const { etag } = await put(at, object.key, 'x');
        await expect(deleteObject(object, { ifMatch: '"other"' })).rejects.toMatchObject({
          code: 'precondition_failed',
        });
        expect(await read(at, object.key)).toBe('x');
        await deleteObject(object, { ifMatch: form(etag) });
        await expect(read(at, object.key)).rejects.toMatchObject({ code: 'not_found' });
      }
    }
  });
});

describe('readTags', () => {
  it('gives the tags that were written, and none where storage has none', async () => {
    await put(strict, 'tagged here', 'x', { stored: { 'x-amz-tagging': 'a%20b=1&c=%26' } });
    expect(await readTags(withoutPolicy(place(strict, 'tagged here')), {})).toEqual([
      { key: 'a b', value: '1' },
      { key: 'c', value: '&' },
    ]);
    await put(strict, 'untagged', 'x');
    expect(await readTags(withoutPolicy(place(strict, 'untagged')), {})).toEqual([]);
    for (const fault of [
      { status: 501, code: 'NotImplemented' },
      { status: 405, code: 'MethodNotAllowed' },
      { status: 404, code: 'NoSuchTagSet' },
    ]) {
      strict.counter.spoil = (call) => (call.includes('tagging') ? fault : undefined);
      expect(await readTags(withoutPolicy(place(strict, 'tagged here')), {})).toEqual([]);
    }
    strict.counter.spoil = () => ({ status: 404, code: 'NoSuchKey' });
    await expect(readTags(withoutPolicy(place(strict, 'tagged here')), {})).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
