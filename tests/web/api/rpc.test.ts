import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

let answer = { status: 200, body: '' };
const server = http.createServer(
  (_req, res) => void res.writeHead(answer.status, { 'retry-after': '7' }).end(answer.body),
);
const { fetch } = globalThis;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // A page knows its origin, and Node does not.
  globalThis.fetch = (path, options) => fetch(new URL(path as string, origin), options);
  const window = Object.assign(new EventTarget(), { location: { origin } });
  Object.assign(globalThis, { document: { baseURI: `${origin}/` }, window });
});
afterAll(() => {
  globalThis.fetch = fetch;
  server.close();
  server.closeAllConnections();
});

const BUSY = { code: 'unexpected_answer', status: 429, retryAfterSeconds: 7 };
it.each([
  [429, '<html>', BUSY],
  [429, '{"error":"Too Many Requests"}', BUSY],
  [503, '{"status":503,"error":{"code":503,"message":"down"}}', { ...BUSY, status: 503 }],
  [429, '{"code":"TooManyRequests","message":"slow down"}', BUSY],
  [503, '{"code":"E42","title":"Service Unavailable","detail":"come back later"}', { ...BUSY, status: 503 }],
  [502, '{"error":null}', { ...BUSY, status: 502 }],
  [200, '[null]', { code: 'unexpected_answer' }],
  [200, '{"error":{"message":{}}}', { code: 'unexpected_answer' }],
  [200, '{"error":"odd"}', { code: 'unexpected_answer' }],
  [403, '{"id":null,"error":{"message":"x","data":{"code":"access_denied"}}}', { code: 'access_denied', status: 403 }],
])('tells what answered in place of the service: %d %s', async (status, body, expected) => {
  answer = { status, body };
  const { call } = await import('../../../src/web/api/rpc.ts');
  await expect(call('session/get', {})).rejects.toMatchObject(expected);
});
