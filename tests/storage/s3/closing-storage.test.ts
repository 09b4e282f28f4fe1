import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { getObject } from '../../../src/storage/object-read.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

/** As much as waits for a reader: the connection is read no further behind the last byte of the object. */
const BYTES = 65_536;
const CONTENT = Buffer.alloc(BYTES, 'svc');

let server: net.Server;
let storage: Storage;
let answer: (socket: Socket) => void;

beforeEach(async () => {
  server = net.createServer((socket) => void socket.on('error', () => undefined).once('data', () => answer(socket)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  storage = new Storage([
    {
      name: 'test',
      type: 's3',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      pathStyle: true,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      connectTimeoutMs: 1_000,
      idleTimeoutMs: 2_000,
    },
  ]);
});
afterEach(() => {
  storage.close();
  server.close();
});

/** The body of an object of which nothing is read before its storage has closed the connection. */
async function opened(framing: string, body: Buffer, close: (socket: Socket) => unknown) {
  const closed = Promise.withResolvers<undefined>();
  answer = (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\netag: "x"\r\nconnection: close\r\n${framing}\r\n`);
    socket.write(body);
    setTimeout(() => closed.resolve(void close(socket)), 100);
  };
  const object = withoutPolicy({ provider: storage.providers.provider('test'), bucket: 'files', key: 'k' });
  const read = await getObject(object);
  await closed.promise;
  await wait(100);
  return read.body!;
}

const LENGTH = `content-length: ${BYTES}\r\n`;
const CHUNKS = 'transfer-encoding: chunked\r\n';
const chunk = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
const end = (socket: Socket) => socket.end();
const reset = (socket: Socket) => socket.resetAndDestroy();

it.each([
  ['a length', LENGTH, CONTENT],
  ['chunks', CHUNKS, Buffer.concat([chunk(CONTENT), Buffer.from('0\r\n\r\n')])],
  ['neither', '', CONTENT],
])(
  'an object with %s is whole when its storage closes the connection before it is read',
  async (_form, framing, body) => {
    expect(CONTENT.equals(await buffer(await opened(framing, body, end)))).toBe(true);
  },
);

it.each([
  ['a length', 'ends', LENGTH, CONTENT.subarray(1), end],
  ['a length', 'is reset', `content-length: ${2 * BYTES}\r\n`, CONTENT, reset],
  ['chunks', 'ends', CHUNKS, chunk(CONTENT), end],
  ['chunks', 'is reset', CHUNKS, chunk(CONTENT), reset],
])('an object with %s is not whole when its connection %s too early', async (_form, _how, framing, body, close) => {
  await expect(buffer(await opened(framing, body, close))).rejects.toMatchObject({ code: 'storage_unavailable' });
});
