import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/**
 * All that comes back for a request that asks to leave HTTP, and that the client leaves open.
 *
 * @param before - a request that is sent before it at once.
 */
async function upgrade(path: string, protocol: string, headers = '', before = ''): Promise<string> {
  const { host, hostname, port } = new URL(app.origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let said = '';
  socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
  socket.write(
    `${before}GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, close\r\nUpgrade: ${protocol}\r\n${headers}\r\n`,
  );
  await once(socket, 'end');
  socket.destroy();
  return said;
}

describe('a request with `Upgrade`', () => {
  it('is answered as HTTP/1.1 when it asks for h2c, as curl --http2 does', async () => {
    const answer = await upgrade('/api/health', 'h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('"status":"ok"');
  });

  it('is answered as HTTP/1.1 when there is no socket at its path', async () => {
    expect(await upgrade('/api/health', 'websocket')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await upgrade('/api/nowhere', 'websocket')).toMatch(/^HTTP\/1\.1 404 /);
    expect(await upgrade('/rpc', 'h2c')).toMatch(/^HTTP\/1\.1 405 /);
  });

  it('is answered as HTTP/1.1 behind an answer that is due', async () => {
    const { host } = new URL(app.origin);
    const before = `GET /api/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const said = await upgrade('/rpc', 'websocket', `Origin: ${app.origin}\r\n`, before);
    expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 405']);
  });

  it('is refused and closed when a socket may not be opened', async () => {
    expect(await upgrade('/rpc', 'websocket', `Origin: ${app.origin}\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
    expect(await upgrade('/rpc', 'websocket', 'Origin: https://evil.example\r\n')).toMatch(/^HTTP\/1\.1 403 /);
  });
});
