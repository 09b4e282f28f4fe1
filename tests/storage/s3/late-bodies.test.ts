import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { S3Client } from '../../../src/storage/s3/client.ts';
import { LateBodies } from '../../../src/storage/s3/late-bodies.ts';

const LATE_MS = 60;

let server: http.Server;
let client: S3Client;
let isLate = false;
/** What the last requests said about their connection, by method. */
const connection: Record<string, string | undefined> = {};

beforeAll(async () => {
  server = http.createServer((req, res) => {
    connection[req.method!] = req.headers.connection;
    res.writeHead(200, { 'content-length': req.method === 'GET' ? 4 : 0 }).flushHeaders();
    const end = () => res.end(req.method === 'GET' ? 'body' : undefined);
    if (isLate) setTimeout(end, LATE_MS);
    else end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = new S3Client({
    name: 'test',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    pathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    connectTimeoutMs: 1_000,
    idleTimeoutMs: 2_000,
  });
});
afterAll(() => {
  client.close();
  server.close();
});

const ask = (method: 'GET' | 'HEAD' | 'PUT') =>
  client.send({ method, bucket: 'files', key: 'k', ...(method === 'PUT' && { body: Buffer.from('x') }) });

/** Reads an object until the storage is told what is expected about its connection. A busy test process may read head and body at once. */
async function untilRead(expected: string): Promise<void> {
  for (let i = 0; i < 1_000 && connection['GET'] !== expected; i += 1) await ask('GET');
  expect(connection['GET']).toBe(expected);
}

it('reads from storage whose bodies come late on connections of their own, until they come in time', async () => {
  await ask('GET');
  await ask('GET');
  expect(connection['GET']).toBe('keep-alive');
  isLate = true;
  await untilRead('close');
  await ask('HEAD');
  await ask('PUT');
  expect(connection).toEqual({ GET: 'close', HEAD: 'keep-alive', PUT: 'keep-alive' });
  isLate = false;
  await untilRead('keep-alive');
});

it('does not use up the ports of the system', () => {
  const bodies = new LateBodies();
  bodies.came(LATE_MS);
  const taken = Array.from({ length: 30_000 }, () => bodies.takeConnection()).filter(Boolean).length;
  // A minute may end meanwhile.
  expect(taken === 10_000 || taken === 20_000).toBe(true);
});
