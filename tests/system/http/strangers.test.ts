import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Route } from '../../../src/http/routing/route.ts';
import { rpcSchemas } from '../../../src/wire/rpc.ts';
import { AUDIT_SECRET } from '../../audit/support/audit-folder.ts';
import { startApp, type AppOptions, type TestApp } from '../../support/app.ts';
import { auditLines } from '../../support/audit-cases.ts';
import { desktopAttempt, signInDesktop } from '../../support/desktop-client.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RpcClient, RpcConnection } from '../../support/rpc-client.ts';
import { Visitor } from '../../support/visitor.ts';

const FORM = 'application/x-www-form-urlencoded';
const VALUES: Readonly<Record<string, string>> = {
  provider: 'main',
  bucket: 'files',
  id: 'x',
  number: '1',
  ticket: 'x'.repeat(43),
};

const folder = mkdtempSync(join(tmpdir(), 'svc-strangers-'));
const path = join(folder, 'audit');
const open: TestApp[] = [];
afterAll(async () => {
  for (const app of open) await app.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: AppOptions): Promise<TestApp> {
  const app = await startApp(options);
  open.push(app);
  return app;
}

type Headers = Readonly<Record<string, string>>;

/** Credentials that are not valid, and what browsers say of requests that other sites cause. */
const CREDENTIALS: Readonly<Record<string, Headers>> = {
  'no credential': {},
  'a cookie that nobody signed': { cookie: 'svc_session=s%3Amade-up.signature' },
  'two cookies': { cookie: 'svc_session=a; svc_session=b' },
  'a made-up session': { authorization: `Bearer ${'x'.repeat(43)}` },
  'a made-up API key': { authorization: `Bearer svc_ak_${'0'.repeat(24)}_${'x'.repeat(43)}` },
};
const SENDERS: readonly Headers[] = [
  {},
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example' },
  { 'sec-fetch-dest': 'script' },
  { accept: 'text/html' },
];

/** Each credential alone, and some of them from each sender. */
function headersOf(credentials: Readonly<Record<string, Headers>>): Headers[] {
  const sent = ['no credential', 'a cookie that nobody signed', 'a made-up session'].flatMap((name) =>
    SENDERS.map((sender) => ({ ...credentials[name], ...sender })),
  );
  return [...Object.values(credentials), ...sent];
}

/** Sends each method of each row. @returns `METHOD path status` of the answers. */
async function walkRows(app: TestApp, headers: readonly Headers[]): Promise<Set<string>> {
  const seen = new Set<string>();
  for (const row of app.rows) {
    const at = row.path.replace(/:(\w+)/g, (_match, name: string) => VALUES[name]!);
    for (const method of row.method === 'get' ? ['GET', 'HEAD'] : [row.method.toUpperCase()]) {
      const requests = headers.map((each) => ({
        method,
        headers: { ...each, ...typeOf(row) },
        ...(row.method === 'get' ? {} : { body: '{}' }),
      }));
      for (const { status } of await Promise.all(requests.map((request) => rawRequest(app.origin, at, request))))
        seen.add(`${method} ${row.path} ${status}`);
    }
  }
  return seen;
}

function typeOf({ body, bodyType }: Route): Headers {
  return typeof body === 'object' ? { 'content-type': bodyType } : {};
}

/** Calls each method by POST, and asks for a socket. @returns the status of the answers. */
async function walkRpc({ origin }: TestApp, credentials: Readonly<Record<string, Headers>>): Promise<Set<unknown>> {
  const seen = new Set<unknown>();
  for (const credential of Object.values(credentials)) {
    for (const method of Object.keys(rpcSchemas))
      seen.add(
        (await new RpcClient(origin, credential).send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} })))
          .status,
      );
    for (const sender of [{ origin }, ...SENDERS])
      seen.add(await RpcConnection.open(origin, { ...credential, ...sender }));
  }
  return seen;
}

/** Sign-ins that a stranger begins, and ends in each way that needs no account. */
async function walkSignIn(app: TestApp): Promise<string[]> {
  const outcomes: string[] = [];
  for (const begin of ['/api/auth/login', desktopAttempt(app.origin).authorizeUrl.slice(app.origin.length)]) {
    for (const callback of ['/api/auth/callback', '/v1/auth/callback']) {
      for (const end of ['error=access_denied', 'code=made-up', 'code=a&code=b', '']) {
        const visitor = new Visitor();
        const state = new URL((await visitor.request(app.origin + begin)).headers.get('location')!).searchParams.get(
          'state',
        )!;
        const answers = [];
        // The second time, the sign-in is used.
        for (let i = 0; i < 2; i += 1)
          answers.push(
            await visitor.request(`${app.origin}${callback}?${new URLSearchParams({ state }).toString()}&${end}`),
          );
        outcomes.push(answers.map(({ status }) => status).join(' '));
      }
    }
  }
  return outcomes;
}

/** Requests to the token and logout routes, each wrong in another way. */
async function walkForms({ origin, idp, issuer }: TestApp): Promise<number[]> {
  const now = Math.floor(Date.now() / 1000);
  const ofAnother = await idp.signed({
    iss: issuer,
    aud: 'another',
    iat: now,
    exp: now + 60,
    jti: 'x',
    sub: 'ada',
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
  const exchange = {
    grant_type: 'authorization_code',
    client_id: 'svc-desktop',
    redirect_uri: 'http://127.0.0.1:49152/callback',
    code: 'made-up',
    code_verifier: 'x'.repeat(43),
  };
  const forms: readonly (readonly [string, Record<string, string>])[] = [
    ['/v1/auth/token', {}],
    ['/v1/auth/token', { grant_type: 'password' }],
    ['/v1/auth/token', exchange],
    ['/v1/auth/token', { grant_type: 'authorization_code', code: 'x'.repeat(100_000) }],
    ['/v1/auth/backchannel-logout', {}],
    ['/v1/auth/backchannel-logout', { logout_token: 'a.b.c' }],
    ['/v1/auth/backchannel-logout', { logout_token: ofAnother }],
    ['/v1/auth/backchannel-logout', { logout_token: 'x'.repeat(100_000) }],
  ];
  return Promise.all(
    forms.map(
      async ([at, form]) =>
        (
          await rawRequest(origin, at, {
            method: 'POST',
            headers: { 'content-type': FORM },
            body: new URLSearchParams(form).toString(),
          })
        ).status,
    ),
  );
}

type Line = { readonly operation: string; readonly why?: string };
const said = (lines: readonly Line[]): string[] => [
  ...new Set(lines.map(({ operation, why }) => `${operation} ${why ?? 'done'}`)),
];

/** The lines of the files, without the first of the segment. */
function linesOnDisk(): Line[] {
  return readdirSync(join(path, 'one'))
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) =>
      readFileSync(join(path, 'one', name), 'utf8')
        .split('\n')
        .slice(1, -1)
        .map((line) => JSON.parse(line) as Line),
    );
}

describe('requests of strangers', () => {
  it('leave no line in the audit, whatever they ask', async () => {
    needsOneProcess('the test reads the audit of one process');
    const app = await start({
      config: (config) => ({ ...config, audit: { path, instance: 'one', signing_secret: AUDIT_SECRET } }),
    });
    const ada = (await app.signIn('ada')).cookie(app.origin, 'svc_session')!;
    const { access_token: ended } = await signInDesktop(app, 'dan');
    expect(
      (
        await rawRequest(app.origin, '/v1/auth/logout', {
          method: 'POST',
          headers: { authorization: `Bearer ${ended}` },
        })
      ).status,
    ).toBe(200);
    const before = linesOnDisk();
    expect(before.length).toBeGreaterThan(3);

    const credentials = { ...CREDENTIALS, 'a session that has ended': { authorization: `Bearer ${ended}` } };
    const seen = await walkRows(app, headersOf(credentials));
    for (const one of [
      'GET /v1/transfers/:ticket 404',
      'PUT /v1/transfers/:ticket 403',
      'GET /api/auth/logout 204',
      'GET /api/auth/logout 303',
      'DELETE /api/providers/:provider/buckets/:bucket 403',
    ])
      expect([one, seen.has(one)]).toEqual([one, true]);
    expect(await walkRpc(app, credentials)).toEqual(new Set([401, 403]));
    expect(new Set(await walkSignIn(app))).toEqual(new Set(['403 401', '401 401', '303 401']));
    expect(new Set(await walkForms(app))).toEqual(new Set([400, 413]));

    // The line of a change is written after all lines before it.
    const key = 'after the strangers';
    expect(
      (
        await rawRequest(app.origin, `/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`, {
          method: 'PUT',
          headers: { cookie: `svc_session=${ada}` },
          body: 'x',
        })
      ).status,
    ).toBe(200);
    const since = linesOnDisk().slice(before.length);
    expect(said(since.filter((line) => !JSON.stringify(line).includes(key)))).toEqual([]);
    expect(since.length).toBeGreaterThan(0);
  });

  it('are limited for each address, which keeps nobody away who has a valid credential', async () => {
    needsOneProcess('each worker counts failed requests');
    const app = await start({
      config: (config) => ({
        ...config,
        server: {
          ...(config['server'] as object),
          rate_limit: { sign_in_per_minute: 6 },
          trusted_proxies: ['127.0.0.1'],
        },
      }),
    });
    const ask = (address: string, method: string, at: string, headers: Headers = {}) =>
      rawRequest(app.origin, at, { method, headers: { 'x-forwarded-for': address, ...headers } });
    const cookie = { cookie: `svc_session=${(await app.signIn('ada')).cookie(app.origin, 'svc_session')!}` };
    const bearer = (await signInDesktop(app, 'ada')).access_token;
    expect(
      (
        await rawRequest(app.origin, '/api/providers/main/buckets/files/object?key=x', {
          method: 'PUT',
          headers: cookie,
          body: 'x',
        })
      ).status,
    ).toBe(200);
    const { url } = await RpcClient.bearer(app.origin, bearer).call('transfer/create', {
      provider: 'main',
      bucket: 'files',
      key: 'x',
      direction: 'download',
    });

    const ofAnotherSite = { 'sec-fetch-site': 'cross-site' };
    const bucket = '/api/providers/main/buckets/files';
    const requests: readonly { readonly status: number; readonly of: readonly [string, string, Headers] }[] = [
      { status: 404, of: ['GET', `/v1/transfers/${VALUES['ticket']!}`, {}] },
      { status: 404, of: ['PUT', `/v1/transfers/${VALUES['ticket']!}`, {}] },
      { status: 204, of: ['GET', '/api/auth/logout', {}] },
      { status: 403, of: ['GET', '/api/auth/logout', ofAnotherSite] },
      { status: 403, of: ['DELETE', bucket, { ...CREDENTIALS['a cookie that nobody signed'], ...ofAnotherSite }] },
      { status: 403, of: ['GET', '/api/health', { 'sec-fetch-dest': 'script' }] },
    ];
    for (const [i, { status, of }] of requests.entries()) {
      const statuses = [];
      for (let n = 0; n < 8; n += 1) statuses.push((await ask(`203.0.113.${i}`, ...of)).status);
      expect([of, statuses]).toEqual([of, [...Array.from({ length: 6 }, () => status), 429, 429]]);
    }
    const refused = await ask('203.0.113.0', ...requests[0]!.of);
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);

    for (const [i] of requests.entries())
      expect((await ask(`203.0.113.${i}`, 'GET', new URL(url).pathname)).status).toBe(200);
    expect((await ask('203.0.113.4', 'DELETE', bucket, { ...cookie, ...ofAnotherSite })).status).toBe(403);
    expect((await ask('203.0.113.2', 'GET', '/api/auth/logout', cookie)).status).toBe(204);
    expect((await ask('203.0.113.2', 'GET', '/api/providers', cookie)).status).toBe(401);
  });

  it('do not keep away the identity provider, which shares the address of a proxy with them', async () => {
    needsOneProcess('each worker counts failed requests');
    const app = await start({
      config: (config) => ({
        ...config,
        server: { ...(config['server'] as object), rate_limit: { sign_in_per_minute: 3 } },
      }),
    });
    const statuses = [];
    for (let n = 0; n < 4; n += 1)
      statuses.push((await rawRequest(app.origin, `/v1/transfers/${VALUES['ticket']!}`)).status);
    expect(statuses).toEqual([404, 404, 404, 429]);

    const now = Math.floor(Date.now() / 1000);
    const token = await app.idp.signed({
      iss: app.issuer,
      aud: 'svc',
      iat: now,
      exp: now + 60,
      jti: 'x',
      sub: 'ada',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    const body = new URLSearchParams({ logout_token: token }).toString();
    expect(
      (
        await rawRequest(app.origin, '/v1/auth/backchannel-logout', {
          method: 'POST',
          headers: { 'content-type': FORM },
          body,
        })
      ).status,
    ).toBe(200);
  });

  it('leave no line while the session store cannot say whose credential it is', async () => {
    const app = await start({
      config: (config) => ({
        ...config,
        auth: { ...(config['auth'] as object), session: { type: 'redis', url: 'redis://127.0.0.1:1' } },
      }),
    });
    const seen = await walkRows(app, [CREDENTIALS['a made-up session']!]);
    expect([...seen].filter((one) => one.endsWith('503')).length).toBeGreaterThan(30);
    expect(said((await auditLines(app)) as Line[])).toEqual([]);
  });
});
