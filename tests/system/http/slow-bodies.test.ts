import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';

const DEADLINE_MS = 1_000;

let app: TestApp;
let cookie: string;

beforeAll(async () => {
  app = await startApp({ bodyDeadlineMs: DEADLINE_MS });
  cookie = `svc_session=${(await app.signIn('eve')).cookie(app.origin, 'svc_session')!}`;
});
afterAll(() => app.close());

/** Feeds a body a byte at a time until the service closes the connection. Gives the answer, and how long it took. */
async function feed(
  path: string,
  method: string,
  headers: Record<string, string>,
  bytes: number,
): Promise<{ readonly status: string; readonly ms: number }> {
  const { port, host } = new URL(app.origin);
  const socket = connect(Number(port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const started = performance.now();
  const lines = Object.entries({ host, 'content-length': String(bytes), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  let left = bytes;
  const feeding = setInterval(() => {
    if (left-- > 0) socket.write(left === 0 ? '"' : left === bytes - 1 ? '"' : 'x');
  }, 100);
  // Bytes that follow the answer would meet a closed connection, and the answer could be lost.
  socket.once('data', () => clearInterval(feeding));
  await once(socket, 'close');
  clearInterval(feeding);
  return { status: answer.split('\r\n')[0]!, ms: performance.now() - started };
}

describe('a body that arrives a byte at a time', () => {
  it.each([
    ['POST', '/v1/auth/token', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['POST', '/api/providers/main/buckets', { 'content-type': 'application/json' }],
    ['POST', '/rpc', { 'content-type': 'application/json' }],
  ])('ends with 400 and the connection at the deadline: %s %s', async (method, path, headers) => {
    const { status, ms } = await feed(path, method, { ...headers, cookie, origin: app.origin }, 1_000);
    expect(status).toBe('HTTP/1.1 400 Bad Request');
    expect(ms).toBeGreaterThanOrEqual(DEADLINE_MS);
    expect(ms).toBeLessThan(DEADLINE_MS + 20_000);
  });

  it('is no matter for a stream: an object may take its time', async () => {
    const { status, ms } = await feed(
      '/api/providers/main/buckets/files/object?key=slow.txt',
      'PUT',
      { cookie, origin: app.origin, connection: 'close' },
      15,
    );
    expect(status).toBe('HTTP/1.1 200 OK');
    expect(ms).toBeGreaterThan(DEADLINE_MS);
  });
});
