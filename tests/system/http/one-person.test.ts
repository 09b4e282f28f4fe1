import { once } from 'node:events';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { startStubStorage, type StubStorage } from '../../support/stub-storage.ts';

const MIB = 2 ** 20;

let app: TestApp;
let stub: StubStorage;
/** Sends the first bytes of an object and keeps the others. */
let stalling: StubStorage;
const headers = new Map<string, http.OutgoingHttpHeaders>();
const open: http.ClientRequest[] = [];

beforeAll(async () => {
  stub = await startStubStorage();
  stalling = await startStubStorage({ stallAfter: 1_024 });
  const at = (name: string, { url }: StubStorage) => ({
    name,
    type: 's3',
    endpoint: url,
    path_style: true,
    timeout_seconds: 300,
    credentials: { access_key_id: 'x', secret_access_key: 'x' },
  });
  app = await startApp({
    config: (config) => ({
      ...config,
      auth: { ...(config['auth'] as object), api_keys: { capacity: 256, per_subject: 128 } },
      providers: [...(config['providers'] as object[]), at('endless', stub), at('stalling', stalling)],
    }),
  });
  for (const account of ['ada', 'eve', 'vic'])
    headers.set(account, { cookie: `svc_session=${(await app.signIn(account)).cookie(app.origin, 'svc_session')!}` });
  for (const account of ['ada', 'eve'])
    headers.set(`${account} elsewhere`, {
      authorization: `Bearer ${(await signInDesktop(app, account)).access_token}`,
    });
});
afterEach(() => {
  for (const req of open.splice(0)) req.destroy();
});
afterAll(async () => {
  await app.close();
  await stub.close();
  await stalling.close();
});

const object = (key: string | number, provider = 'endless') =>
  `${app.origin}/api/providers/${provider}/buckets/files/object?key=${key}`;

/** Begins a request, which ends with the test. `events` has what came of it so far. */
function begin(account: string, url: string, options: http.RequestOptions = {}) {
  const req = http.request(url, {
    agent: false,
    ...options,
    headers: { ...headers.get(account), ...(options.headers as http.OutgoingHttpHeaders) },
  });
  const events: (string | number)[] = [];
  req.on('error', () => undefined);
  req.on('continue', () => events.push('continue'));
  req.on('response', ({ statusCode }) => events.push(statusCode!));
  open.push(req);
  const response = once(req, 'response').then(([answer]) => answer as http.IncomingMessage);
  response.catch(() => undefined);
  return { req, events, response };
}

async function contentOf(answer: http.IncomingMessage): Promise<string> {
  return Buffer.concat(await answer.toArray()).toString();
}

async function got(account: string, url: string): Promise<string> {
  const { req, response } = begin(account, url);
  req.end();
  return contentOf(await response);
}

/** Asks for further objects on the connection of a request, before that is answered. */
function askBehind(socket: Socket, times: number): void {
  const request = `GET ${object(MIB, 'stalling').slice(app.origin.length)} HTTP/1.1\r\nhost: x\r\ncookie: ${String(headers.get('eve')!['cookie'])}\r\n\r\n`;
  socket.once('connect', () => setImmediate(() => socket.write(request.repeat(times))));
}

describe('PUT …/object', () => {
  it('of more than 5 GiB is refused with 413 that names uploads in parts, before the body is invited and before storage is asked', async () => {
    const written = stub.written;
    for (const [key, size] of [
      ['k', 5 * 2 ** 30 + 1],
      ['k', 600e9],
    ] as const) {
      const { req, events, response } = begin('eve', object(key), {
        method: 'PUT',
        headers: { expect: '100-continue', 'content-length': size },
      });
      req.flushHeaders();
      const answer = await response;
      expect([events, answer.headers.connection]).toEqual([[413], 'close']);
      expect(JSON.parse(await contentOf(answer))).toMatchObject({
        code: 'payload_too_large',
        detail: expect.stringContaining('in parts'),
      });
    }
    const { req, response } = begin('eve', object('k'), { method: 'PUT', headers: { 'content-length': 600e9 } });
    req.write(Buffer.alloc(MIB));
    expect((await response).statusCode).toBe(413);
    const part = begin('eve', `${app.origin}/api/providers/endless/buckets/files/uploads/id/parts/1?key=k`, {
      method: 'PUT',
      headers: { 'content-length': 600e9 },
    });
    part.req.write(Buffer.alloc(MIB));
    expect((await part.response).statusCode).toBe(413);
    expect(stub.written).toBe(written);
  });

  it('invites a body that is going to be stored, keeps its connection, and invites none of a stranger', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (const body of ['x', 'y'.repeat(2 * MIB)]) {
      const { req, events, response } = begin('eve', object('k'), {
        method: 'PUT',
        agent,
        headers: { expect: '100-continue', 'content-length': body.length },
      });
      req.once('continue', () => req.end(body));
      req.flushHeaders();
      const answer = await response;
      await contentOf(answer);
      expect([events, answer.headers.connection]).toEqual([['continue', 200], 'keep-alive']);
    }
    agent.destroy();
    const { req, events, response } = begin('nobody known', object('k'), {
      method: 'PUT',
      headers: { expect: '100-continue', 'content-length': 5 },
    });
    req.flushHeaders();
    await response;
    expect(events).toEqual([401]);
  });

  it('of unknown length holds only so much for a person: the rest is refused with 429, others are not, and who tries again succeeds', async () => {
    const stalled = Array.from({ length: 69 }, (_, i) =>
      begin(i % 2 === 0 ? 'eve' : 'eve elsewhere', object(`k${i}`), { method: 'PUT' }),
    );
    for (const { req } of stalled) req.write(Buffer.alloc(MIB));
    const refused = await Promise.race(stalled.map(({ response }) => response));
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(JSON.parse(await contentOf(refused))).toMatchObject({
      code: 'rate_limited',
      // There are also too many for the connections that one person may use.
      detail: expect.stringContaining('all the memory'),
    });
    const store = async (account: string): Promise<number | undefined> => {
      const { req, response } = begin(account, object('k'), { method: 'PUT' });
      req.end(Buffer.alloc(9 * MIB));
      return (await response).statusCode;
    };
    expect(await store('ada')).toBe(200);
    for (const req of open.splice(0)) req.destroy();
    expect(await store('eve')).toBe(200);
  });
});

describe('the transfers of one person', () => {
  it('wait for each other from the 65th on, through all their sessions, and nobody else waits for them', async () => {
    needsOneProcess('the limit is one of each worker');
    const held = Array.from({ length: 64 }, (_, i) =>
      begin(i % 2 === 0 ? 'eve' : 'eve elsewhere', object(MIB, 'stalling')),
    );
    for (const { req } of held) req.end();
    for (const { response } of held) expect((await response).statusCode).toBe(200);
    const next = begin('eve', object(5, 'stalling'));
    next.req.end();
    const archive = begin('eve elsewhere', `${app.origin}/api/providers/stalling/buckets/files/archive`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: app.origin },
    });
    archive.req.end(JSON.stringify({ keys: ['7'] }));
    expect(await got('vic', object(5, 'stalling'))).toHaveLength(5);
    expect(await got('eve', `${app.origin}/api/providers`)).toContain('stalling');
    expect([next.events, archive.events]).toEqual([[], []]);
    held.pop()!.req.destroy();
    expect(await contentOf(await next.response)).toHaveLength(5);
    for (const { req } of held.splice(0, 4)) req.destroy();
    expect((await contentOf(await archive.response)).slice(0, 2)).toBe('PK');
  });

  it.each<[string, (i: number) => unknown]>([
    [
      'downloads that nobody reads',
      (i) => begin(i % 2 === 0 ? 'eve' : 'eve elsewhere', object(MIB, 'stalling')).req.end(),
    ],
    [
      'uploads of which nothing has arrived',
      (i) =>
        begin('eve', object(`k${i}`, 'stalling'), {
          method: 'PUT',
          headers: { 'content-length': MIB },
        }).req.flushHeaders(),
    ],
    [
      'uploads of which half has arrived',
      (i) =>
        void begin('eve', object(`k${i}`, 'stalling'), {
          method: 'PUT',
          headers: { 'content-length': 2 * MIB },
        }).req.write(Buffer.alloc(MIB)),
    ],
    [
      'uploads of unknown length',
      (i) => void begin('eve', object(`k${i}`, 'stalling'), { method: 'PUT' }).req.write(Buffer.alloc(MIB)),
    ],
    [
      'uploads that wait to be invited',
      (i) =>
        begin('eve', object(`k${i}`, 'stalling'), {
          method: 'PUT',
          headers: { expect: '100-continue', 'content-length': MIB },
        }).req.flushHeaders(),
    ],
    [
      'searches that nobody reads',
      () =>
        void begin('eve', `${app.origin}/api/providers/stalling/buckets/files/search?q=txt&prefix=100000/`).req.end(),
    ],
    [
      'messages of which half has arrived',
      () =>
        void begin('eve elsewhere', `${app.origin}/rpc`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': MIB },
        }).req.write('['),
    ],
    [
      'downloads behind another on their connection',
      (i) =>
        i % 8 === 0 &&
        begin('eve', object(MIB, 'stalling'))
          .req.once('socket', (socket) => askBehind(socket, 7))
          .end(),
    ],
  ])('leave nothing behind when their client goes away: %s', async (_, one) => {
    for (let i = 0; i < 160; i++) one(i);
    // Another connection's answer comes after those requests were read.
    for (let i = 0; i < 20; i++) await got('vic', object(5, 'stalling'));
    // A busy machine gives back later, but all of it.
    let refused = 64;
    for (let tries = 0; refused > 0 && tries < 10; tries++) {
      for (const req of open.splice(0)) req.destroy();
      const held = Array.from({ length: 64 }, () => begin('eve', object(MIB, 'stalling')));
      for (const { req } of held) req.end();
      const answers = await Promise.all(held.map(({ response }) => response));
      refused = answers.filter(({ statusCode }) => statusCode !== 200).length;
    }
    expect(refused).toBe(0);
  });
});

describe('the questions of one person to storage', () => {
  const place = { provider: 'main', bucket: 'files' };
  /** More than are under way and may wait. */
  const [UNDER_WAY, WAITING, TOO_MANY] = [32, 256, 12];

  it.each<[string, (i: number) => object]>([
    ['bucket/list', () => ({ provider: 'main' })],
    ['bucket/create', (i) => ({ provider: 'main', name: `made-${i}` })],
    ['bucket/delete', (i) => ({ provider: 'main', bucket: `made-${i}` })],
    ['object/list', (i) => ({ ...place, prefix: `p${i}/` })],
    ['object/head', (i) => ({ ...place, key: `k${i}` })],
    ['upload/create', (i) => ({ ...place, key: `k${i}` })],
    ['upload/get', (i) => ({ ...place, key: `k${i}`, id: 'none' })],
    ['upload/abort', (i) => ({ ...place, key: `k${i}`, id: 'none' })],
  ])('wait for each other, and nobody else waits for them: %s', async (method, paramsOf) => {
    needsOneProcess('the limit is one of each worker');
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    let asked = 0;
    app.storageCalls.before = async (call) => {
      if (call.includes('vic')) return;
      asked += 1;
      await released;
    };
    const codes: (string | undefined)[] = [];
    const { promise: isRefused, resolve: refused } = Promise.withResolvers<undefined>();
    const ask = async (i: number): Promise<void> => {
      const { req, response } = begin('ada elsewhere', `${app.origin}/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      req.end(JSON.stringify({ jsonrpc: '2.0', id: i, method, params: paramsOf(i) }));
      const { error } = JSON.parse(await contentOf(await response)) as { error?: { data: { code: string } } };
      codes.push(error?.data.code);
      if (codes.length === TOO_MANY) refused(undefined);
    };
    const asking = Array.from({ length: UNDER_WAY + WAITING + TOO_MANY }, (_, i) => ask(i));
    await isRefused;
    expect([asked, codes]).toEqual([UNDER_WAY, codes.map(() => 'rate_limited')]);
    const list = begin('ada', `${app.origin}/api/providers/main/buckets/files/objects`);
    list.req.end();
    expect([(await list.response).statusCode, (await list.response).headers['retry-after']]).toEqual([429, '5']);
    expect(await got('vic', `${app.origin}/api/providers/main/buckets/files/objects?prefix=vic/`)).toContain('objects');
    release(undefined);
    await Promise.all(asking);
    expect(codes.filter((code) => code === 'rate_limited' || code === 'overloaded')).toHaveLength(TOO_MANY);
    app.storageCalls.before = undefined;
  });
});

describe('messages of one person that wait for storage', () => {
  it('hold only so much memory: the rest is refused with 429, and others are not', async () => {
    needsOneProcess('each worker holds as much');
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    app.storageCalls.before = (call) => (call.includes('vic') ? Promise.resolve() : released);
    const keys = Array.from({ length: 1_000 }, (_, i) => `${i} `.padEnd(1_000, 'k'));
    const params = { provider: 'main', bucket: 'files', keys };
    const message = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'object/delete', params }));
    // More than fit into the memory of a person, and than may wait for it.
    const answers = Array.from({ length: 140 }, () => {
      const { req, response } = begin('ada elsewhere', `${app.origin}/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': message.length },
      });
      req.end(message);
      return response;
    });
    const refused = await Promise.race(answers);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(await contentOf(refused)).toContain('all the memory');
    expect(await got('vic', `${app.origin}/api/providers/main/buckets/files/objects?prefix=vic/`)).toContain('objects');
    for (const req of open.splice(0)) req.destroy();
    release(undefined);
    app.storageCalls.before = undefined;
    expect(await got('ada', `${app.origin}/api/providers/main/buckets/files/objects`)).toContain('objects');
  });

  it('hold as much when they come by sockets: those that find no room are closed with 1013', async () => {
    needsOneProcess('each worker holds as much');
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    app.storageCalls.before = () => released;
    const keys = Array.from({ length: 1_000 }, (_, i) => `${i} `.padEnd(1_000, 'k'));
    const params = { provider: 'main', bucket: 'files', keys };
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'object/delete', params });
    const credential = headers.get('ada elsewhere') as Record<string, string>;
    const sockets: WebSocket[] = [];
    for (let i = 0; i < 12; i += 1) {
      const socket = new WebSocket(`${app.origin.replace('http', 'ws')}/rpc`, {
        headers: { ...credential, origin: app.origin },
      });
      await once(socket, 'open');
      sockets.push(socket);
    }
    // As many as fit into the memory of a person.
    for (let i = 0; i < 66; i += 1) {
      const { req } = begin('ada elsewhere', `${app.origin}/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': message.length },
      });
      req.end(message);
    }
    await got('vic', `${app.origin}/api/providers`);
    const closed = sockets.map(async (socket) => ((await once(socket, 'close')) as [number])[0]);
    for (const socket of sockets) socket.send(message);
    expect(await Promise.race(closed)).toBe(1013);
    for (const socket of sockets) socket.terminate();
    for (const req of open.splice(0)) req.destroy();
    release(undefined);
    app.storageCalls.before = undefined;
    expect(await got('ada', `${app.origin}/api/providers/main/buckets/files/objects`)).toContain('objects');
  });

  it.each([
    [
      '/rpc',
      { jsonrpc: '2.0', id: 1, method: 'object/delete', params: { provider: 'main', bucket: 'files', keys: ['k'] } },
    ],
    ['/api/providers/main/buckets/files/objects/delete', { keys: ['k'] }],
  ])(
    'hold what they are and not what they might have been: small ones without a length leave room for others: %s',
    async (path, message) => {
      needsOneProcess('each worker holds as much');
      const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
      const { promise: isFull, resolve: full } = Promise.withResolvers<undefined>();
      let asked = 0;
      app.storageCalls.before = async () => {
        if ((asked += 1) === 16) full(undefined);
        await released;
      };
      const ask = (at: string, body: object) => {
        const { req, response } = begin('ada elsewhere', `${app.origin}${at}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
        });
        req.end(JSON.stringify(body));
        return response;
      };
      const waiting = Array.from({ length: 100 }, () => ask(path, message));
      await isFull;
      const mine = { jsonrpc: '2.0', id: 1, method: 'session/get', params: {} };
      expect(JSON.parse(await contentOf(await ask('/rpc', mine)))).toMatchObject({ result: { subject: 'ada' } });
      release(undefined);
      app.storageCalls.before = undefined;
      for (const answer of await Promise.all(waiting)) expect(await contentOf(answer)).toContain('deleted');
    },
  );
});

describe('answers of one person that nobody reads', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** Asks, and reads no further than the status of the answer. */
  const ask = (account: string, path: string, body?: string): Promise<string> => {
    const socket = connect({ port: Number(new URL(app.origin).port), host: '127.0.0.1' });
    sockets.push(socket);
    const named = Object.entries({ host: '127.0.0.1', ...headers.get(account) }).map((header) => header.join(': '));
    const content = body === undefined ? '' : `\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    const method = body === undefined ? 'GET' : 'POST';
    socket.write(`${method} ${path} HTTP/1.1\r\n${named.join('\r\n')}${content}\r\n\r\n${body ?? ''}`);
    return once(socket, 'data').then(([data]) => {
      socket.pause();
      return (data as Buffer).toString('latin1').slice(9, 12);
    });
  };
  const describing = JSON.stringify(
    Array.from({ length: 40 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'rpc.discover' })),
  );
  const asking = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  beforeAll(async () => {
    const { authorization } = headers.get('eve elsewhere')!;
    const prefix = 'p'.repeat(1_000);
    const resources = Array.from({ length: 50 }, () => ({ type: 'prefix', provider: 'main', bucket: 'files', prefix }));
    const scope = { rules: [{ actions: ['objects:read'], resources }] };
    for (let i = 0; i < 100; i++) {
      const { req, response } = begin('eve elsewhere', `${app.origin}/rpc`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
      });
      req.end(asking('apiKey/create', { description: `${i}`, scope }));
      expect(await contentOf(await response)).toContain('credential');
    }
  });

  const CLOSE_FRAME = 0x88;
  const PING_FRAME = 0x89;
  /** The same by a WebSocket, which the service closes when its person holds too much. */
  const askBySocket = (account: string): Promise<string> => {
    const socket = new WebSocket(`${app.origin.replace('http', 'ws')}/rpc`, {
      headers: { ...headers.get(account), origin: app.origin },
    });
    socket.on('error', () => undefined);
    return new Promise((resolve) => {
      socket.once('upgrade', ({ socket: stream }: http.IncomingMessage) => {
        sockets.push(stream);
        const first = (data: Buffer): void => {
          // The service pings while the answer waits for memory.
          if (data[0] === PING_FRAME) return;
          stream.off('data', first).pause();
          resolve(data[0] === CLOSE_FRAME ? '429' : '200');
        };
        stream.on('data', first);
      });
      // The kernel takes up to 4 MiB of an answer, and the list is longer.
      socket.once('open', () => socket.send(asking('apiKey/list')));
    });
  };

  it.each<[string, number, (account: string) => Promise<string>]>([
    ['batches', 100, (account) => ask(`${account} elsewhere`, '/rpc', describing)],
    ['lists', 100, (account) => ask(`${account} elsewhere`, '/rpc', asking('apiKey/list'))],
    ['lists on all the WebSockets that a person may have but one', 31, (account) => askBySocket(account)],
  ])('hold only so much memory, and nobody else waits for them: %s', async (what, many, one) => {
    if (what.includes('WebSockets'))
      needsOneProcess('each worker holds as much, and the WebSockets are too few for two');
    const answers = Array.from({ length: many }, () => one('eve'));
    const refused = Promise.race(answers.map((answer) => answer.then((status) => status === '429' || never())));
    const answered = Promise.all(answers).then(() => false);
    expect(await one('ada')).toBe('200');
    expect(await Promise.race([refused, answered])).toBe(true);
    for (const socket of sockets.splice(0)) socket.destroy();
    expect(await one('eve')).toBe('200');
  });
});

function never(): Promise<never> {
  return new Promise(() => undefined);
}
