/** The S3 endpoint beside a bare Node proxy in one run. The client has signed its requests before. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { S3Request } from '../src/s3/request.ts';
import { readSignature, SigningKeys } from '../src/s3/signature.ts';
import type { S3Key } from '../tests/support/s3-face.ts';
import { sendRaw, signed } from '../tests/support/s3-signer.ts';
import type { Ready } from './bench-storage/contender.ts';
import { growthDuring } from './bench-storage/memory.ts';
import { besideProxy } from './measuring/beside-proxy.ts';
import { figure } from './measuring/figures.ts';
import { median } from './measuring/median.ts';
import { startContender } from './measuring/start-contender.ts';

type Method = 'GET' | 'PUT';

const ROWS = [
  { what: 'GET 1 kB', method: 'GET', path: '/bucket/folder/a.txt', atLeast: 0.6 },
  { what: 'GET 1 MiB', method: 'GET', path: '/bucket/1048576', atLeast: 0.9 },
  { what: 'PUT 1 kB', method: 'PUT', path: '/bucket/folder/{connection}.txt', atLeast: 0.5 },
  {
    what: 'page of 1,000 keys',
    method: 'GET',
    path: '/bucket?list-type=2&max-keys=1000&prefix=folder%2F',
    atLeast: 0.35,
  },
] as const;
const UPLOADS = 200;
const UPLOAD_BYTES = 8 * 2 ** 20;
const CHUNK = Buffer.alloc(65_536, 'svc');

const children: ChildProcess[] = [];
try {
  const storage = await start('bench-storage/contender.ts', 'storage');
  const target = `http://127.0.0.1:${storage.port}`;
  const proxy = await start('bench-storage/contender.ts', 'proxy', target);
  const service = await start('bench-storage/contender.ts', 's3', target);
  const { port, key } = service.s3!;
  const only = process.argv[3];
  for (const row of ROWS)
    if (only === undefined || row.what.startsWith(only)) {
      const asked = { method: row.method, paths: [row.path], body: row.method === 'PUT' ? 'x'.repeat(1024) : '' };
      const plain = row.method === 'PUT' ? { 'content-type': 'text/plain' } : {};
      await besideProxy(
        row,
        { name: 'bare Node proxy', child: proxy.child, asked: { ...asked, port: proxy.port, headers: plain } },
        { name: 'svc', child: service.child, asked: { ...asked, port, headers: signer(port, key, asked) } },
      );
    }
  if (only === undefined || only === 'calls') await countCalls();
  if (only === undefined || only === 'uploads')
    await measureUploads(await start('bench-storage/contender.ts', 's3', target));
  if (only === undefined || only === 'signature') measureSignature(key);
} finally {
  for (const child of children) child.kill('SIGKILL');
}

function start(file: string, ...args: readonly string[]) {
  return startContender<Ready>(file, args, children);
}

function signer(port: number, key: S3Key, { method, body }: { readonly method: Method; readonly body: string }) {
  return (target: string) => signed({ method, target, body, key, host: `127.0.0.1:${port}` });
}

/** What a page costs storage for somebody who may list one folder of 5,000 keys among three million. */
async function countCalls(): Promise<void> {
  const storage = await start('bench-search/keys.ts');
  const service = await start('bench-storage/contender.ts', 's3', `http://127.0.0.1:${storage.port}`);
  const { port, guestKey: key } = service.s3!;
  const counted = async () => Number(await (await fetch(`http://127.0.0.1:${storage.port}/count`)).text());
  const target = '/bucket?list-type=2';
  const before = await counted();
  const { status, text } = await sendRaw(port, { target }, signed({ target, key, host: `127.0.0.1:${port}` }));
  if (status !== 200 || !/<KeyCount>(?:999|1000)</.test(text))
    throw new Error(`the page is wrong: ${text.slice(0, 600)}`);
  console.log('\na page for a person with one folder of 5,000 keys among three million');
  figure('requests to storage', (await counted()) - before, { atMost: 3 });
}

/** Uploads in chunks that stand still half-way, all at once, to a service that has done nothing yet. */
async function measureUploads(service: Ready & { readonly child: ChildProcess }): Promise<void> {
  const { port, key } = service.s3!;
  let sum = 0;
  for (let bytes = 0; bytes < UPLOAD_BYTES; bytes += CHUNK.length) sum = crc32(CHUNK, sum);
  const digest = Buffer.alloc(4);
  digest.writeUInt32BE(sum);
  const trailer = `x-amz-checksum-crc32:${digest.toString('base64')}\r\n\r\n`;
  const framed = `${CHUNK.length.toString(16)}\r\n`;
  const send = async (socket: Socket, bytes: number): Promise<void> => {
    for (let left = bytes; left > 0 && !socket.destroyed; left -= CHUNK.length)
      if (!socket.write(Buffer.concat([Buffer.from(framed), CHUNK, Buffer.from('\r\n')])))
        await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
  };
  let slowed = 0;
  const upload = async (number: number): Promise<void> => {
    const target = `/bucket/folder/upload-${number}`;
    const payloadHash = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
    const length = UPLOAD_BYTES + (UPLOAD_BYTES / CHUNK.length) * (framed.length + 2) + '0\r\n'.length;
    const headers = signed({
      method: 'PUT',
      target,
      payloadHash,
      key,
      host: `127.0.0.1:${port}`,
      headers: {
        connection: 'close',
        'x-amz-decoded-content-length': String(UPLOAD_BYTES),
        'x-amz-trailer': 'x-amz-checksum-crc32',
      },
    });
    const lines = Object.entries({ ...headers, 'content-length': String(length + trailer.length) });
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1'))).on('error', () => undefined);
    socket.write(`PUT ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    await send(socket, UPLOAD_BYTES / 2);
    await wait(2_000);
    await send(socket, UPLOAD_BYTES / 2);
    if (!socket.destroyed) socket.write(`0\r\n${trailer}`);
    if (!socket.closed) await once(socket, 'close');
    if (answer.startsWith('HTTP/1.1 200')) return;
    if (!answer.includes('<Code>SlowDown<')) throw new Error(answer);
    slowed += 1;
    await upload(number);
  };
  const grown = await growthDuring(service.child.pid, () =>
    Promise.all(Array.from({ length: UPLOADS }, (_, number) => upload(number))),
  );
  console.log(
    `\n${UPLOADS} uploads of ${UPLOAD_BYTES / 2 ** 20} MiB in chunks at once, ${slowed} answered with SlowDown and sent again`,
  );
  figure('growth of memory, MB', grown, { atMost: 100 });
}

/** Reads and verifies requests without a network. */
function measureSignature(key: S3Key): void {
  const request = { target: '/bucket/folder/a.txt', key, host: 'storage.example' };
  const rawHeaders = Object.entries(signed(request)).flat();
  const sent = { method: 'GET', url: request.target, rawHeaders } as unknown as IncomingMessage;
  const keys = new SigningKeys();
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const before = process.cpuUsage();
    for (let i = 0; i < 2_000; i += 1) {
      const read = new S3Request(sent, request.host);
      keys.verify(read, readSignature(read, 's3', Date.now()), [key.secretAccessKey]);
    }
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 2_000);
  }
  console.log('\na signature, without the network');
  figure('processor time to read a request and verify it, µs', median(times), { atMost: 40 });
}
