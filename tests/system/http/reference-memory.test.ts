import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { heldBytes } from '../../support/held-bytes.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { rawRequest } from '../../support/raw-request.ts';

const CONNECTIONS = 40;
/** The kernel takes the first of these answers, whether the client reads or not. */
const REQUESTS = 30;
const MOST_BYTES = 8e6;

it('the description of the API is in memory once, however many clients do not read it', async () => {
  needsOneProcess('the memory is that of this process');
  const app = await startApp({ isUnwatched: true });
  const sockets: Socket[] = [];
  try {
    const { host, port } = new URL(app.origin);
    const authorization = `Bearer ${(await signInDesktop(app, 'vic')).access_token}`;
    await rawRequest(app.origin, '/api/openapi.json', { headers: { host, authorization } });
    const request = `GET /api/openapi.json HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n\r\n`;
    const before = heldBytes();
    for (let i = 0; i < CONNECTIONS; i += 1) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      socket.once('data', () => socket.pause()).write(request.repeat(REQUESTS));
    }
    for (let [last, now] = [-1, 0]; now !== last;) {
      await wait(1_000);
      [last, now] = [now, sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)];
    }
    expect(sockets.every(({ destroyed, bytesRead }) => !destroyed && bytesRead > 0)).toBe(true);
    expect(heldBytes() - before).toBeLessThan(MOST_BYTES);
  } finally {
    for (const socket of sockets) socket.destroy();
    await app.close();
  }
});
