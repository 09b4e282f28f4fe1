import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { listBuckets } from '../../../src/storage/buckets.ts';
import { getWholeObject } from '../../../src/storage/object-read.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

const BUCKETS = 2_000;
const LIST = `<ListAllMyBucketsResult><Buckets>${Array.from({ length: BUCKETS }, (_, i) => `<Bucket><Name>bucket-${i}</Name></Bucket>`).join('')}</Buckets></ListAllMyBucketsResult>`;
const OBJECT = 'x'.repeat(100_000);
/** More than the answers of unknown length that may be read at once. */
const MANY = 5;

let server: net.Server;
let storage: Storage;
let stalled = 0;
const sockets = new Set<Socket>();

beforeEach(async () => {
  stalled = 0;
  server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('data', (bytes) => answer(bytes.toString('latin1'), socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  storage = new Storage(
    ['stalling', 'other'].map((name) => ({
      name,
      type: 's3',
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      pathStyle: true,
      credentials: { accessKeyId: name, secretAccessKey: 'x' },
      connectTimeoutMs: 1_000,
      // Whoever waits for what stalls fails long before it ends.
      idleTimeoutMs: name === 'stalling' ? 60_000 : 2_000,
    })),
  );
});
afterEach(async () => {
  storage.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
});

/** The storage for which `stalling` signs sends all but the end of a list. */
function answer(request: string, socket: Socket): void {
  if (request.startsWith('GET /files/k'))
    return void socket.write(`HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: ${OBJECT.length}\r\n\r\n${OBJECT}`);
  const chunk = `${LIST.length.toString(16)}\r\n${LIST}\r\n`;
  const isStalled = request.includes('Credential=stalling/');
  socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk}${isStalled ? '' : '0\r\n\r\n'}`, () => {
    if (isStalled) stalled += 1;
  });
}

const providerOf = (name: string) => storage.providers.provider(name);
const listOf = (name: string) => listBuckets(withoutPolicy({ provider: providerOf(name) }));
async function stall(): Promise<void> {
  for (let i = 0; i < MANY; i += 1) listOf('stalling').catch(() => undefined);
  while (stalled < MANY) await new Promise((resolve) => setTimeout(resolve, 10));
}

it('storage that stalls in long answers keeps no other storage from being read', async () => {
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

it('a long answer to a link gives its memory back', async () => {
  const { s3 } = providerOf('other');
  const { url } = await s3.link({ method: 'PUT', bucket: 'files', key: 'k' }, { expiresIn: 60 });
  for (let i = 0; i < MANY; i += 1) expect((await s3.useLink(url, 'PUT', {})).body).toHaveLength(LIST.length);
  expect(await listOf('other')).toHaveLength(BUCKETS);
});
