import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { heldBytes } from '../../support/held-bytes.ts';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp();
  token = (await signInDesktop(app, 'ada')).access_token;
});
afterAll(() => app.close());

const BODIES: readonly (readonly [path: string, pieces: number])[] = [
  ['/rpc', 200_000],
  ['/api/providers/main/buckets/files/objects/copy', 60_000],
];

it.each(BODIES)('a body in very small pieces takes about as much memory as its bytes: %s', async (path, pieces) => {
  const { hostname, port, host } = new URL(app.origin);
  const before = heldBytes();
  let answer = '';
  const socket = connect(Number(port), hostname)
    .on('error', () => undefined)
    .on('data', (bytes) => (answer += bytes.toString()));
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  await new Promise((resolve) => socket.write(head + '1\r\n \r\n'.repeat(pieces), resolve));
  await wait(500);
  const held = heldBytes() - before;
  socket.destroy();
  await wait(500);
  expect(answer).toBe('');
  expect(held).toBeLessThan(pieces * 60);
});
