import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../audit/support/until.ts';
import { finishSignIn, startApp, type AppOptions, type TestApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { Clock } from '../support/clock.ts';
import { desktopAttempt, exchangeCode, signInDesktop } from '../support/desktop-client.ts';
import { needsOneProcess } from '../support/one-process.ts';
import { RpcClient } from '../support/rpc-client.ts';
import { rawRequest, type RawAnswer } from '../support/raw-request.ts';
import { signInAt, submitLocalUser, Visitor } from '../support/visitor.ts';

const apps: TestApp[] = [];
const start = async (options: AppOptions = {}): Promise<TestApp> => {
  const app = await startApp(options);
  apps.push(app);
  return app;
};
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

const auth = (more: object): AppOptions => ({
  config: (config) => ({ ...config, auth: { ...(config['auth'] as object), ...more } }),
});
const oidc = (more: object): AppOptions => ({
  config: (config) => ({
    ...config,
    auth: { ...(config['auth'] as object), oidc: { ...(config['auth'] as { oidc: object }).oidc, ...more } },
  }),
});
const server = (more: object): AppOptions => ({
  config: (config) => ({ ...config, server: { ...(config['server'] as object), ...more } }),
});
const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;
const asClient = { accept: 'application/json' };

describe('with authentication off', () => {
  const off: AppOptions = { config: ({ auth: _auth, ...config }) => ({ ...config, auth: { enabled: false } }) };

  it('everybody is anonymous and may do everything', async () => {
    const { origin } = await start(off);
    expect(await (await fetch(`${origin}/api/auth/me`)).json()).toEqual({
      authenticated: false,
      auth_enabled: false,
      subject: 'anonymous',
      groups: [],
    });
    expect(await (await fetch(`${origin}/v1/auth/session`)).json()).toEqual({
      issuer: '',
      subject: 'anonymous',
      groups: [],
      name: 'anonymous',
      kind: 'web',
      expiresAt: null,
    });
    for (const path of ['/api/providers', '/api/admin/policies', '/api/openapi.json', '/api/docs', '/'])
      expect((await fetch(origin + path, { redirect: 'manual', headers: { accept: 'text/html' } })).status).toBe(200);
    const login = await fetch(`${origin}/api/auth/login?return_to=/main`, { redirect: 'manual' });
    expect([login.status, login.headers.get('location')]).toEqual([303, '/main']);
    const authorize = await fetch(`${origin}/v1/auth/authorize?return_to=/main`, { redirect: 'manual' });
    expect([authorize.status, authorize.headers.get('location')]).toEqual([303, '/main']);
    expect((await fetch(`${origin}/api/auth/callback?state=x`, { headers: asClient })).status).toBe(404);
  });
});

describe('with local users and no identity provider', () => {
  const local = auth({
    oidc: undefined,
    local_users: [
      { subject: 'dev <b>', roles: ['viewer'] },
      { subject: 'boss', roles: ['admin'] },
    ],
  });

  const submit = (visitor: Visitor, page: Response, subject: string, headers = {}) =>
    submitLocalUser(page, { subject, visitor, headers });

  it.each(['/api/auth/login', '/v1/auth/authorize'])('a developer picks one on the page of %s', async (path) => {
    const { origin } = await start(local);
    const visitor = new Visitor();
    const ask = () => visitor.request(`${origin}${path}?return_to=/main`);
    // With `no-referrer` browsers would post `Origin: null`.
    expect((await ask()).headers.get('referrer-policy')).toBe('same-origin');
    expect(await (await ask()).text()).toContain('value="dev &#60;b&#62;"');
    expect((await submit(visitor, await ask(), 'boss', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await submit(visitor, await ask(), 'boss', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await submit(visitor, await ask(), 'somebody')).status).toBe(403);
    const done = await submit(visitor, await ask(), 'boss', { origin });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/main']);
    expect(await (await visitor.request(`${origin}/api/auth/me`)).json()).toMatchObject({
      authenticated: true,
      subject: 'boss',
    });
    expect((await visitor.request(`${origin}/api/admin/roles`)).status).toBe(200);
    expect((await visitor.request(`${origin}/api/auth/logout`)).headers.get('location')).toBe('/signed-out');
  });

  it('a developer picks one for a desktop client', async () => {
    const { origin } = await start(local);
    const attempt = desktopAttempt(origin);
    const visitor = new Visitor();
    const page = await visitor.request(attempt.authorizeUrl);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http:");
    const done = new URL((await submit(visitor, page, 'boss', { origin })).headers.get('location')!);
    expect([done.origin + done.pathname, done.searchParams.get('state')]).toEqual([attempt.redirectUri, attempt.state]);
    const token = (await (await exchangeCode(origin, attempt, done.searchParams.get('code')!)).json()) as {
      access_token: string;
    };
    expect(
      await (
        await fetch(`${origin}/v1/auth/session`, { headers: { authorization: `Bearer ${token.access_token}` } })
      ).json(),
    ).toMatchObject({ subject: 'boss', groups: [], kind: 'desktop' });
    expect(
      (await visitor.request(desktopAttempt(origin, { redirect_uri: 'https://evil.example/callback' }).authorizeUrl))
        .status,
    ).toBe(400);
  });

  it('the form leads back below the base path', async () => {
    const { origin } = await start({
      config: (config) => server({ base_path: '/files' }).config!(local.config!(config)),
    });
    const visitor = new Visitor();
    const done = await submit(
      visitor,
      await visitor.request(`${origin}/files/api/auth/login?return_to=/files/main`),
      'boss',
    );
    expect([done.status, done.headers.get('location')]).toEqual([303, '/files/main']);
  });
});

describe('session expiry', () => {
  it('comes a fixed time after sign-in, however busy the session is', async () => {
    needsOneProcess('the test moves the clock');
    const clock = new Clock();
    const app = await start({ ...auth({ session: { ttl_seconds: 100 } }), now: clock.now });
    const visitor = await app.signIn('vic');
    const statuses = [];
    for (let second = 0; second < 120; second += 20) {
      statuses.push((await visitor.request(`${app.origin}/api/providers`, { headers: asClient })).status);
      clock.advance(20_000);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 401]);
    expect((await visitor.request(`${app.origin}/main`)).headers.get('location')).toBe(
      '/api/auth/login?return_to=%2Fmain',
    );
  });
});

describe('what one person may have', () => {
  it('is sessions, of which the oldest ends, and keys, of which one more is refused: so many as the configuration says', async () => {
    const app = await start(auth({ session: { per_subject: 2 }, api_keys: { per_subject: 1 } }));
    const browsers = [await app.signIn('vic'), await app.signIn('vic'), await app.signIn('vic')];
    const statuses = browsers.map(
      async (visitor) => (await visitor.request(`${app.origin}/api/providers`, { headers: asClient })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
    const rpc = RpcClient.bearer(app.origin, (await signInDesktop(app, 'ada')).access_token);
    const key = {
      description: 'k',
      scope: { rules: [{ actions: ['objects:read'] as const, resources: [{ type: 'all' as const }] }] },
      expiresAt: null,
    };
    await rpc.call('apiKey/create', key);
    expect(await rpc.fails('apiKey/create', key)).toMatchObject({ data: { code: 'api_key_capacity' } });
  });
});

describe('session capacity', () => {
  it('refuses a further sign-in with 503 and keeps those that are signed in', async () => {
    needsOneProcess('the test moves the clock');
    const clock = new Clock();
    const app = await start({ ...auth({ session: { ttl_seconds: 100, capacity: 2 } }), now: clock.now });
    const people = [await app.signIn('vic'), await app.signIn('eve')];
    const refused = new Visitor();
    const begun = await refused.request(`${app.origin}/api/auth/login`);
    const answer = await refused.request(
      await signInAt(begun.headers.get('location')!, { account: 'dan', visitor: refused }),
      { headers: asClient },
    );
    expect([answer.status, await codeOf(answer), refused.cookie(app.origin, 'svc_session')]).toEqual([
      503,
      'session_capacity',
      undefined,
    ]);
    for (const visitor of people) expect((await visitor.request(`${app.origin}/api/providers`)).status).toBe(200);
    clock.advance(100_000);
    expect((await (await app.signIn('ada')).request(`${app.origin}/api/admin/roles`)).status).toBe(200);
  });
});

describe('behind a proxy that ends TLS', () => {
  it('cookies are Secure because the public origin is HTTPS', async () => {
    const app = await start(auth({ public_origin: 'https://files.example' }));
    app.idp.register({
      client_id: 'svc',
      client_secret: 'idp-client-secret',
      redirect_uris: ['https://files.example/v1/auth/callback'],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    });
    const visitor = new Visitor();
    const begun = await visitor.request(`${app.origin}/api/auth/login`);
    expect(begun.headers.getSetCookie()[0]).toMatch(/^svc_login=.*; HttpOnly; Secure; SameSite=Lax$/);
    const url = await signInAt(begun.headers.get('location')!, { account: 'vic', visitor });
    expect(url).toMatch(/^https:\/\/files\.example\/v1\/auth\/callback\?/);
    const done = await visitor.request(url.replace('https://files.example', app.origin));
    expect(done.headers.getSetCookie()[0]).toMatch(/^svc_session=s%3A.*; HttpOnly; Secure; SameSite=Lax$/);
    expect((await visitor.request(`${app.origin}/api/providers`)).status).toBe(200);
    expect((await visitor.request(`${app.origin}/`)).headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect((await visitor.request(`${app.origin}/api/auth/logout`)).headers.getSetCookie()[0]).toMatch(
      /^svc_session=; .*Secure/,
    );
  });
});

describe('below a path of a shared domain', () => {
  it.each(['', '/files'])('means the same by an absolute target as by its path: %j', async (path) => {
    const app = await start(server({ base_path: '/files' }));
    for (const target of [`${path}/api/health`, `${path}/main/a?x=1`, `${path}/api/nowhere`]) {
      const [relative, absolute] = await Promise.all([
        rawRequest(app.origin, target),
        rawRequest(app.origin, `${app.origin}${target}`),
      ]);
      const told = ({ status, headers, body }: RawAnswer) =>
        JSON.stringify([status, headers.location, body.toString()]).replace(/(?<=request_id\\":\\")[\w-]+/, 'id');
      expect(told(absolute)).toBe(told(relative));
    }
  });

  it('signs in, browses and signs out, whether or not the proxy strips the path', async () => {
    const app = await start(server({ base_path: '/files' }));
    app.idp.register({
      client_id: 'svc',
      client_secret: 'idp-client-secret',
      redirect_uris: [`${app.origin}/files/v1/auth/callback`],
      post_logout_redirect_uris: [`${app.origin}/files/`],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    });
    for (const at of [`${app.origin}/files`, app.origin]) {
      const visitor = new Visitor();
      const page = await visitor.request(`${at}/main/photos?x=1`);
      expect(page.headers.get('location')).toBe('/files/api/auth/login?return_to=%2Ffiles%2Fmain%2Fphotos%3Fx%3D1');
      const begun = await visitor.request(
        `${at}/api/auth/login?return_to=${encodeURIComponent('/files/main/photos?x=1')}`,
      );
      expect(begun.headers.getSetCookie()[0]).toContain('; Path=/files;');
      const url = await signInAt(begun.headers.get('location')!, { account: 'vic', visitor });
      expect(url).toContain(`${app.origin}/files/v1/auth/callback?`);
      const done = await visitor.request(url.replace(`${app.origin}/files`, at));
      expect([done.status, done.headers.get('location')]).toEqual([303, '/files/main/photos?x=1']);
      expect(done.headers.getSetCookie()[0]).toMatch(/^svc_session=.*; Path=\/files;/);
      expect((await visitor.request(`${at}/api/providers`)).status).toBe(200);
      expect(await (await visitor.request(`${at}/`)).text()).toContain('<base href="/files/">');
      expect((await visitor.request(`${at}/api/docs`)).status).toBe(200);
      expect((await visitor.request(`${at}/api/auth/logout`)).headers.getSetCookie()[0]).toContain('Path=/files');
    }
    expect((await fetch(`${app.origin}/filesx/api/health`, { headers: asClient })).status).toBe(404);
    expect((await fetch(`${app.origin}/files`, { redirect: 'manual', headers: { accept: 'text/html' } })).status).toBe(
      303,
    );
  });
});

describe('the limit of sign-in requests', () => {
  it('answers 429 with Retry-After for each client address, and leaves the rest alone', async () => {
    const app = await start(server({ rate_limit: { sign_in_per_minute: 3 }, trusted_proxies: ['127.0.0.1'] }));
    const ask = (path: string, address: string) =>
      fetch(app.origin + path, { redirect: 'manual', headers: { ...asClient, 'x-forwarded-for': address } });
    const statuses = [];
    for (const path of ['/api/auth/login', '/v1/auth/authorize', '/api/auth/callback', '/v1/auth/callback'])
      statuses.push((await ask(path, '203.0.113.9')).status);
    expect(statuses).toEqual([303, 303, 401, 429]);
    const refused = await ask('/api/auth/login', '203.0.113.9');
    const secondsLeft = Number(refused.headers.get('retry-after'));
    expect([await codeOf(refused), secondsLeft > 0, secondsLeft <= 60]).toEqual(['rate_limited', true, true]);
    await setTimeout(1_100);
    expect(Number((await ask('/api/auth/login', '203.0.113.9')).headers.get('retry-after'))).toBeLessThan(secondsLeft);
    expect(
      (await fetch(`${app.origin}/v1/auth/token`, { method: 'POST', headers: { 'x-forwarded-for': '203.0.113.9' } }))
        .status,
    ).toBe(429);
    expect((await ask('/api/auth/login', '203.0.113.10')).status).toBe(303);
    for (const path of ['/api/auth/me', '/api/health']) expect((await ask(path, '203.0.113.9')).status).toBe(200);
  });

  it('counts one client as one, whatever port or spelling of its address the proxy writes', async () => {
    const app = await start(
      server({ rate_limit: { sign_in_per_minute: 2 }, trusted_proxies: ['127.0.0.1', '10.0.0.0/8'] }),
    );
    const ask = async (address: string) =>
      (
        await fetch(`${app.origin}/api/auth/login`, {
          redirect: 'manual',
          headers: { ...asClient, 'x-forwarded-for': address },
        })
      ).status;
    const clients = [
      ['203.0.113.9:1024', '203.0.113.9:1025', '::ffff:203.0.113.9', '[::ffff:203.0.113.9]:80, 10.0.0.2:443'],
      ['[2001:db8::1]:1024', '[2001:DB8:0::2]', '2001:db8::3', '2001:db8::4%eth0'],
    ];
    for (const spellings of clients)
      expect(await Promise.all(spellings.map(ask)).then((statuses) => statuses.sort())).toEqual([303, 303, 429, 429]);
  });

  it('counts the connection’s address where no proxy is trusted', async () => {
    const app = await start(server({ rate_limit: { sign_in_per_minute: 2 } }));
    const statuses = [];
    for (let i = 0; i < 4; i += 1)
      statuses.push(
        (
          await fetch(`${app.origin}/api/auth/login`, {
            redirect: 'manual',
            headers: { 'x-forwarded-for': `203.0.113.${i}` },
          })
        ).status,
      );
    expect(statuses).toEqual([303, 303, 429, 429]);
  });
});

describe('a provider that offers only another way to authenticate', () => {
  it('is in the log after the start, before anybody signs in', async () => {
    const provider = createServer((req, res) => {
      const url = `http://${req.headers.host}`;
      res.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/keys`,
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        }),
      );
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    try {
      const app = await start(oidc({ issuer: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` }));
      await until(() => app.logged().includes('does not list `client_secret_basic`'), 'the warning');
      expect(app.logged()).toContain('set `auth.oidc.client_auth: post`');
    } finally {
      provider.close();
    }
  });
});

describe('with the identity provider down', () => {
  it('the service starts, and a sign-in answers 502', async () => {
    const app = await start(oidc({ issuer: `http://127.0.0.1:${await freePort()}` }));
    expect((await fetch(`${app.origin}/api/health`)).status).toBe(200);
    expect((await fetch(`${app.origin}/api/ready`)).status).toBe(200);
    const answer = await fetch(`${app.origin}/api/auth/login`, { redirect: 'manual', headers: asClient });
    expect([answer.status, await codeOf(answer)]).toEqual([502, 'identity_provider_unavailable']);
  });

  it('nobody who is not signed in learns where it is, and the log says it', async () => {
    const app = await start(oidc({ issuer: `http://127.0.0.1:${await freePort()}` }));
    const { host } = new URL(app.settings.auth.oidc!.issuer);
    const ask = (url: string, headers: Record<string, string>) => fetch(url, { redirect: 'manual', headers });
    for (const path of ['/api/auth/login', '/v1/auth/authorize']) {
      for (const [accept, type] of [
        ['text/html', 'text/html; charset=utf-8'],
        ['application/json', 'application/problem+json; charset=utf-8'],
      ] as const) {
        const answer = await ask(app.origin + path, { accept });
        expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 502, type]);
        const told = await answer.text();
        expect([told.includes('in the log'), told.includes(host)]).toEqual([true, false]);
      }
    }
    const desktop = new URL((await ask(desktopAttempt(app.origin).authorizeUrl, asClient)).headers.get('location')!);
    expect(desktop.searchParams.get('error')).toBe('temporarily_unavailable');
    expect(desktop.href).not.toContain(new URLSearchParams({ host }).toString().slice('host='.length));
    const lines = app
      .logged()
      .split('\n')
      .filter((line) => line.includes(host));
    expect([
      lines.some((line) => line.includes('identity_provider_unavailable')),
      lines.some((line) => line.includes('desktop sign-in failed')),
    ]).toEqual([true, true]);
  });

  it('those who are signed in go on, and can sign out', async () => {
    const app = await start();
    const visitor = await app.signIn('vic');
    const begun = await new Visitor().request(`${app.origin}/api/auth/login`);
    expect(begun.status).toBe(303);
    await app.idp.close();
    expect((await visitor.request(`${app.origin}/api/providers`)).status).toBe(200);
    expect((await visitor.request(`${app.origin}/api/auth/logout`, { headers: asClient })).status).toBe(204);
    expect((await visitor.request(`${app.origin}/api/providers`, { headers: asClient })).status).toBe(401);
  });

  it('a callback answers 502 and signs nobody in', async () => {
    const app = await start();
    const visitor = new Visitor();
    const begun = await visitor.request(`${app.origin}/api/auth/login`);
    const url = await signInAt(begun.headers.get('location')!, { account: 'vic', visitor });
    await app.idp.close();
    const answer = await visitor.request(url, { headers: asClient });
    expect([answer.status, await codeOf(answer), answer.headers.getSetCookie()]).toEqual([
      502,
      'identity_provider_unavailable',
      [],
    ]);
  });

  it('or with other keys than before, a sign-in needs no restart', async () => {
    const app = await start();
    expect((await finishSignIn(`${app.origin}/api/auth/login`, 'vic', new Visitor())).status).toBe(303);
    await app.idp.rotateKeys();
    expect((await finishSignIn(`${app.origin}/api/auth/login`, 'vic', new Visitor())).status).toBe(303);
  });
});
