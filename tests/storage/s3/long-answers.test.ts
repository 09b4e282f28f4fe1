import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { listBuckets } from '../../../src/storage/buckets.ts';
import { getWholeObject } from '../../../src/storage/object-read.ts';
import type { SendOptions } from '../../../src/storage/s3/client.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

const BUCKETS = 2_000;
const LIST = `<ListAllMyBucketsResult><Buckets>${Array.from({ length: BUCKETS }, (_, i) => `<Bucket><Name>bucket-${i}</Name></Bucket>`).join('')}</Buckets></ListAllMyBucketsResult>`;
const OBJECT = 'x'.repeat(100_000);
/** More than the answers of unknown length that may be read at once. */
const MANY = 5;
const MIB = 2 ** 20;
/** As long as an answer of unknown length may be, almost. */
const LONG_LIST = `<ListBucketResult>${`<Prefix>${'x'.repeat(3_000)}</Prefix>`.repeat(5_000)}<IsTruncated>false</IsTruncated></ListBucketResult>`;

let server: net.Server;
let storage: Storage;
let stalled = 0;
let longSent = 0;
const sockets = new Set<Socket>();

beforeEach(async () => {
  stalled = longSent = 0;
  server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('data', (bytes) => answer(bytes.toString('latin1'), socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  storage = new Storage(
    ['stalling', 'stalling-too', 'other'].map((name) => ({
      name,
      type: 's3',
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      pathStyle: true,
      credentials: { accessKeyId: name, secretAccessKey: 'x' },
      connectTimeoutMs: 1_000,
      // Whoever waits for what stalls fails long before it ends.
      idleTimeoutMs: name.startsWith('stalling') ? 60_000 : 2_000,
    })),
  );
});
afterEach(async () => {
  storage.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
});

/** The storages for which `stalling` and `stalling-too` sign send all but the end of a list. */
function answer(request: string, socket: Socket): void {
  if (request.startsWith('GET /files/k'))
    return void socket.write(`HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: ${OBJECT.length}\r\n\r\n${OBJECT}`);
  const isStalled = request.includes('Credential=stalling');
  if (request.startsWith('GET /long')) {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.write(`${LONG_LIST.length.toString(16)}\r\n${LONG_LIST}\r\n`, () => (longSent += 1));
    if (!isStalled) socket.write('0\r\n\r\n');
    return;
  }
  const chunk = `${LIST.length.toString(16)}\r\n${LIST}\r\n`;
  socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk}${isStalled ? '' : '0\r\n\r\n'}`, () => {
    if (isStalled) stalled += 1;
  });
}

const providerOf = (name: string) => storage.providers.provider(name);
const listOf = (name: string) => listBuckets(withoutPolicy({ provider: providerOf(name) }));
const longOf = (name: string, options: SendOptions = {}) =>
  providerOf(name).s3.ask({ method: 'GET', bucket: 'long', query: {} }, 'ListBucketResult', options);
async function stall(): Promise<void> {
  for (let i = 0; i < MANY; i += 1)
    for (const name of ['stalling', 'stalling-too']) listOf(name).catch(() => undefined);
  while (stalled < 2 * MANY) await wait(10);
}

it('storages that stall in long answers keep no other storage from being read', async () => {
  await stall();
  expect(await listOf('other')).toHaveLength(BUCKETS);
});

it('nor the small objects of archives, which their readers hold memory for', async () => {
  await stall();
  const object = withoutPolicy({ provider: providerOf('stalling'), bucket: 'files', key: 'k' });
  expect(await getWholeObject(object, { wholeUpTo: 131_072, signal: AbortSignal.timeout(5_000) })).toMatchObject({
    body: Buffer.from(OBJECT),
  });
});

it('an answer of unknown length takes memory for all that it has', async () => {
  const taken: number[] = [];
  let held = 0;
  await longOf('other', {
    hold: async (bytes) => {
      taken.push(bytes);
      held += bytes;
      return () => (held -= bytes);
    },
  });
  expect([taken, held]).toEqual([[12 * MIB, 36 * MIB], 0]);
});

it('answers of unknown length for which nobody takes memory are read one at a time', async () => {
  for (let i = 0; i < MANY; i += 1) longOf('stalling').catch(() => undefined);
  while (longSent === 0) await wait(10);
  await wait(300);
  expect(longSent).toBe(1);
});

it('a long answer to a link gives its memory back', async () => {
  const { s3 } = providerOf('other');
  const { url } = await s3.link({ method: 'PUT', bucket: 'files', key: 'k' }, { expiresIn: 60 });
  for (let i = 0; i < MANY; i += 1) expect((await s3.useLink(url, 'PUT', {})).body).toHaveLength(LIST.length);
  expect(await listOf('other')).toHaveLength(BUCKETS);
});
