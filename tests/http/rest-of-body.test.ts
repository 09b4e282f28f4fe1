import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';

const MIB = 2 ** 20;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

async function startUpload(account: string | undefined, bucket = 'files', connection = 'keep-alive', bytes = 16 * MIB) {
  const { host, port } = new URL(app.origin);
  const session = account && (await app.signIn(account)).cookie(app.origin, 'svc_session')!;
  const lines = [
    `PUT /api/providers/main/buckets/${bucket}/object?key=a HTTP/1.1`,
    `host: ${host}`,
    `origin: ${app.origin}`,
    `connection: ${connection}`,
    `content-length: ${bytes}`,
    ...(session === undefined ? [] : [`cookie: svc_session=${session}`]),
  ];
  const socket = connect(Number(port), '127.0.0.1').pause();
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

it.each([
  ['session_required', undefined, 'files', 'keep-alive'],
  ['session_required', undefined, 'files', 'close'],
  ['access_denied', 'vic', 'files', 'keep-alive'],
  ['access_denied', 'vic', 'files', 'close'],
  ['not_found', 'eve', 'nothing', 'keep-alive'],
  ['not_found', 'eve', 'nothing', 'close'],
])('an upload that reads nothing before it has sent everything is told %s (%s, %s, %s)', async (code, ...upload) => {
  const [account, bucket, connection] = upload;
  const body = Buffer.alloc(16 * MIB);
  const socket = await startUpload(account, bucket, connection);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(body, () => resolve());
  });
  let answer = '';
  for await (const bytes of socket.resume()) {
    answer += String(bytes);
    if (answer.endsWith('}')) break;
  }
  expect(answer).toContain(`"code":"${code}"`);
});

it('an upload that goes on and on after its refusal is cut off', async () => {
  const socket = await startUpload(undefined, 'files', 'keep-alive', 1024 * MIB);
  let sent = 0;
  const ended = new Promise((resolve) => socket.once('error', resolve).once('close', resolve));
  const more = (): void => {
    sent += 1;
    if (sent > 256) socket.destroy();
    else socket.write(Buffer.alloc(MIB), (error) => error ?? more());
  };
  more();
  await ended;
  socket.destroy();
  expect(sent).toBeLessThan(128);
});

it.each([
  ['GET', 'objects'],
  ['DELETE', 'object?key=a'],
])('a body that nobody asked for is not kept while storage is at work: %s %s', async (method, path) => {
  const session = (await app.signIn('eve')).cookie(app.origin, 'svc_session')!;
  const { host, port } = new URL(app.origin);
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  app.storageCalls.before = () => released;
  const lines = [
    `${method} /api/providers/main/buckets/files/${path} HTTP/1.1`,
    `host: ${host}`,
    `origin: ${app.origin}`,
    `content-length: ${16 * MIB}`,
    `cookie: svc_session=${session}`,
  ];
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  // More than the connection takes by itself.
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(Buffer.alloc(16 * MIB), () => resolve());
  });
  release(undefined);
  app.storageCalls.before = undefined;
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 20[04] /);
  socket.destroy();
});
