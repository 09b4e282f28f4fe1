import net, { type AddressInfo, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { putPart } from '../../../src/storage/multipart.ts';
import { putObject } from '../../../src/storage/object-write.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';

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
  storage = new Storage([{ name: 'test', type: 's3', endpoint, region: 'us-east-1', pathStyle: true, credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, connectTimeoutMs: 1000, idleTimeoutMs: 2000 }]);
  provider = storage.provider('test');
});
afterEach(async () => {
  storage.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
});

const DONE = 'HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: 0\r\n\r\n';
const place = { bucket: 'files', key: 'k' };

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
      socket.write(request.startsWith('POST') ? 'HTTP/1.1 200 OK\r\ncontent-length: 85\r\n\r\n<InitiateMultipartUploadResult><UploadId>i</UploadId></InitiateMultipartUploadResult>' : DONE);
    };
  });

  it.each<[string, () => Promise<unknown>]>([
    ['an object', () => putObject(provider, place, begun(), { contentLength: 2 * MIB })],
    ['a part', () => putPart(provider, { ...place, id: 'i' }, { number: 1, size: 2 * MIB, body: begun() })],
    ['an object of unknown length', () => putObject(provider, place, Readable.from([Buffer.alloc(20 * MIB)]))],
  ])('is not believed: %s', async (_what, write) => {
    await expect(write()).rejects.toMatchObject({ code: 'storage_unavailable', detail: expect.stringContaining('before it had the whole body') });
  });
});

describe('storage that ends the connection while a body is sent', () => {
  const write = () => putPart(provider, { ...place, id: 'i' }, { number: 1, size: 2 ** 26, body: Readable.from(endless()) }).catch((reason: unknown) => reason);

  it.each([
    ['says nothing', '', 'closed the connection'],
    ['has refused the body', 'HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-type: application/xml\r\n\r\n<Error><Code>AccessDenied</Code></Error>', 'access key do this'],
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

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536);
}
