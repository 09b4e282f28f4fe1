import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../../src/policy/index/grants.ts';
import { createBucket, listBuckets } from '../../../src/storage/buckets.ts';
import { listObjects } from '../../../src/storage/listing.ts';
import { completeUpload, putPart, startUpload } from '../../../src/storage/multipart.ts';
import { getObject, headObject } from '../../../src/storage/object-read.ts';
import { putObject } from '../../../src/storage/object-write.ts';
import { presign } from '../../../src/storage/presign.ts';
import type { StorageProvider, StorageProviderOptions } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { itOnOtherStorage } from '../../support/on-other-storage.ts';
import { startStorage, type TestStorage } from '../../support/s3-server.ts';
import { startStubStorage } from '../../support/stub-storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

const IDLE_MS = 1000;
let s3: TestStorage;
let bucket: string;
const opened: Storage[] = [];
beforeAll(async () => {
  s3 = await startStorage({ idleTimeoutMs: IDLE_MS, connectTimeoutMs: IDLE_MS });
  bucket = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
  await putObject(withoutPolicy({ provider: s3.provider, bucket, key: 'x' }), Readable.from(['content']));
});
afterEach(() => {
  s3.counter.spoil = undefined;
  for (const storage of opened.splice(0)) storage.close();
});
afterAll(() => s3.close());

function providerAt(endpoint: string, more: Partial<StorageProviderOptions> = {}): StorageProvider {
  const storage = new Storage([{ ...s3.options, endpoint, ...more }]);
  opened.push(storage);
  return storage.providers.provider('test');
}

/** Everything that can be asked of a provider. */
const questions: Record<string, (provider: StorageProvider) => Promise<unknown>> = {
  listBuckets: (provider) => listBuckets(withoutPolicy({ provider })),
  createBucket: (provider) => createBucket(withoutPolicy({ provider, bucket: 'svc-test-new' })),
  listObjects: (provider) =>
    listObjects(withoutPolicy({ provider, bucket, prefix: '' }), { limit: 10, grants: EVERYTHING }),
  headObject: (provider) => headObject(withoutPolicy({ provider, bucket, key: 'x' })),
  getObject: (provider) => getObject(withoutPolicy({ provider, bucket, key: 'x' })),
  putObject: (provider) => putObject(withoutPolicy({ provider, bucket, key: 'y' }), Readable.from(['y'])),
  'putObject, large': (provider) =>
    putObject(withoutPolicy({ provider, bucket, key: 'y' }), Readable.from([Buffer.alloc(6 * 2 ** 20)]), {
      contentLength: 6 * 2 ** 20,
    }),
  'putObject, of unknown length': (provider) =>
    putObject(withoutPolicy({ provider, bucket, key: 'y' }), Readable.from([Buffer.alloc(12 * 2 ** 20)])),
  putPart: (provider) =>
    putPart(withoutPolicy({ provider, bucket, key: 'y' }), {
      id: 'id',
      number: 1,
      size: 1,
      body: Readable.from(['y']),
    }),
  completeUpload: (provider) =>
    completeUpload(withoutPolicy({ provider, bucket, key: 'y' }), 'id', [{ number: 1, etag: '"e"' }]),
  'presign, to write': (provider) => presign(withoutPolicy({ provider, bucket, key: 'y' }), 'PUT', 60),
};

async function answerTo(
  ask: (provider: StorageProvider) => Promise<unknown>,
  provider: StorageProvider,
): Promise<{ code: unknown; detail: string; ms: number }> {
  const begun = performance.now();
  const error = await ask(provider).then(
    () => ({}),
    (reason: unknown) => reason as { code?: unknown; detail?: string },
  );
  return { code: undefined, detail: '', ...error, ms: performance.now() - begun };
}

describe('putObject', () => {
  it('passes a body of known length on as it comes, and keeps none of it', async () => {
    const stub = await startStubStorage();
    const body = new PassThrough({ highWaterMark: 2 ** 16 });
    const written = putObject(withoutPolicy({ provider: providerAt(stub.url), bucket, key: 'streamed' }), body, {
      contentLength: 4 * 2 ** 20,
    });
    body.write(Buffer.alloc(2 * 2 ** 20));
    for (const end = performance.now() + 10_000; stub.written < 2 * 2 ** 20 && performance.now() < end;)
      await sleep(20);
    expect(stub.written).toBe(2 * 2 ** 20);
    body.end(Buffer.alloc(2 * 2 ** 20));
    expect(await written).toEqual({ etag: '"stub"' });
    await stub.close();
  });
});

/** What each question is answered while storage says nothing. They wait together, once. */
let unanswered: Promise<ReadonlyMap<string, Awaited<ReturnType<typeof answerTo>>>> | undefined;

function answersOfSilence(): NonNullable<typeof unanswered> {
  s3.counter.spoil = () => 'hold';
  unanswered ??= Promise.all(
    Object.entries(questions).map(async ([name, ask]) => [name, await answerTo(ask, s3.provider)] as const),
  ).then((answers) => new Map(answers));
  return unanswered;
}

/** Answers every request alike. */
async function startAnswering(status: number, body: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = http.createServer(
    (_req, res) => void res.writeHead(status, { 'content-type': 'text/html' }).end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

describe.each(Object.entries(questions))('%s', (name, ask) => {
  it('answers storage_unavailable at once when storage is down', async () => {
    const { code, detail, ms } = await answerTo(ask, providerAt('http://127.0.0.1:1'));
    expect({ code, detail }).toEqual({
      code: 'storage_unavailable',
      detail: 'storage provider `test` refuses the connection; check that it runs, and `endpoint`',
    });
    expect(ms).toBeLessThan(10 * IDLE_MS);
  });

  it('answers storage_timeout within the configured time when storage says nothing', async () => {
    const { code, ms } = (await answersOfSilence()).get(name)!;
    expect(code).toBe('storage_timeout');
    expect(ms).toBeLessThan(10 * IDLE_MS);
  });

  it('answers storage_unavailable when storage closes the connection, or is busy', async () => {
    for (const fault of ['cut', 'busy'] as const) {
      s3.counter.spoil = () => fault;
      expect((await answerTo(ask, s3.provider)).code).toBe('storage_unavailable');
    }
  });

  it('never answers internal, whatever storage says', async () => {
    const answers = ['<html>hello', '{}', '<Error><Code>Surprise</Code></Error>', ''];
    const codes = [200, 302, 400, 418, 500].flatMap((status) =>
      answers.map(async (body) => {
        const storage = await startAnswering(status, body);
        const { code } = await answerTo(ask, providerAt(storage.url));
        await storage.close();
        return code;
      }),
    );
    expect(await Promise.all(codes)).not.toContain('internal');
  });
});

describe('storage with a fault', () => {
  it('is tried again when it closed one connection', async () => {
    let cuts = 0;
    s3.counter.spoil = () => (cuts++ === 0 ? 'cut' : undefined);
    expect((await headObject(withoutPolicy({ provider: s3.provider, bucket, key: 'x' }))).status).toBe(200);
    expect(cuts).toBe(2);
  });

  it('is not waited for by one write of a key after the other', async () => {
    s3.counter.spoil = (call) => (call.startsWith('PUT') ? 'hold' : undefined);
    const ends = await Promise.all(Array.from({ length: 30 }, () => answerTo(questions.putObject!, s3.provider)));
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set(['storage_timeout']));
    expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThan(15 * IDLE_MS);
  });

  it('does not hold up another provider', async () => {
    s3.counter.spoil = () => 'hold';
    const stub = await startStubStorage();
    const other = providerAt(stub.url);
    const slow = providerAt(s3.counter.url, { idleTimeoutMs: 4 * IDLE_MS });
    const held = Array.from({ length: 200 }, () => answerTo(questions.listObjects!, slow));
    const begun = performance.now();
    expect(await text((await getObject(withoutPolicy({ provider: other, bucket, key: '3' }))).body!)).toBe('svc');
    expect(performance.now() - begun).toBeLessThan(4 * IDLE_MS);
    for (const { code } of await Promise.all(held)) expect(code).toBe('storage_timeout');
    await stub.close();
  });

  const list = (provider: StorageProvider) => answerTo(questions.listObjects!, provider);

  it('says that the access key is not known', async () => {
    const unknown = providerAt(s3.counter.url, {
      idleTimeoutMs: 10 * IDLE_MS,
      credentials: { accessKeyId: 'CANARYACCESS', secretAccessKey: 'canary-secret' },
    });
    expect(await list(unknown)).toMatchObject({
      code: 'storage_unavailable',
      detail: 'storage provider `test` does not know the access key; check `credentials.access_key_id`',
    });
  });

  // s3rver does not check signatures.
  itOnOtherStorage('says what is wrong with the credentials, and shows none of them', async () => {
    const unknown = providerAt(s3.counter.url, {
      credentials: { accessKeyId: 'CANARYACCESS', secretAccessKey: 'canary-secret' },
    });
    const wrong = providerAt(s3.counter.url, {
      credentials: { ...s3.options.credentials!, secretAccessKey: 'canary-secret' },
    });
    expect(await list(wrong)).toMatchObject({
      code: 'storage_unavailable',
      detail: 'storage provider `test` refuses the signature; check `credentials.secret_access_key` and `region`',
    });
    for (const provider of [unknown, wrong]) {
      for (const ask of Object.values(questions)) {
        const { code, detail } = await answerTo(ask, provider);
        expect(code).toBe('storage_unavailable');
        expect(detail).not.toMatch(/canary|127\.0\.0\.1|http/i);
      }
    }
  });
});

describe('a download', () => {
  it('breaks off with storage_timeout when storage stands still in the middle', async () => {
    const stub = await startStubStorage({ stallAfter: 2 ** 20 });
    const { body } = await getObject(
      withoutPolicy({ provider: providerAt(stub.url), bucket, key: String(4 * 2 ** 20) }),
    );
    const begun = performance.now();
    await expect(text(body!)).rejects.toMatchObject({ code: 'storage_timeout' });
    expect(performance.now() - begun).toBeLessThan(10 * IDLE_MS);
    await stub.close();
  });

  it('breaks off, rather than ending short, when storage closes the connection', async () => {
    const stub = await startStubStorage({ stallAfter: 2 ** 20 });
    const { body } = await getObject(
      withoutPolicy({ provider: providerAt(stub.url), bucket, key: String(4 * 2 ** 20) }),
    );
    setTimeout(() => void stub.close(), 50);
    await expect(text(body!)).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('goes on for a client that pauses for longer than storage may', async () => {
    const stub = await startStubStorage();
    const { body } = await getObject(
      withoutPolicy({ provider: providerAt(stub.url), bucket, key: String(32 * 2 ** 20) }),
    );
    let seen = 0;
    let pauses = 0;
    for await (const chunk of body!) {
      seen += (chunk as Buffer).length;
      if (seen > (pauses + 1) * 8 * 2 ** 20 && pauses++ < 2) await sleep(1.5 * IDLE_MS);
    }
    expect(seen).toBe(32 * 2 ** 20);
    await stub.close();
  });

  it('ends with the signal, and leaves listings their connections however many stand open', async () => {
    const stub = await startStubStorage();
    const provider = providerAt(stub.url, { idleTimeoutMs: 60_000 });
    const stop = new AbortController();
    const bodies = await Promise.all(
      Array.from(
        { length: 150 },
        async () =>
          (await getObject(withoutPolicy({ provider, bucket, key: '100000000' }), { signal: stop.signal })).body!,
      ),
    );
    const begun = performance.now();
    expect((await headObject(withoutPolicy({ provider, bucket, key: '10' }))).status).toBe(200);
    expect(performance.now() - begun).toBeLessThan(40_000);
    const ends = bodies.map((body) =>
      text(body).then(
        () => 'whole',
        () => 'broken off',
      ),
    );
    stop.abort();
    expect(new Set(await Promise.all(ends))).toEqual(new Set(['broken off']));
    await stub.close();
  });
});

describe('an upload', () => {
  it('waits for a client that pauses for longer than storage may', async () => {
    const slow = (): Readable => {
      const body = new PassThrough();
      body.write('first ');
      setTimeout(() => body.end('second'), 2 * IDLE_MS);
      return body;
    };
    const { id } = await startUpload(withoutPolicy({ provider: s3.provider, bucket, key: 'slow' }));
    const part = putPart(withoutPolicy({ provider: s3.provider, bucket, key: 'slow' }), {
      id,
      number: 1,
      size: 12,
      body: slow(),
    });
    await putObject(withoutPolicy({ provider: s3.provider, bucket, key: 'slow' }), slow(), { contentLength: 12 });
    expect(await text((await getObject(withoutPolicy({ provider: s3.provider, bucket, key: 'slow' }))).body!)).toBe(
      'first second',
    );
    expect(await part).toMatchObject({ size: 12 });
  });

  it('breaks off with storage_timeout when storage stops taking it', async () => {
    const server = http.createServer((req) => void req.pause());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = providerAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const size = 64 * 2 ** 20;
    const { code, ms } = await answerTo(
      () =>
        putPart(withoutPolicy({ provider, bucket, key: 'x' }), {
          id: 'id',
          number: 1,
          size,
          body: Readable.from([Buffer.alloc(size)]),
        }),
      provider,
    );
    expect(code).toBe('storage_timeout');
    expect(ms).toBeLessThan(10 * IDLE_MS);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('sends no more of a body when storage has refused it', async () => {
    let connections = 0;
    const server = http.createServer(
      (_req, res) =>
        void res.writeHead(403, { 'content-type': 'application/xml' }).end('<Error><Code>AccessDenied</Code></Error>'),
    );
    server.on('connection', (socket) => {
      connections += 1;
      socket.on('close', () => (connections -= 1));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const body = new PassThrough();
    body.write(Buffer.alloc(2 ** 20));
    const { code } = await answerTo(
      (provider) => putObject(withoutPolicy({ provider, bucket, key: 'x' }), body, { contentLength: 64 * 2 ** 20 }),
      providerAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
    expect(code).toBe('storage_unavailable');
    for (let i = 0; i < 40 && connections > 0; i += 1) await sleep(50);
    expect(connections).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });

  it('drops its parts later when storage could not at once', async () => {
    const place = s3.bucketName();
    await createBucket(withoutPolicy({ provider: s3.provider, bucket: place }));
    const body = new PassThrough();
    const stop = new AbortController();
    const done = answerTo(
      (provider) =>
        putObject(withoutPolicy({ provider, bucket: place, key: 'dropped later' }), body, { signal: stop.signal }),
      s3.provider,
    );
    body.write(Buffer.alloc(12 * 2 ** 20));
    while ((await s3.openUploads(place)).length === 0) await sleep(20);
    s3.counter.spoil = (call) => (call.startsWith('DELETE') ? 'hold' : undefined);
    stop.abort();
    await done;
    expect(await s3.openUploads(place)).toHaveLength(1);
    s3.counter.spoil = undefined;
    for (let i = 0; i < 40 && (await s3.openUploads(place)).length > 0; i += 1) await sleep(100);
    expect(await s3.openUploads(place)).toEqual([]);
  });

  it('leaves the request of the client open when it fails, so that it can be answered', async () => {
    const body = new PassThrough();
    body.write(Buffer.alloc(7 * 2 ** 20));
    await expect(
      putObject(withoutPolicy({ provider: providerAt('http://127.0.0.1:1'), bucket, key: 'x' }), body, {
        contentLength: 20 * 2 ** 20,
      }),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });
    const tooLong = new PassThrough();
    tooLong.write('more than that');
    await expect(
      putObject(withoutPolicy({ provider: s3.provider, bucket, key: 'x' }), tooLong, { contentLength: 3 }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    for (const source of [body, tooLong]) {
      expect(source.destroyed).toBe(false);
      source.destroy();
    }
  });
});
