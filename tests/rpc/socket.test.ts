import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { needsOneProcess } from '../support/one-process.ts';
import { RpcClient, RpcConnection } from '../support/rpc-client.ts';

let app: TestApp;
let offset = 0;

beforeAll(async () => {
  app = await startApp({
    now: () => Date.now() + offset,
    config: (config) => ({ ...config, auth: { ...(config['auth'] as object), session: { ttl_seconds: 3600 } } }),
  });
});
afterAll(() => app.close());

async function connect(headers: Record<string, string>): Promise<RpcConnection> {
  const connection = await RpcConnection.open(app.origin, { origin: app.origin, ...headers });
  if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
  return connection;
}
const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

/** The close code, and whether it came within a second of `act`. */
async function closesAfter(connection: RpcConnection, act: () => Promise<unknown>): Promise<[number, boolean]> {
  await act();
  const since = performance.now();
  return [await connection.closed, performance.now() - since < 1000];
}

describe('/rpc by WebSocket', () => {
  it('answers calls', async () => {
    const connection = await connect(bearer((await signInDesktop(app, 'dan')).access_token));
    expect(await connection.call('session/get')).toMatchObject({ result: { subject: 'dan', kind: 'desktop' } });
    expect(await connection.call('object/head', { provider: 'main', bucket: 'files', key: 'secret/x' })).toMatchObject({
      error: { code: -32003 },
    });
    connection.socket.close();
  });

  it('looks at the origin first, then at the credential', async () => {
    const { access_token: credential } = await signInDesktop(app, 'dan');
    expect(await RpcConnection.open(app.origin, { origin: 'https://evil.example', ...bearer(credential) })).toBe(403);
    expect(await RpcConnection.open(app.origin, bearer(credential))).toBe(403);
    expect(await RpcConnection.open(app.origin, { origin: app.origin })).toBe(401);
    expect(await RpcConnection.open(app.origin, { origin: app.origin, ...bearer('nonsense') })).toBe(401);
  });

  it('closes when a message comes in very many fragments, each of which takes far more memory than its bytes', async () => {
    const connection = await connect(bearer((await signInDesktop(app, 'dan')).access_token));
    const { socket } = connection;
    for (let i = 0; i < 1_000; i++) socket.send(' ', { fin: false });
    socket.send('{}', { fin: true });
    expect(await connection.answerTo(null)).toContain('not a JSON-RPC 2.0 request');
    for (let i = 0; i < 2_000; i++) socket.send(' ', { fin: false });
    expect(await connection.closed).toBe(1008);
  });

  it('tells a client why it closes also when the client goes on sending', async () => {
    const { access_token: credential } = await signInDesktop(app, 'dan');
    const asked = request(`${app.origin}/rpc`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        origin: app.origin,
        ...bearer(credential),
      },
    });
    asked.end();
    const [, stream] = (await once(asked, 'upgrade')) as [unknown, Duplex];
    // Fragments of one blank each, of which the service reads only the first: a part of the message, and masked.
    const fragment = Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x20]);
    stream.write(Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x20]));
    stream.write(Buffer.concat(Array.from({ length: 100_000 }, () => fragment)));
    const answer = await buffer(stream);
    expect([answer[0], answer.readUInt16BE(2)]).toEqual([0x88, 1008]);
  });

  it('closes at sign-out', async () => {
    const { access_token: credential } = await signInDesktop(app, 'dan');
    const connection = await connect(bearer(credential));
    expect(
      await closesAfter(connection, () =>
        fetch(`${app.origin}/v1/auth/logout`, { method: 'POST', headers: bearer(credential) }),
      ),
    ).toEqual([4001, true]);
  });

  it('closes when an administrator revokes the session', async () => {
    const connection = await connect(bearer((await signInDesktop(app, 'vic')).access_token));
    const ada = await app.signIn('ada');
    const { sessions } = (await (
      await ada.request(`${app.origin}/api/admin/sessions`, { headers: { accept: 'application/json' } })
    ).json()) as { sessions: { id: string; subject: string }[] };
    const id = sessions.find(({ subject }) => subject === 'vic')?.id ?? '';
    expect(
      await closesAfter(connection, () =>
        ada.request(`${app.origin}/api/admin/sessions/${id}`, { method: 'DELETE', headers: { origin: app.origin } }),
      ),
    ).toEqual([4001, true]);
  });

  it('closes when its session expires', async () => {
    needsOneProcess('the test moves the clock');
    const { access_token: credential, expires_in: seconds } = await signInDesktop(app, 'dan');
    offset = seconds * 1000 - 2_000;
    const expiresAt = Date.now() + 2_000;
    const connection = await connect(bearer(credential));
    expect(await connection.call('session/get')).toMatchObject({ result: { subject: 'dan' } });
    expect(await connection.closed).toBe(4001);
    offset = 0;
    expect(Date.now() - expiresAt).toBeGreaterThan(-1_000);
    expect(Date.now() - expiresAt).toBeLessThan(10_000);
  });

  it('closes when its API key is revoked', async () => {
    const eve = RpcClient.bearer(app.origin, (await signInDesktop(app, 'eve')).access_token);
    const { key, credential } = await eve.call('apiKey/create', {
      description: 'socket',
      scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
    });
    const connection = await connect(bearer(credential));
    expect(await closesAfter(connection, () => eve.call('apiKey/revoke', { id: key.id }))).toEqual([4001, true]);
  });

  it('closes when its API key expires', async () => {
    const eve = RpcClient.bearer(app.origin, (await signInDesktop(app, 'eve')).access_token);
    const expiresAt = new Date(Date.now() + 1500);
    const { credential } = await eve.call('apiKey/create', {
      description: 'short',
      scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
      expiresAt: expiresAt.toISOString(),
    });
    const connection = await connect(bearer(credential));
    expect(await connection.closed).toBe(4001);
    expect(Date.now() - expiresAt.getTime()).toBeLessThan(10_000);
  });

  it('has at most 32 sockets for a person, whatever credential opens them', async () => {
    needsOneProcess('the limit is one of each worker');
    const { access_token: session } = await signInDesktop(app, 'eve');
    const { credential: key } = await RpcClient.bearer(app.origin, session).call('apiKey/create', {
      description: 'sockets',
      scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
    });
    const connections = await Promise.all(
      Array.from({ length: 32 }, (_, i) => connect(bearer(i % 2 === 0 ? session : key))),
    );
    for (const credential of [session, key, (await signInDesktop(app, 'eve')).access_token])
      expect(await RpcConnection.open(app.origin, { origin: app.origin, ...bearer(credential) })).toBe(429);
    (await connect(bearer((await signInDesktop(app, 'vic')).access_token))).socket.close();
    for (const { socket } of connections) socket.close();
    await Promise.all(connections.map(({ closed }) => closed));
  });

  it('closes on a message over 1 MiB', async () => {
    const connection = await connect(bearer((await signInDesktop(app, 'dan')).access_token));
    connection.socket.send('x'.repeat(1_100_000));
    expect(await connection.closed).toBe(1009);
  });

  it('sends away who comes while the service stops', async () => {
    needsOneProcess('workers stop one by one');
    const other = await startApp();
    const headers = { origin: other.origin, ...bearer((await signInDesktop(other, 'dan')).access_token) };
    // One that does not leave at once keeps the others waiting.
    const deaf = await RpcConnection.open(other.origin, headers);
    if (typeof deaf === 'number') throw new Error(`refused with ${deaf}`);
    deaf.socket.pause();
    const closing = other.close();
    const late = await RpcConnection.open(other.origin, headers);
    if (typeof late === 'number') throw new Error(`refused with ${late}`);
    expect(await late.closed).toBe(1001);
    await closing;
    deaf.socket.resume();
  });

  it('closes with 1001 when the service stops, which it does at once', async () => {
    const other = await startApp();
    const connection = await RpcConnection.open(other.origin, {
      origin: other.origin,
      ...bearer((await signInDesktop(other, 'dan')).access_token),
    });
    if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
    const since = performance.now();
    await other.close();
    expect(await connection.closed).toBe(1001);
    expect(performance.now() - since).toBeLessThan(5000);
  });
});
