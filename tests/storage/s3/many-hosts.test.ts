import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { S3Client } from '../../../src/storage/s3/client.ts';
import { heldBytes } from '../../support/held-bytes.ts';

/** A proxy behind which there is no bucket, and that answers for the bucket `slow` when it is told to. */
let answerSlow = (): void => undefined;
const proxy = http.createServer((req, res) => {
  const answer = () => res.writeHead(404).end();
  if (req.url!.startsWith('http://slow.')) answerSlow = answer;
  else answer();
});
let client: S3Client;
beforeAll(async () => {
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  client = new S3Client({
    name: 'test',
    endpoint: 'http://s3.example.com',
    region: 'us-east-1',
    pathStyle: false,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    connectTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    proxy: { http: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, https: undefined, except: '' },
  });
});
afterAll(() => {
  client.close();
  proxy.close();
  proxy.closeAllConnections();
});

const codeOf = (bucket: string) =>
  client.send({ method: 'GET', bucket }).then(
    () => 'ok',
    (error: unknown) => (error as { code: string }).code,
  );
async function ask(from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 50)
    await Promise.all(Array.from({ length: 50 }, (_, i) => codeOf(`invented-${at + i}`)));
}

it('the names that people invent for buckets fill no memory behind a proxy, and end no request of others', async () => {
  const slow = codeOf('slow');
  await ask(0, 500);
  const before = heldBytes();
  await ask(500, 2_500);
  expect(heldBytes() - before).toBeLessThan(15_000_000);
  answerSlow();
  expect(await slow).toBe('not_found');
}, 60_000);
