import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from '@jest/globals';
import { S3Client } from '../../../src/storage/s3/client.ts';
import { LateBodies } from '../../../src/storage/s3/late-bodies.ts';
import { PrivateAuthority } from '../../support/private-authority.ts';

const LATE_MS = 60;

const ends: (() => void)[] = [];
let lateWith: readonly (string | undefined)[] = [];
let hasLength = true;
/** What the last requests said about their connection, by method. */
const connection: Record<string, string | undefined> = {};

afterAll(() => {
  for (const end of ends) end();
});

function answer(req: http.IncomingMessage, res: http.ServerResponse): void {
  connection[req.method!] = req.headers.connection;
  res.writeHead(200, hasLength ? { 'content-length': req.method === 'GET' ? 4 : 0 } : {}).flushHeaders();
  const end = () => res.end(req.method === 'GET' ? 'body' : undefined);
  if (lateWith.includes(req.headers.connection)) setTimeout(end, LATE_MS);
  else end();
}

async function clientOf(server: http.Server, ca?: string): Promise<S3Client> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = new S3Client({
    name: 'test',
    endpoint: `http${ca === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    pathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    connectTimeoutMs: 1_000,
    idleTimeoutMs: 2_000,
    ca: ca === undefined ? undefined : [ca],
  });
  ends.push(() => {
    client.close();
    server.close();
  });
  return client;
}

const ask = (client: S3Client, method: 'GET' | 'HEAD' | 'PUT') =>
  client.send({ method, bucket: 'files', key: 'k', ...(method === 'PUT' && { body: Buffer.from('x') }) });

/** Reads an object until the storage is told what is expected about its connection. A busy test process may read head and body at once. */
async function untilRead(client: S3Client, expected: string, most: number): Promise<void> {
  for (let i = 0; i < most; i += 1) {
    await ask(client, 'GET');
    if (connection['GET'] === expected) return;
  }
  expect(connection['GET']).toBe(expected);
}

it('lets storage whose bodies come late close the connection, until they come in time', async () => {
  const client = await clientOf(http.createServer(answer));
  lateWith = [];
  await ask(client, 'GET');
  await ask(client, 'GET');
  expect(connection['GET']).toBe('keep-alive');
  lateWith = ['keep-alive'];
  await untilRead(client, 'close', 1_000);
  await ask(client, 'HEAD');
  await ask(client, 'PUT');
  expect(connection).toEqual({ GET: 'close', HEAD: 'keep-alive', PUT: 'keep-alive' });
  lateWith = [];
  await untilRead(client, 'keep-alive', 1_000);
});

it('keeps the connections to storage that is as slow when it closes them', async () => {
  const client = await clientOf(http.createServer(answer));
  lateWith = ['keep-alive', 'close'];
  await untilRead(client, 'close', 1_000);
  // Fewer than a late body is worth, and also if a minute ends meanwhile.
  await untilRead(client, 'keep-alive', 60);
});

it('keeps the connections by TLS, whose handshake waits in the same way', async () => {
  lateWith = ['keep-alive'];
  const authority = new PrivateAuthority();
  ends.push(() => authority.remove());
  const client = await clientOf(https.createServer(authority.issue(), answer), authority.certificate);
  for (let i = 0; i < 10; i += 1) {
    await ask(client, 'GET');
    expect(connection['GET']).toBe('keep-alive');
  }
});

it('keeps the connections to storage that does not say how long its bodies are', async () => {
  lateWith = ['keep-alive'];
  hasLength = false;
  const client = await clientOf(http.createServer(answer));
  for (let i = 0; i < 10; i += 1) {
    await ask(client, 'GET');
    expect(connection['GET']).toBe('keep-alive');
  }
});

it('does not use up the ports of the system', () => {
  const bodies = new LateBodies();
  const taken = Array.from({ length: 30_000 }, () => {
    bodies.came(LATE_MS, false);
    return bodies.mayClose();
  }).filter(Boolean).length;
  // A minute may end meanwhile.
  expect(taken).toBeGreaterThanOrEqual(10_000);
  expect(taken).toBeLessThanOrEqual(20_000);
});
