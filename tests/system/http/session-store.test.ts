import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { finishSignIn, startApp, type TestApp } from '../../support/app.ts';
import { auditLines } from '../../support/audit-cases.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { RpcConnection } from '../../support/rpc-client.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { signInAt, Visitor } from '../../support/visitor.ts';

let redis: RedisServer;
let app: TestApp;
let browser: Record<string, string>;
let desktop: Record<string, string>;
let logoutToken: string;

beforeAll(async () => {
  redis = await RedisServer.start();
  app = await startApp({
    config: (config) => ({
      ...config,
      auth: { ...(config['auth'] as object), session: { type: 'redis', url: redis.url } },
    }),
  });
  browser = { cookie: `svc_session=${(await app.signIn('ada')).cookie(app.origin, 'svc_session')!}` };
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: app.issuer,
    aud: 'svc',
    iat: now,
    exp: now + 300,
    jti: 'sent again and again',
    sid: 'x',
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  };
  logoutToken = await app.idp.signed(claims);
  desktop = { authorization: `Bearer ${(await signInDesktop(app, 'vic')).access_token}` };
});
afterAll(async () => {
  await app.close();
  await redis.stop();
});

it('two logout tokens at once end a session once, and the audit says so', async () => {
  const claims = JSON.parse(Buffer.from(logoutToken.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
  await app.signIn('pia');
  await app.signIn('pia');
  const tokens = await Promise.all(
    ['a', 'b', 'c'].map((jti) => app.idp.signed({ ...claims, jti, sid: undefined, sub: 'pia' })),
  );
  const answers = await Promise.all(
    tokens.map((token) =>
      fetch(`${app.origin}/v1/auth/backchannel-logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const outcomes = (await auditLines(app))
    .filter(({ operation }) => operation === 'session/endByProvider')
    .flatMap(({ resources }) => resources as readonly Record<string, unknown>[]);
  const done = outcomes.filter(({ outcome }) => outcome === 'done');
  expect(done).toEqual([
    expect.objectContaining({ of: expect.objectContaining({ subject: 'pia' }) }),
    expect.objectContaining({ of: expect.objectContaining({ subject: 'pia' }) }),
  ]);
  for (const other of outcomes.filter((each) => !done.includes(each)))
    expect(other).toMatchObject({ outcome: 'failed', why: 'not_found' });
});

/** Whatever asks who somebody is, by cookie and by bearer credential. */
const questions = (): readonly (readonly [string, RequestInit])[] => [
  ['/api/auth/me', { headers: browser }],
  ['/api/providers', { headers: browser }],
  ['/api/providers/main/buckets/files/object?key=x', { headers: browser }],
  [
    '/api/providers/main/buckets/files/object?key=x',
    { method: 'PUT', headers: { ...browser, origin: app.origin }, body: 'x' },
  ],
  ['/api/admin/sessions', { headers: browser }],
  ['/v1/auth/session', { headers: desktop }],
  [
    '/rpc',
    {
      method: 'POST',
      headers: { ...desktop, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"session/get"}',
    },
  ],
  ['/v1/auth/logout', { method: 'POST', headers: desktop }],
  ['/v1/auth/backchannel-logout', { method: 'POST', body: new URLSearchParams({ logout_token: logoutToken }) }],
  ['/api/auth/logout', { headers: browser }],
];

type Seen = {
  readonly path: string;
  readonly status: number;
  readonly code: unknown;
  readonly retry: boolean;
  readonly inTime: boolean;
};

async function ask([path, init]: readonly [string, RequestInit]): Promise<Seen> {
  const since = performance.now();
  const answer = await fetch(app.origin + path, { redirect: 'manual', ...init });
  const text = await answer.text();
  return {
    path,
    status: answer.status,
    code: /session_store_unavailable|session store gave no answer/.exec(text)?.[0],
    retry: answer.headers.has('retry-after'),
    inTime: performance.now() - since < 2_500,
  };
}

const unavailable = (path: string): Seen => ({
  path,
  status: 503,
  code: expect.stringMatching(/session.store/),
  retry: true,
  inTime: true,
});

async function msUntil(holds: () => Promise<boolean>): Promise<number> {
  const since = performance.now();
  while (!(await holds()) && performance.now() - since < 10_000)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return performance.now() - since;
}

const status = async (path: string, headers = {}) =>
  (await fetch(app.origin + path, { headers, redirect: 'manual' })).status;

/** The service says so of itself. It may do so a moment after the first request was answered. */
/** How long the service takes until it says that it is ready. An answer may be a second old, so the first ones do not count. */
async function msUntilReady(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  return msUntil(async () => (await status('/api/ready')) === 200);
}

describe.each([
  ['killed', () => redis.kill(), () => redis.restart()],
  ['frozen', async () => redis.freeze(), async () => redis.thaw()],
])('with a Redis that is %s', (_name, fail, recover) => {
  it('every route that asks for a session answers 503 in time, never 401 and never a way to sign in; health goes on', async () => {
    for (const path of ['/api/providers', '/api/auth/me']) expect(await status(path, browser)).toBe(200);
    await fail();
    for (const question of questions()) expect(await ask(question)).toEqual(unavailable(question[0]));
    expect([await status('/api/health'), await status('/api/ready')]).toEqual([200, 503]);
    // Nothing of the request says that there could be a session.
    expect(await status('/api/providers')).toBe(401);
    await recover();
    expect(await msUntil(async () => (await status('/api/providers', browser)) === 200)).toBeLessThan(20_000);
    expect(await msUntilReady()).toBeLessThan(20_000);
    expect(await status('/v1/auth/session', desktop)).toBe(200);
  });

  it('GET /api/auth/logout keeps the cookie and answers a browser with a page, as a page load does; the session is still there, and then ends', async () => {
    const own = { cookie: `svc_session=${(await app.signIn('vic')).cookie(app.origin, 'svc_session')!}` };
    await fail();
    for (const [path, accept, type] of [
      ['/api/auth/logout', 'text/html', 'text/html'],
      ['/api/auth/logout', 'application/json', 'application/problem+json'],
      ['/p/main/files', 'text/html', 'text/html'],
      ['/api/docs', 'text/html', 'text/html'],
      ['/api/docs', 'application/json', 'application/problem+json'],
    ] as const) {
      const answer = await fetch(app.origin + path, { headers: { ...own, accept }, redirect: 'manual' });
      const { headers } = answer;
      expect([
        path,
        answer.status,
        headers.get('content-type')?.split(';')[0],
        headers.get('set-cookie'),
        headers.get('cache-control'),
      ]).toEqual([path, 503, type, null, 'no-store']);
      expect([headers.has('retry-after'), headers.get('x-frame-options')]).toEqual([true, 'DENY']);
      expect(await answer.text()).not.toMatch(/Sign in again/);
    }
    await recover();
    expect(await msUntil(async () => (await status('/api/providers', own)) === 200)).toBeLessThan(20_000);
    const ended = await fetch(`${app.origin}/api/auth/logout`, { headers: { ...own, accept: 'application/json' } });
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([204, expect.stringMatching(/^svc_session=;/)]);
    expect(await status('/api/providers', own)).toBe(401);
  });

  it('a sign-in that is under way answers 503, and another succeeds when it is back', async () => {
    const visitor = new Visitor();
    const begun = await visitor.request(`${app.origin}/api/auth/login`);
    const callback = await signInAt(begun.headers.get('location') ?? '', { account: 'eve', visitor });
    await fail();
    const refused = await visitor.request(callback, { headers: { accept: 'application/json' } });
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      503,
      'session_store_unavailable',
    ]);
    await recover();
    expect(await msUntilReady()).toBeLessThan(20_000);
    expect((await finishSignIn(`${app.origin}/api/auth/login`, 'eve', new Visitor())).status).toBe(303);
  });
});

describe('with a Redis that is full', () => {
  it('sessions can be ended: by whoever signs out, by an administrator, and by the identity provider, which is told to send its token again', async () => {
    const [own, ended, told] = await Promise.all(
      ['dan', 'eve', 'pia'].map(async (account) => ({
        authorization: `Bearer ${(await signInDesktop(app, account)).access_token}`,
      })),
    );
    const { sessions } = (await (
      await fetch(`${app.origin}/api/admin/sessions?person=eve`, { headers: browser })
    ).json()) as { sessions: { id: string }[] };
    const now = Math.floor(Date.now() / 1000);
    const token = await app.idp.signed({
      iss: app.issuer,
      aud: 'svc',
      iat: now,
      exp: now + 300,
      jti: 'sent to a full one',
      sub: 'pia',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    const tell = async () =>
      (
        await fetch(`${app.origin}/v1/auth/backchannel-logout`, {
          method: 'POST',
          body: new URLSearchParams({ logout_token: token }),
        })
      ).status;
    await redis.ask('CONFIG SET maxmemory 1');
    try {
      expect((await fetch(`${app.origin}/v1/auth/logout`, { method: 'POST', headers: own! })).status).toBe(200);
      for (const { id } of sessions)
        expect(
          (
            await fetch(`${app.origin}/api/admin/sessions/${id}`, {
              method: 'DELETE',
              headers: { ...browser, origin: app.origin },
            })
          ).status,
        ).toBe(204);
      expect(await tell()).toBe(503);
      for (const headers of [own, ended, told]) expect(await status('/v1/auth/session', headers)).toBe(401);
    } finally {
      await redis.ask('CONFIG SET maxmemory 0');
    }
    expect([await tell(), await tell()]).toEqual([200, 400]);
  });
});

describe('what is held open while Redis is away', () => {
  it('stays for a session that stands when it is back, and ends for one that does not', async () => {
    const connect = async (account: string) => {
      const { access_token: credential } = await signInDesktop(app, account);
      const connection = await RpcConnection.open(app.origin, {
        authorization: `Bearer ${credential}`,
        origin: app.origin,
      });
      if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
      return connection;
    };
    const stays = await connect('dan');
    for (let i = 0; i < 3; i += 1) {
      await redis.kill();
      await redis.restart();
      expect(await msUntilReady()).toBeLessThan(20_000);
    }
    expect(await stays.call('session/get')).toMatchObject({ result: { subject: 'dan' } });

    const ends = await connect('eve');
    // No message tells of it.
    await redis.empty();
    await redis.kill();
    await redis.restart();
    const since = performance.now();
    expect([await ends.closed, await stays.closed]).toEqual([4001, 4001]);
    expect(performance.now() - since).toBeLessThan(20_000);
  });
});
