import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type AppOptions, type TestApp } from '../support/app.ts';
import { auditLines } from '../support/audit-cases.ts';
import { rawRequest } from '../support/raw-request.ts';
import { RpcConnection } from '../support/rpc-client.ts';

const off = (auth: object = {}, server: object = {}): AppOptions => ({
  config: (config) => ({
    ...config,
    auth: { enabled: false, ...auth },
    server: { ...(config['server'] as object), ...server },
  }),
});

let app: TestApp;
let port: string;
beforeAll(async () => {
  app = await startApp(off());
  ({ port } = new URL(app.origin));
});
afterAll(() => app.close());

type Headers = Readonly<Record<string, string>>;
const OBJECT = '/api/providers/main/buckets/files/object?key=x';
const codeOf = (text: string) => /"code":"(\w+)"/.exec(text)?.[1];

/** One request of each kind: rows of both families, RPC, pages, the reference, and paths that nobody knows. */
const REQUESTS: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/providers'],
  ['GET', '/api/health'],
  ['GET', '/api/auth/me'],
  ['GET', '/v1/auth/session'],
  ['PUT', OBJECT],
  ['GET', OBJECT],
  ['POST', '/rpc'],
  ['GET', '/api/docs'],
  ['GET', '/'],
  ['GET', '/assets/none.js'],
  ['GET', '/nowhere'],
];
const RPC = { body: '{"jsonrpc":"2.0","id":1,"method":"session/get"}', 'content-type': 'application/json' };

async function send(method: string, path: string, headers: Headers) {
  const { body, ...type } = RPC;
  const ownBody = path === '/rpc' ? body : method === 'PUT' ? 'x' : undefined;
  return rawRequest(app.origin, path, {
    method,
    headers: { ...type, ...headers },
    ...(ownBody !== undefined && { body: ownBody }),
  });
}

describe('without sign-in, a request that names an Origin', () => {
  it('is refused on every path when it is not ours', async () => {
    for (const [method, path] of REQUESTS) {
      for (const origin of [
        'https://evil.example',
        'null',
        '',
        `http://127.0.0.1:${Number(port) + 1}`,
        `https://127.0.0.1:${port}`,
        `http://evil.example:${port}`,
      ]) {
        const answer = await send(method, path, { origin });
        expect([method, path, origin, answer.status, codeOf(answer.text())]).toEqual([
          method,
          path,
          origin,
          403,
          'origin_mismatch',
        ]);
      }
    }
  });

  it('is answered when it is ours, by whichever name of this machine', async () => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      for (const [method, path] of [
        ['PUT', OBJECT],
        ['GET', OBJECT],
        ['POST', '/rpc'],
      ] as const) {
        const answer = await send(method, path, { host, origin: `http://${host}` });
        expect([host, method, path, answer.status]).toEqual([host, method, path, 200]);
      }
    }
  });
});

it('without sign-in, everybody may do everything, administration included', async () => {
  expect((await rawRequest(app.origin, '/api/admin/policies')).status).toBe(200);
  const answer = await rawRequest(app.origin, '/rpc', {
    method: 'POST',
    headers: { 'content-type': RPC['content-type'] },
    body: RPC.body.replace('session/get', 'initialize'),
  });
  expect(JSON.parse(answer.text())).toMatchObject({ result: { capabilities: { admin: true } } });
  // There is no session or key that the audit could name.
  const removed = await rawRequest(app.origin, OBJECT, { method: 'DELETE' });
  const [line] = await auditLines(app, removed.headers['x-request-id'] as string);
  expect(line).toMatchObject({ operation: 'object/delete', subject: 'anonymous', via: 'anonymous' });
  expect(line).not.toHaveProperty('credentialId');
});

describe('without sign-in, on loopback', () => {
  it('only a Host that surely is this machine is answered, on every path', async () => {
    for (const [method, path] of REQUESTS) {
      for (const host of [
        'evil.example',
        `evil.example:${port}`,
        `127.0.0.1.evil.example:${port}`,
        `localhost.:${port}`,
        '127.0.0.1',
        'localhost',
        `127.0.0.1:${Number(port) + 1}`,
        `0.0.0.0:${port}`,
        `127.0.0.1:${port}@evil.example`,
      ]) {
        const answer = await send(method, path, { host });
        expect([method, path, host, answer.status, codeOf(answer.text())]).toEqual([
          method,
          path,
          host,
          403,
          'origin_mismatch',
        ]);
      }
    }
    for (const host of [`127.0.0.1:${port}`, `LOCALHOST:${port}`, `127.9.9.9:${port}`, `[::1]:${port}`])
      expect([host, (await send('GET', '/api/providers', { host })).status]).toEqual([host, 200]);
  });

  it('X-Forwarded-Host does not count', async () => {
    expect(
      (await send('GET', '/api/providers', { host: 'evil.example', 'x-forwarded-host': `127.0.0.1:${port}` })).status,
    ).toBe(403);
  });

  it('the pages load their scripts by the name that they were asked by', async () => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const page = await rawRequest(app.origin, '/', { headers: { host, accept: 'text/html' } });
      expect(/script-src ([^;]+)/.exec(page.headers['content-security-policy'] as string)?.[1]).toBe(
        `http://${host}/assets/`,
      );
    }
  });
});

describe('without sign-in, a WebSocket', () => {
  it('is refused to a page of another origin and by another Host, and open to programs', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: `evil.example:${port}` },
      { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
    ] as Headers[]) {
      expect([headers, await RpcConnection.open(app.origin, headers)]).toEqual([headers, 403]);
    }
    for (const headers of [
      {},
      { origin: app.origin },
      { host: `localhost:${port}`, origin: `http://localhost:${port}` },
    ] as Headers[]) {
      const connection = await RpcConnection.open(app.origin, headers);
      if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
      expect(await connection.call('session/get')).toMatchObject({ result: { subject: 'anonymous' } });
      connection.socket.close();
    }
  });
});

describe('without sign-in, behind a proxy or open to the network', () => {
  it('the public origin counts, and its Host', async () => {
    const proxied = await startApp(off({ public_origin: 'https://files.example' }));
    try {
      const ask = (headers: Headers) => rawRequest(proxied.origin, '/api/providers', { headers });
      expect((await ask({ host: 'files.example', origin: 'https://files.example' })).status).toBe(200);
      expect((await ask({ host: 'evil.example' })).status).toBe(403);
      expect((await ask({ host: 'files.example', origin: 'https://evil.example' })).status).toBe(403);
    } finally {
      await proxied.close();
    }
  });

  it('any Host leads here, and no page of another origin', async () => {
    const open = await startApp(
      off({ allow_open_network: true, public_origin: 'https://files.example' }, { host: '0.0.0.0' }),
    );
    try {
      const ask = (headers: Headers) => rawRequest(open.origin, '/api/providers', { headers });
      expect((await ask({ host: '192.0.2.7' })).status).toBe(200);
      expect((await ask({ host: 'files.example', origin: 'https://files.example' })).status).toBe(200);
      expect((await ask({ host: 'evil.example', origin: 'http://evil.example' })).status).toBe(403);
    } finally {
      await open.close();
    }
  });
});
