import { once } from 'node:events';
import http, { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { auditLog } from '../../src/audit/audit-log.ts';
import { WebSocket } from 'ws';
import { CredentialWatch } from '../../src/access/credential-watch.ts';
import { readCredentials } from '../../src/access/credentials.ts';
import { FolderWatches } from '../../src/access/folder-watches.ts';
import { Identify } from '../../src/access/identify.ts';
import { ObjectChanges } from '../../src/access/object-changes.ts';
import { OriginCheck } from '../../src/access/origin.ts';
import { SvcError } from '../../src/errors/svc-error.ts';
import { createLogger } from '../../src/log/logger.ts';
import { LivePolicies } from '../../src/access/live-policies.ts';
import { Dispatch } from '../../src/rpc/dispatch.ts';
import { HELD_BYTES_OF_A_PERSON } from '../../src/operation/held-memory.ts';
import { operation, type AnyOperation } from '../../src/operation/operation.ts';
import { Performer } from '../../src/operation/perform.ts';
import { RpcSocket } from '../../src/rpc/socket.ts';
import { MemorySessionStore } from '../../src/session/memory-store.ts';
import { Sessions } from '../../src/session/sessions.ts';
import { RpcConnection } from '../support/rpc-client.ts';

const MIB = 1_048_576;

let server: Server;
let socket: RpcSocket;
let identify: Identify;
let performer: Performer;
let origin: string;
let calls: number;
let aborted: number;
/** Ends the calls of `bucket/list`. */
let release: () => void;
const clients: WebSocket[] = [];

/** What a call costs and gives is up to the test: the rest is the service's own. */
function methods(): ReadonlyMap<string, AnyOperation> {
  const held = new Promise<void>((resolve) => void (release = resolve));
  const access = { kind: 'session' } as const;
  const operations: readonly AnyOperation[] = [
    operation({
      name: 'session/get',
      access,
      run: () => (calls++, { issuer: '', subject: 'x', groups: [], name: 'x', kind: 'web', expiresAt: null }),
    }),
    // As many MiB as the provider's name says.
    operation({
      name: 'bucket/create',
      access,
      run: ({ input }) => (calls++, { name: 'x'.repeat(Number(input.provider) * MIB) }),
    }),
    operation({
      name: 'bucket/list',
      access,
      run: async ({ signal }) => {
        calls++;
        signal.addEventListener('abort', () => aborted++);
        await held;
        return { buckets: [] };
      },
    }),
  ];
  return new Map(operations.map((each) => [each.name, each]));
}

beforeEach(async () => {
  [calls, aborted] = [0, 0];
  const log = createLogger({ level: 'error', format: 'json', stream: new PassThrough().resume() });
  const sessions = new Sessions({
    store: new MemorySessionStore({ capacity: 1, perSubject: 1, now: Date.now }),
    ttlSeconds: 60,
    isAdmin: () => false,
    now: Date.now,
  });
  const policies = new LivePolicies({ enabled: false, roles: [], policies: [], bindings: [], localUsers: [] });
  identify = new Identify({ authEnabled: false, sessions, policies, apiKeys: undefined, cookieSecrets: [] });
  server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const watch = new CredentialWatch({ identify, sessions, apiKeys: undefined, now: Date.now });
  performer = new Performer({
    audit: auditLog({ info: () => undefined } as never),
    watch,
    storage: {} as never,
    services: {} as never,
  });
  socket = new RpcSocket({
    identify,
    dispatch: new Dispatch({ methods: methods(), performer, log, version: '0' }),
    performer,
    watch,
    folders: new FolderWatches(new ObjectChanges(undefined)),
    ownOrigin: new OriginCheck({
      authEnabled: false,
      publicOrigin: origin,
      loopbackPort: Number(new URL(origin).port),
    }),
    addressOf: () => undefined,
    log,
    heartbeatMs: 1_000,
  });
  server.on('upgrade', (req, stream, head) => void socket.upgrade(req, stream, head));
});

afterEach(async () => {
  release();
  for (const client of clients.splice(0)) client.terminate();
  await socket.close();
  await new Promise((resolve) => void server.close(resolve));
});

async function open(): Promise<RpcConnection> {
  const connection = await RpcConnection.open(origin, { origin });
  if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
  clients.push(connection.socket);
  return connection;
}
const connections = () => promisify<number>((told) => server.getConnections(told))();
const call = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
/** How much the client could not send, once the service reads no more: both are in this process, and read whenever its event loop turns. */
async function leftUnread(client: WebSocket): Promise<number> {
  let left = client.bufferedAmount;
  for (let still = 0; still < 20; still++) {
    await wait(20);
    if (client.bufferedAmount !== left) still = 0;
    left = client.bufferedAmount;
  }
  return left;
}
/** A call whose answer has so many MiB. */
const large = (mib: number) => call('bucket/create', { provider: String(mib), name: 'abc' });

describe('a socket whose client does not read', () => {
  it('is not read from any more, and is cut off', async () => {
    const { socket: client, closed } = await open();
    client.pause();
    // Far more than the service and the system between us hold.
    for (let i = 0; i < 200; i++) client.send(large(1));
    while ((await connections()) > 0) await wait(10);
    // What the system's buffers took, and no more.
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(20);
    client.resume();
    client.on('message', () => undefined);
    expect(await closed).toBe(1006);
  });

  it('goes on where the client reads again', async () => {
    const { socket: client } = await open();
    let answers = 0;
    client.on('message', () => answers++);
    client.pause();
    for (let i = 0; i < 12; i++) client.send(large(1));
    await wait(100);
    client.resume();
    while (answers < 12) await once(client, 'message');
    expect(calls).toBe(12);
  });

  it('is closed with 1013 for an answer over 8 MiB', async () => {
    const { socket: client, closed } = await open();
    client.send(large(9));
    expect(await closed).toBe(1013);
  });
});

describe('a socket whose messages wait', () => {
  it('is closed with 1013 over 256 of them', async () => {
    const { socket: client, closed } = await open();
    for (let i = 0; i < 256; i++) client.send(call('bucket/list', { provider: 'x' }));
    await wait(100);
    expect(client.readyState).toBe(WebSocket.OPEN);
    client.send(call('bucket/list', { provider: 'x' }));
    expect(await closed).toBe(1013);
    expect(calls).toBe(1);
  });

  it('holds no more than 2 MiB of them', async () => {
    const { socket: client, closed } = await open();
    client.send(call('bucket/list', { provider: 'x' }));
    const padded = call('session/get') + ' '.repeat(500_000);
    for (let i = 0; i < 100; i++) client.send(padded);
    // The rest is on the client's side still.
    expect(await leftUnread(client)).toBeGreaterThan(20 * MIB);
    release();
    while (calls < 101) await once(client, 'message');
    client.close();
    expect(await closed).toBe(1005);
  });

  it('aborts what is under way when the client goes', async () => {
    const { socket: client } = await open();
    client.send(call('bucket/list', { provider: 'x' }));
    while (calls === 0) await wait(10);
    client.terminate();
    while (aborted === 0) await wait(10);
    release();
  });
});

describe('a large message', () => {
  /** The connections of the service. */
  const streams: Socket[] = [];
  beforeEach(() => {
    streams.length = 0;
    server.on('connection', (stream: Socket) => streams.push(stream));
  });

  /** Runs work while the person holds all the memory that one may hold. */
  const whileAllIsHeld = async (work: () => Promise<void>) => {
    const caller = (await identify.byCredentials(readCredentials({})))!;
    await performer.hold(caller, HELD_BYTES_OF_A_PERSON, { signal: new AbortController().signal }, work);
  };

  it('is not read beyond its beginning while its person holds all memory', async () => {
    const { socket: client } = await open();
    const other = await open();
    await whileAllIsHeld(async () => {
      client.send(call('session/get') + ' '.repeat(MIB / 2), { fin: false });
      for (let i = 0; i < 20; i++) {
        other.socket.send(call('session/get'));
        await once(other.socket, 'message');
        await wait(10);
      }
      expect(streams[0]!.bytesRead).toBeLessThan(MIB / 4);
    });
    client.send('');
    await once(client, 'message');
    expect(calls).toBe(21);
    await whileAllIsHeld(async () => undefined);
  });

  it('holds nothing any more when its rest does not come', async () => {
    const { socket: client, closed } = await open();
    client.send(' '.repeat(MIB / 2), { fin: false });
    while ((streams[0]?.bytesRead ?? 0) < MIB / 2) await wait(10);
    client.terminate();
    await closed;
    await whileAllIsHeld(async () => undefined);
  });

  it('is cut off when its rest does not come, also when its client answers pings', async () => {
    const { socket: client, closed } = await open();
    let pings = 0;
    client.on('ping', () => void (pings += 1));
    client.send(' '.repeat(MIB / 2), { fin: false });
    await closed;
    expect(pings).toBeGreaterThan(0);
    await whileAllIsHeld(async () => undefined);
  });

  it('is not made of pongs', async () => {
    const { socket: client } = await open();
    for (let i = 0; i < 5_000; i++) client.pong('still here');
    while ((streams[0]?.bytesRead ?? 0) < 5_000 * 16) await wait(10);
    await whileAllIsHeld(async () => undefined);
  });
});

describe('a socket while it cannot be told who asks', () => {
  it('is closed with 1013, to come back, and nothing is done', async () => {
    const { socket: client, closed } = await open();
    identify.byCredentialRef = () => Promise.reject(new SvcError('session_store_unavailable'));
    client.send(call('session/get'));
    expect(await closed).toBe(1013);
    expect(calls).toBe(0);
  });
});

describe('the heartbeat', () => {
  it('cuts off a client that does not answer it, and no other', async () => {
    const living = await open();
    const { socket: client, closed } = await open();
    // As a client whose machine is gone: what it would say does not come.
    (client as unknown as { _autoPong: boolean })._autoPong = false;
    expect(await closed).toBe(1006);
    expect(living.socket.readyState).toBe(WebSocket.OPEN);
  });
});

describe('everybody together, without sign-in,', () => {
  it('has at most 32 sockets; one that is gone makes room', async () => {
    const connections = await Promise.all(Array.from({ length: 32 }, open));
    expect(await RpcConnection.open(origin, { origin })).toBe(429);
    const upgrade = {
      origin,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const [refused] = (await once(http.get(`${origin}/rpc`, { headers: upgrade, agent: false }), 'response')) as [
      http.IncomingMessage,
    ];
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
    refused.destroy();
    connections[0]!.socket.close();
    await connections[0]!.closed;
    await open();
    expect(await RpcConnection.open(origin, { origin })).toBe(429);
  });
});

describe('a refused upgrade', () => {
  it('is answered and closed, whatever the client does', async () => {
    const client = connect({ port: Number(new URL(origin).port), host: '127.0.0.1', allowHalfOpen: true });
    client.write(
      `GET /rpc HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: https://evil.example\r\n\r\n`,
    );
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 403 /);
    await once(client, 'end');
    await wait(100);
    // The client never ends its side; the service has let go of it all the same.
    expect(await new Promise<number>((resolve) => void server.getConnections((_error, count) => resolve(count)))).toBe(
      0,
    );
    client.destroy();
  });
});
