import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { finishSignIn, startApp, type TestApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { Clock } from '../support/clock.ts';
import {
  desktopAttempt,
  desktopCode,
  exchangeCode,
  signInDesktop,
  type TokenAnswer,
} from '../support/desktop-client.ts';
import { needsOneProcess } from '../support/one-process.ts';
import { signInAt, Visitor } from '../support/visitor.ts';

const clock = new Clock();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ now: clock.now });
});
afterAll(() => app.close());

const session = (headers: Record<string, string>) => fetch(`${app.origin}/v1/auth/session`, { headers });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const logout = (headers: Record<string, string>) => fetch(`${app.origin}/v1/auth/logout`, { method: 'POST', headers });
const cookieOf = (visitor: Visitor) => ({ cookie: `svc_session=${visitor.cookie(app.origin, 'svc_session')!}` });
const signInWeb = async (account: string, path = '/') => {
  const visitor = new Visitor();
  const answer = await finishSignIn(
    `${app.origin}/v1/auth/authorize?return_to=${encodeURIComponent(path)}`,
    account,
    visitor,
  );
  return { visitor, answer };
};

describe('GET /v1/auth/authorize and callback, in a browser', () => {
  it('set svc_login and svc_session, and return to the same relative path', async () => {
    const begun = await fetch(`${app.origin}/v1/auth/authorize?return_to=/main`, { redirect: 'manual' });
    expect(begun.headers.getSetCookie()[0]).toMatch(/^svc_login=[\w-]{43};.* HttpOnly; SameSite=Lax$/);
    expect(new URL(begun.headers.get('location')!).searchParams.get('redirect_uri')).toBe(
      `${app.origin}/v1/auth/callback`,
    );
    const { visitor, answer } = await signInWeb('vic', '/main/photos?x=1');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/main/photos?x=1']);
    expect((await signInWeb('vic', '//evil.example')).answer.headers.get('location')).toBe('/');
    expect((await visitor.request(`${app.origin}/api/providers`)).status).toBe(200);
  });
});

describe('GET /v1/auth/session', () => {
  it('gives the principal of a browser and of a desktop client', async () => {
    needsOneProcess('the clock of the test stands still');
    const { visitor } = await signInWeb('vic');
    const expiresAt = new Date(clock.now() + 28_800_000).toISOString();
    const person = {
      issuer: app.issuer,
      subject: 'vic',
      groups: ['viewers', 'unrelated'],
      name: 'Vic Viewer',
      expiresAt,
    };
    expect(await (await session(cookieOf(visitor))).json()).toEqual({ ...person, kind: 'web' });
    const { access_token: token } = await signInDesktop(app, 'vic');
    expect(await (await session(bearer(token))).json()).toEqual({ ...person, kind: 'desktop' });
  });

  it('answers 401 without a session', async () => {
    const answer = await session({});
    expect([answer.status, await answer.json()]).toEqual([401, expect.objectContaining({ code: 'session_required' })]);
  });
});

describe('POST /v1/auth/logout', () => {
  it('revokes first, then gives the end-session URL with the ID token as its hint', async () => {
    const { visitor } = await signInWeb('vic');
    const headers = cookieOf(visitor);
    const answer = await logout({ ...headers, origin: app.origin });
    const { endSessionUrl } = (await answer.json()) as { endSessionUrl: string };
    expect([answer.status, new URL(endSessionUrl).searchParams.get('post_logout_redirect_uri')]).toEqual([
      200,
      `${app.origin}/`,
    ]);
    expect(new URL(endSessionUrl).searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.getSetCookie()[0]).toMatch(/^svc_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect((await session(headers)).status).toBe(401);
    expect((await logout({ ...headers, origin: app.origin })).status).toBe(401);
  });

  it('ends browser and desktop sessions apart from each other', async () => {
    const { visitor } = await signInWeb('vic');
    const { access_token: token } = await signInDesktop(app, 'vic');
    const { access_token: other } = await signInDesktop(app, 'vic');
    expect((await logout(bearer(token))).status).toBe(200);
    expect([
      (await session(bearer(token))).status,
      (await session(bearer(other))).status,
      (await session(cookieOf(visitor))).status,
    ]).toEqual([401, 200, 200]);
    await logout({ ...cookieOf(visitor), origin: app.origin });
    expect((await session(bearer(other))).status).toBe(200);
  });

  it('answers 204 without a body where provider logout is off', async () => {
    const quiet = await startApp({
      config: (config) => ({
        ...config,
        auth: {
          ...(config['auth'] as object),
          oidc: { ...(config['auth'] as { oidc: object }).oidc, rp_initiated_logout: false },
        },
      }),
    });
    try {
      const { access_token: token } = await signInDesktop(quiet, 'vic');
      const answer = await fetch(`${quiet.origin}/v1/auth/logout`, { method: 'POST', headers: bearer(token) });
      expect([answer.status, await answer.text()]).toEqual([204, '']);
      const web = await (await quiet.signIn('vic')).request(`${quiet.origin}/api/auth/logout`);
      expect(web.headers.get('location')).toBe('/signed-out');
    } finally {
      await quiet.close();
    }
  });
});

describe('GET /v1/auth/authorize for a desktop client', () => {
  it('leads to the loopback listener with a code and the client’s state', async () => {
    const attempt = desktopAttempt(app.origin);
    const answer = await desktopCode(app.origin, 'vic', attempt);
    expect([...answer.keys()]).toEqual(['code', 'state']);
    expect(answer.get('state')).toBe(attempt.state);
  });

  it('answers 400 and redirects nowhere for a client or redirect that is not known', async () => {
    for (const changes of [
      { client_id: 'other' },
      { client_id: undefined },
      { redirect_uri: 'http://127.1:49152/callback' },
      { redirect_uri: 'https://evil.example/callback' },
      { redirect_uri: undefined },
    ]) {
      const answer = await fetch(desktopAttempt(app.origin, changes).authorizeUrl, { redirect: 'manual' });
      expect([changes, answer.status, answer.headers.get('location')]).toEqual([changes, 400, null]);
      expect(await answer.json()).toMatchObject({ code: 'invalid_request' });
    }
  });

  it('tells the listener what is wrong with the rest', async () => {
    const attempt = desktopAttempt(app.origin, { code_challenge_method: 'plain' });
    const location = new URL((await fetch(attempt.authorizeUrl, { redirect: 'manual' })).headers.get('location')!);
    expect([location.origin, location.searchParams.get('error'), location.searchParams.get('state')]).toEqual([
      'http://127.0.0.1:49152',
      'invalid_request',
      attempt.state,
    ]);
  });

  it('tells the listener that the person cancelled', async () => {
    expect((await desktopCode(app.origin, 'cancel')).get('error')).toBe('access_denied');
  });

  it('tells the listener when the provider cannot be reached', async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const lonely = await startApp({
      config: (config) => ({
        ...config,
        auth: { ...(config['auth'] as object), oidc: { ...(config['auth'] as { oidc: object }).oidc, issuer } },
      }),
    });
    try {
      const attempt = desktopAttempt(lonely.origin);
      const answer = await fetch(attempt.authorizeUrl, { redirect: 'manual' });
      const location = new URL(answer.headers.get('location') ?? 'http://nowhere');
      expect([
        answer.status,
        location.origin,
        location.searchParams.get('error'),
        location.searchParams.get('state'),
      ]).toEqual([303, 'http://127.0.0.1:49152', 'temporarily_unavailable', attempt.state]);
      expect((await fetch(`${lonely.origin}/v1/auth/authorize`, { redirect: 'manual' })).status).toBe(502);
    } finally {
      await lonely.close();
    }
  });
});

describe('a desktop sign-in beside a session at the provider', () => {
  const pagesShown = () => app.idp.requests.filter((request) => request.startsWith('POST /interaction')).length;

  it('asks people again who they are, where a browser sign-in does not', async () => {
    const visitor = new Visitor();
    await desktopCode(app.origin, 'vic', desktopAttempt(app.origin), visitor);
    const before = pagesShown();
    expect((await finishSignIn(`${app.origin}/v1/auth/authorize`, 'vic', visitor)).status).toBe(303);
    expect(pagesShown()).toBe(before);
    expect((await desktopCode(app.origin, 'vic', desktopAttempt(app.origin), visitor)).get('code')).toMatch(
      /^[\w-]{43}$/,
    );
    expect(pagesShown()).toBe(before + 1);
  });

  it('asks for what `auth.oidc.desktop_prompt` says', async () => {
    for (const [setting, prompt, maxAge] of [
      [undefined, 'login', '0'],
      ['select_account', 'select_account', null],
      ['consent', 'consent', null],
      ['none', null, null],
    ] as const) {
      const other =
        setting === undefined
          ? app
          : await startApp({
              config: (config) => ({
                ...config,
                auth: {
                  ...(config['auth'] as object),
                  oidc: { ...(config['auth'] as { oidc: object }).oidc, desktop_prompt: setting },
                },
              }),
            });
      try {
        const query = async (url: string) =>
          new URL((await fetch(url, { redirect: 'manual' })).headers.get('location')!).searchParams;
        const desktop = await query(desktopAttempt(other.origin).authorizeUrl);
        expect([setting, desktop.get('prompt'), desktop.get('max_age')]).toEqual([setting, prompt, maxAge]);
        const web = await query(`${other.origin}/v1/auth/authorize`);
        expect([web.get('prompt'), web.get('max_age')]).toEqual([null, null]);
      } finally {
        if (other !== app) await other.close();
      }
    }
  });
});

describe('POST /v1/auth/token', () => {
  const fresh = async () => {
    const attempt = desktopAttempt(app.origin);
    return { attempt, code: (await desktopCode(app.origin, 'vic', attempt)).get('code')! };
  };
  const errorOf = async (answer: Response) => [answer.status, ((await answer.json()) as { error: string }).error];

  it('gives a bearer credential that no cache may keep', async () => {
    const { attempt, code } = await fresh();
    const answer = await exchangeCode(app.origin, attempt, code);
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual([
      200,
      'no-store',
      'no-cache',
    ]);
    const token = (await answer.json()) as TokenAnswer;
    expect(token).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 28_800,
    });
    expect(
      (await fetch(`${app.origin}/api/providers`, { headers: { cookie: `svc_session=${token.access_token}` } })).status,
    ).toBe(401);
  });

  it('revokes the session of a code that is used again', async () => {
    const { attempt, code } = await fresh();
    const { access_token: token } = (await (await exchangeCode(app.origin, attempt, code)).json()) as TokenAnswer;
    expect((await session(bearer(token))).status).toBe(200);
    expect(await errorOf(await exchangeCode(app.origin, attempt, code))).toEqual([400, 'invalid_grant']);
    expect((await session(bearer(token))).status).toBe(401);
    const lines = app
      .logged()
      .split('\n')
      .filter((line) => line.includes('"login/exchange"'));
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      outcome: 'failed',
      why: 'invalid_grant',
      resources: [{ session: expect.stringMatching(/^[0-9a-f]{24}$/), outcome: 'done' }],
    });
  });

  it('answers invalid_grant to another client, redirect or verifier, and spends the code', async () => {
    for (const changes of [
      { client_id: 'other' },
      { redirect_uri: 'http://127.0.0.1:49153/callback' },
      { redirect_uri: 'http://[::1]:49152/callback' },
      { code_verifier: 'x'.repeat(43) },
      { code_verifier: '' },
    ]) {
      const { attempt, code } = await fresh();
      expect([changes, ...(await errorOf(await exchangeCode(app.origin, attempt, code, changes)))]).toEqual([
        changes,
        400,
        'invalid_grant',
      ]);
      expect(await errorOf(await exchangeCode(app.origin, attempt, code))).toEqual([400, 'invalid_grant']);
    }
  });

  it('answers invalid_grant after 60 seconds, and to codes that were made up', async () => {
    needsOneProcess('the test moves the clock');
    const { attempt, code } = await fresh();
    clock.advance(60_000);
    expect(await errorOf(await exchangeCode(app.origin, attempt, code))).toEqual([400, 'invalid_grant']);
    expect(await errorOf(await exchangeCode(app.origin, attempt, 'x'.repeat(43)))).toEqual([400, 'invalid_grant']);
  });

  it('tells the faults of the form as RFC 6749 section 5.2 does', async () => {
    const attempt = desktopAttempt(app.origin);
    const ask = (changes: Record<string, string | undefined>) => exchangeCode(app.origin, attempt, 'x', changes);
    for (const name of ['grant_type', 'client_id', 'redirect_uri', 'code', 'code_verifier'])
      expect([name, ...(await errorOf(await ask({ [name]: undefined })))]).toEqual([name, 400, 'invalid_request']);
    expect(await errorOf(await ask({ grant_type: 'refresh_token' }))).toEqual([400, 'unsupported_grant_type']);
    const post = (body: string | undefined, type: string) =>
      fetch(`${app.origin}/v1/auth/token`, {
        method: 'POST',
        headers: { 'content-type': type },
        ...(body !== undefined && { body }),
      });
    expect(await errorOf(await post('{"grant_type":"authorization_code"}', 'application/json'))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await errorOf(await post('', 'application/x-www-form-urlencoded'))).toEqual([400, 'invalid_request']);
    expect(
      await errorOf(await post('code=a&code=b&grant_type=authorization_code', 'application/x-www-form-urlencoded')),
    ).toEqual([400, 'invalid_request']);
    expect((await fetch(`${app.origin}/v1/auth/token?grant_type=authorization_code&code=x`)).status).toBe(405);
  });
});

describe('the two families', () => {
  it('send one redirect URI, and each finishes what the other began', async () => {
    for (const [login, callback] of [
      ['/v1/auth/authorize', '/api/auth/callback'],
      ['/api/auth/login', '/v1/auth/callback'],
      ['/api/auth/login', '/api/auth/callback'],
    ] as const) {
      const visitor = new Visitor();
      const begun = new URL((await visitor.request(`${app.origin}${login}?return_to=/main`)).headers.get('location')!);
      expect([login, begun.searchParams.get('redirect_uri')]).toEqual([login, `${app.origin}/v1/auth/callback`]);
      const url = await signInAt(begun.href, { account: 'vic', visitor });
      const answer = await visitor.request(url.replace('/v1/auth/callback', callback));
      expect([login, callback, answer.status, answer.headers.get('location')]).toEqual([login, callback, 303, '/main']);
    }
  });
});
