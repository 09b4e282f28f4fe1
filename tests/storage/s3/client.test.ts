import { hash } from 'node:crypto';
import { getEventListeners } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { putPart } from '../../../src/storage/multipart.ts';
import { getObject, headObject } from '../../../src/storage/object-read.ts';
import { putObject } from '../../../src/storage/object-write.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

/** Says what no server would, as soon as the first bytes of a request are there. */
let say: (request: string, socket: Socket) => void;
let server: net.Server;
let storage: Storage;
let provider: StorageProvider;
const sockets = new Set<Socket>();

beforeEach(async () => {
  server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => say(bytes.toString('latin1'), socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  storage = new Storage([
    {
      name: 'test',
      type: 's3',
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      connectTimeoutMs: 1000,
      idleTimeoutMs: 2000,
    },
  ]);
  provider = storage.providers.provider('test');
});
afterEach(async () => {
  storage.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
});

const DONE = 'HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: 0\r\n\r\n';
const place = { bucket: 'files', key: 'k' };

it('ends connecting in time: before a timer of the same process that is set 0.3 seconds later', async () => {
  const mute = new Storage([
    {
      name: 'mute',
      type: 's3',
      endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      pathStyle: true,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      connectTimeoutMs: 2_000,
      idleTimeoutMs: 60_000,
    },
  ]);
  say = () => undefined;
  const order: string[] = [];
  const object = withoutPolicy({ provider: mute.providers.provider('mute'), ...place });
  await Promise.all([
    headObject(object).catch(() => void order.push('connection')),
    new Promise<void>((resolve) => setTimeout(() => resolve(void order.push('timer')), 2_300)),
  ]);
  mute.close();
  expect(order).toEqual(['connection', 'timer']);
});

describe('storage that says that it is done before it has the whole body', () => {
  const MIB = 2 ** 20;
  const begun = (): Readable => {
    const body = new PassThrough();
    body.write(Buffer.alloc(MIB));
    return body;
  };
  beforeEach(() => {
    say = (request, socket) => {
      if (request.startsWith('PUT')) socket.pause();
      socket.write(
        request.startsWith('POST')
          ? 'HTTP/1.1 200 OK\r\ncontent-length: 85\r\n\r\n<InitiateMultipartUploadResult><UploadId>i</UploadId></InitiateMultipartUploadResult>'
          : DONE,
      );
    };
  });

  it.each<[string, () => Promise<unknown>]>([
    ['an object', () => putObject(withoutPolicy({ provider, ...place }), begun(), { contentLength: 2 * MIB })],
    [
      'a part',
      () => putPart(withoutPolicy({ provider, ...place }), { id: 'i', number: 1, size: 2 * MIB, body: begun() }),
    ],
    [
      'an object of unknown length',
      () => putObject(withoutPolicy({ provider, ...place }), Readable.from([Buffer.alloc(20 * MIB)])),
    ],
  ])('is not believed: %s', async (_what, write) => {
    await expect(write()).rejects.toMatchObject({
      code: 'storage_unavailable',
      detail: expect.stringContaining('before it had the whole body'),
    });
  });
});

describe('storage that ends the connection while a body is sent', () => {
  const write = () =>
    putPart(withoutPolicy({ provider, ...place }), {
      id: 'i',
      number: 1,
      size: 2 ** 26,
      body: Readable.from(endless()),
    }).catch((reason: unknown) => reason);

  it.each([
    ['says nothing', '', 'closed the connection'],
    [
      'has refused the body',
      'HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-type: application/xml\r\n\r\n<Error><Code>AccessDenied</Code></Error>',
      'access key do this',
    ],
    ['claims to be done', 'HTTP/1.0 200 OK\r\netag: "x"\r\n\r\n', 'before it had the whole body'],
  ])('is told as what it is, when it %s before', async (_what, answer, detail) => {
    for (const end of ['resetAndDestroy', 'destroy'] as const) {
      say = (_request, socket) => {
        socket.pause();
        socket.write(answer, () => void setTimeout(() => socket[end](), 20));
      };
      expect(await write()).toMatchObject({ code: 'storage_unavailable', detail: expect.stringContaining(detail) });
    }
  });
});

describe('a body whose sender breaks off', () => {
  it('is told as that and not as a fault of storage, and its request does not end as if it were whole', async () => {
    let heard = '';
    say = (request) => void (heard += request);
    const brokenOff = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    const body = new PassThrough();
    body.write('beginning');
    const writing = putPart(withoutPolicy({ provider, ...place }), { id: 'i', number: 1, size: 100, body });
    while (!heard.endsWith('beginning')) await new Promise((resolve) => setTimeout(resolve, 5));
    body.destroy(brokenOff);
    await expect(writing).rejects.toBe(brokenOff);
    expect(heard).toMatch(/\r\n\r\nbeginning$/);
  });
});

describe('a question', () => {
  const HEAD_OF_ONE = 'HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: 1\r\n\r\n';
  const head = (options?: { readonly signal: AbortSignal }) =>
    headObject(withoutPolicy({ provider, ...place }), options);

  it.each(['destroy', 'resetAndDestroy'] as const)(
    'is asked again when storage ends the connection without an answer (%s)',
    async (end) => {
      const asked: string[] = [];
      say = (request, socket) => (asked.push(request) === 1 ? socket[end]() : socket.write(HEAD_OF_ONE));
      expect((await head()).headers.etag).toBe('"x"');
      expect(asked).toHaveLength(2);
    },
  );

  it('does not take what storage says beforehand for its answer', async () => {
    say = (_request, socket) => void socket.write(`HTTP/1.1 103 Early Hints\r\netag: "early"\r\n\r\n${HEAD_OF_ONE}x`);
    const { status, headers, body } = await getObject(withoutPolicy({ provider, ...place }));
    expect([status, headers.etag, await text(body!)]).toEqual([200, '"x"', 'x']);
  });

  it('uses a connection that is there, also after a HEAD', async () => {
    say = (_request, socket) => void socket.write(HEAD_OF_ONE);
    for (let i = 0; i < 10; i += 1) await head();
    expect(sockets.size).toBeLessThan(4);
  });

  it('leaves nothing behind on the signal of its client, which may ask for thousands of objects', async () => {
    const { signal } = new AbortController();
    say = (request, socket) => void socket.write(request.startsWith('GET') ? `${HEAD_OF_ONE}x` : HEAD_OF_ONE);
    await head({ signal });
    expect(await text((await getObject(withoutPolicy({ provider, ...place }), { signal })).body!)).toBe('x');
    say = (_request, socket) => void socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    await expect(head({ signal })).rejects.toMatchObject({ code: 'not_found' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('carries the hash of the body that it has, so that storage takes no other', async () => {
    let sent = '';
    say = (request, socket) => {
      sent += request;
      socket.write(DONE);
    };
    await putObject(withoutPolicy({ provider, ...place }), Readable.from([Buffer.from('content')]), {
      contentLength: 7,
    });
    expect(sent).toContain(`x-amz-content-sha256: ${hash('sha256', 'content', 'hex')}`);
  });
});

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536);
}

describe('storage that sends a body after the headers of a HEAD that it refuses', () => {
  it('spoils no other request, because the connection is not used again', async () => {
    const refused = new Set<Socket>();
    say = (_request, socket) => {
      if (refused.has(socket)) socket.write('body');
      refused.add(socket);
      socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\nconnection: keep-alive\r\n\r\n');
    };
    for (let i = 0; i < 10; i += 1)
      await expect(provider.s3.send({ method: 'HEAD', ...place })).rejects.toMatchObject({ cause: { status: 400 } });
    expect(refused.size).toBe(10);
  });

  it('is asked on the same connections again when it only found nothing', async () => {
    say = (_request, socket) =>
      void socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\nconnection: keep-alive\r\n\r\n');
    for (let i = 0; i < 10; i += 1)
      await expect(provider.s3.send({ method: 'HEAD', ...place })).rejects.toMatchObject({ code: 'not_found' });
    expect(sockets.size).toBeLessThan(4);
  });
});
