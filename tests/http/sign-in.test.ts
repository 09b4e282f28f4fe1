import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { finishSignIn, startApp, type TestApp } from '../support/app.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { signInAt, signOutAt, Visitor } from '../support/visitor.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const login = (query = '') => `${app.origin}/api/auth/login${query}`;
const isSignedIn = async (visitor: Visitor) =>
  ((await (await visitor.request(`${app.origin}/api/auth/me`)).json()) as { authenticated: boolean }).authenticated;
const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;
const asClient = { headers: { accept: 'application/json' } };

/** The callback URL of a sign-in that is as good as done. */
async function callbackUrl(visitor: Visitor, account = 'vic', url = login()): Promise<string> {
  const begun = await visitor.request(url);
  return signInAt(begun.headers.get('location') ?? '', { account, visitor });
}

describe('GET /api/auth/login', () => {
  it('sends the browser to the provider with PKCE, and binds the login to it', async () => {
    const begun = await fetch(login(), { redirect: 'manual' });
    expect(begun.status).toBe(303);
    const { origin, searchParams } = new URL(begun.headers.get('location')!);
    expect([origin, searchParams.get('code_challenge_method'), searchParams.get('redirect_uri')]).toEqual([
      app.issuer,
      'S256',
      `${app.origin}/v1/auth/callback`,
    ]);
    const [cookie] = begun.headers.getSetCookie();
    expect(cookie).toMatch(/^svc_login=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    expect(begun.headers.get('cache-control')).toBe('no-store');
  });

  it('builds the redirect from the configuration, whatever Host and X-Forwarded-Host say', async () => {
    const begun = await fetch(login(), {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/evil' },
    });
    expect(new URL(begun.headers.get('location')!).searchParams.get('redirect_uri')).toBe(
      `${app.origin}/v1/auth/callback`,
    );
  });

  it('keeps a path of ours as return_to', async () => {
    for (const path of ['/', '/main/files/a%20b/?sort=name', '/main/photos#top', '/x?y=%2F%2Fz']) {
      const answer = await finishSignIn(login(`?return_to=${encodeURIComponent(path)}`), 'vic', new Visitor());
      expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
    }
  });

  it('makes / of any other return_to', async () => {
    for (const path of [
      '//evil.example',
      '/\\evil.example',
      '/%09/evil.example',
      '/.//evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/x\r\nset-cookie: a=b',
      '',
      '/api/auth/logout',
      `/${'x'.repeat(5000)}`,
    ]) {
      const answer = await finishSignIn(login(`?return_to=${encodeURIComponent(path)}`), 'vic', new Visitor());
      expect([path, answer.headers.get('location')]).toEqual([path, '/']);
    }
  });

  it('refuses a return_to that comes twice', async () => {
    const answer = await fetch(login('?return_to=/a&return_to=/b'), { redirect: 'manual' });
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'invalid_request']);
  });
});

describe('GET /api/auth/callback', () => {
  it('sets the session cookie: HttpOnly, Lax, for as long as the session, and no more than one', async () => {
    const visitor = new Visitor();
    const answer = await visitor.request(await callbackUrl(visitor));
    const cookies = answer.headers.getSetCookie();
    expect(cookies).toEqual([
      expect.stringMatching(/^svc_session=s%3A[\w-]{43}\.[^;]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
    ]);
    const expires = Date.parse(/Expires=([^;]+)/.exec(cookies[0]!)![1]!);
    expect(Math.abs(expires - Date.now() - 28_800_000)).toBeLessThan(10_000);
  });

  it('answers 401 when it comes again: a problem to clients, a page with a way on to browsers', async () => {
    const visitor = new Visitor();
    const url = await callbackUrl(visitor);
    expect((await visitor.request(url)).status).toBe(303);
    const again = await visitor.request(url, asClient);
    expect([again.status, again.headers.get('content-type'), await codeOf(again)]).toEqual([
      401,
      'application/problem+json; charset=utf-8',
      'login_replayed',
    ]);
    const page = await visitor.request(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('You are already signed in');
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('shows whoever is not signed in how to begin again', async () => {
    const page = await fetch(`${app.origin}/api/auth/callback?state=unknown&code=x`, {
      headers: { accept: 'text/html' },
    });
    expect(page.status).toBe(401);
    expect(await page.text()).toContain('href="/api/auth/login"');
    expect(page.headers.get('content-security-policy')).toContain(`script-src ${app.origin}/assets/`);
  });

  it('refuses two svc_login cookies, and takes over none that was not made here', async () => {
    const visitor = new Visitor();
    const url = await callbackUrl(visitor);
    const own = visitor.cookie(app.origin, 'svc_login')!;
    const planted = 'A'.repeat(43);
    for (const cookie of [
      `svc_login=${own}; svc_login=${planted}`,
      `svc_login=${planted};svc_login=${own}`,
      `svc_login=${own}; svc_login=${own}`,
    ]) {
      for (const address of [url, login(), `${app.origin}/v1/auth/authorize`]) {
        const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
        expect([cookie, answer.status, await codeOf(answer)]).toEqual([cookie, 401, 'login_invalid']);
      }
    }
    const begin = async (value: string) =>
      (
        await fetch(login(), { redirect: 'manual', headers: { cookie: `svc_login=${value}` } })
      ).headers.getSetCookie()[0]!;
    expect(await begin(own)).toContain(`svc_login=${own};`);
    for (const value of [planted, `${own.slice(0, 42)}${own.endsWith('A') ? 'E' : 'A'}`, own.toLowerCase(), `${own}A`])
      expect(await begin(value)).not.toContain(`svc_login=${value};`);
    expect((await visitor.request(url)).status).toBe(303);
  });

  it('counts once of fifty at once', async () => {
    const visitor = new Visitor();
    const url = await callbackUrl(visitor);
    const headers = { accept: 'application/json', cookie: `svc_login=${visitor.cookie(app.origin, 'svc_login')!}` };
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(url, { redirect: 'manual', headers })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([303, ...Array.from({ length: 49 }, () => 401)]);
    expect(answers.filter((answer) => answer.headers.getSetCookie().length > 0)).toHaveLength(1);
  });

  it('answers 401 in another browser, and to what was made up', async () => {
    const visitor = new Visitor();
    const url = await callbackUrl(visitor);
    const attempts = [
      () => new Visitor().request(url, asClient),
      () => visitor.request(url.replace(/state=[^&]+/, 'state=AAAA'), asClient),
      () => visitor.request(`${url}&state=x`, asClient),
      () => visitor.request(`${app.origin}/api/auth/callback`, asClient),
    ];
    for (const attempt of attempts) {
      const answer = await attempt();
      expect([answer.status, await codeOf(answer)]).toEqual([401, 'login_invalid']);
    }
    expect((await visitor.request(url)).status).toBe(303);
  });

  it('answers 403 when the person cancels at the provider', async () => {
    const visitor = new Visitor();
    const answer = await visitor.request(await callbackUrl(visitor, 'cancel'), asClient);
    expect([answer.status, await codeOf(answer)]).toEqual([403, 'login_refused']);
  });

  it('tells a browser what went wrong in a sentence', async () => {
    const visitor = new Visitor();
    const answer = await visitor.request(await callbackUrl(visitor, 'cancel'));
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain(
      '<p>The identity provider refused the sign-in (<code>access_denied</code>): the person cancelled the sign-in.</p>',
    );
  });

  it('finishes in every tab that was begun in the same browser', async () => {
    const visitor = new Visitor();
    const begun = [];
    for (const path of ['/a', '/b', '/c'])
      begun.push((await visitor.request(login(`?return_to=${path}`))).headers.get('location')!);
    for (const path of ['/b', '/c', '/a']) {
      const url = await signInAt(begun[['/a', '/b', '/c'].indexOf(path)]!, { account: 'vic', visitor });
      expect((await visitor.request(url)).headers.get('location')).toBe(path);
    }
  });

  it('gives a new credential each time, and ends the one that the browser had', async () => {
    const visitor = await app.signIn('vic');
    const first = visitor.cookie(app.origin, 'svc_session')!;
    await app.signIn('vic', visitor);
    const second = visitor.cookie(app.origin, 'svc_session')!;
    const status = async (value: string) =>
      (await fetch(`${app.origin}/api/providers`, { headers: { cookie: `svc_session=${value}` } })).status;
    expect(second.split('.')[0]).not.toBe(first.split('.')[0]);
    expect([await status(first), await status(second)]).toEqual([401, 200]);
  });

  it('takes no cookie for JSON, neither of the login nor of the session', async () => {
    for (const json of ['j:{"a":1}', 'j%3A%7B%22a%22%3A1%7D', 'j:["s:x.y"]', 'j:1', 'j:["%ff"]']) {
      const visitor = new Visitor();
      const url = await callbackUrl(visitor);
      const own = visitor.cookie(app.origin, 'svc_login')!;
      const answer = async (cookie: string) => (await fetch(url, { redirect: 'manual', headers: { cookie } })).status;
      const begun = await fetch(login(), { redirect: 'manual', headers: { cookie: `svc_login=${json}` } });
      expect([json, begun.status]).toEqual([json, 303]);
      expect(begun.headers.getSetCookie()[0]).toMatch(/^svc_login=[\w-]{43};/);
      expect([json, await answer(`svc_login=${json}`)]).toEqual([json, 401]);
      expect([json, await answer(`svc_login=${own}; svc_session=${json}`)]).toEqual([json, 303]);
    }
  });

  it('ends every previous session of the browser', async () => {
    const previous = await Promise.all(
      ['nobody', 'vic'].map(
        async (account) => `svc_session=${(await app.signIn(account)).cookie(app.origin, 'svc_session')!}`,
      ),
    );
    const visitor = new Visitor();
    const url = await callbackUrl(visitor);
    const cookie = [`svc_login=${visitor.cookie(app.origin, 'svc_login')!}`, ...previous].join('; ');
    expect((await fetch(url, { redirect: 'manual', headers: { cookie } })).status).toBe(303);
    for (const one of previous)
      expect((await fetch(`${app.origin}/api/providers`, { headers: { cookie: one } })).status).toBe(401);
  });

  it('takes no session that was planted before the sign-in', async () => {
    const planted = (await app.signIn('nobody')).cookie(app.origin, 'svc_session')!;
    const visitor = new Visitor();
    const url = await callbackUrl(visitor);
    const cookie = `svc_login=${visitor.cookie(app.origin, 'svc_login')!}; svc_session=${planted}`;
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    expect(answer.headers.getSetCookie()[0]).not.toContain(planted.split('.')[0]);
    expect((await fetch(`${app.origin}/api/providers`, { headers: { cookie: `svc_session=${planted}` } })).status).toBe(
      401,
    );
  });
});

describe('GET /api/auth/logout', () => {
  it('ends the session here, then sends a browser to the provider to end it there', async () => {
    const visitor = await app.signIn('vic');
    const value = visitor.cookie(app.origin, 'svc_session')!;
    const answer = await visitor.request(`${app.origin}/api/auth/logout`);
    expect(answer.status).toBe(303);
    const url = new URL(answer.headers.get('location')!);
    expect([url.origin, url.searchParams.get('client_id'), url.searchParams.get('post_logout_redirect_uri')]).toEqual([
      app.issuer,
      'svc',
      `${app.origin}/`,
    ]);
    expect(url.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    expect(visitor.cookie(app.origin, 'svc_session')).toBeUndefined();
    expect((await fetch(`${app.origin}/api/providers`, { headers: { cookie: `svc_session=${value}` } })).status).toBe(
      401,
    );
    expect(await signOutAt(url.href, visitor)).toBe(`${app.origin}/`);
  });

  it('ends the session although a second cookie was planted beside its own', async () => {
    for (const planted of [
      'svc_session=s%3Aplanted.x',
      `svc_session=${(await app.signIn('nobody')).cookie(app.origin, 'svc_session')!}`,
    ]) {
      for (const order of [(own: string) => `${planted}; ${own}`, (own: string) => `${own}; ${planted}`]) {
        const own = `svc_session=${(await app.signIn('vic')).cookie(app.origin, 'svc_session')!}`;
        await fetch(`${app.origin}/api/auth/logout`, { headers: { cookie: order(own) }, redirect: 'manual' });
        expect((await fetch(`${app.origin}/api/providers`, { headers: { cookie: own } })).status).toBe(401);
      }
    }
  });

  it('records each session that it ends, whose ever it was', async () => {
    const cookies = await Promise.all(
      ['nobody', 'vic'].map(
        async (account) => `svc_session=${(await app.signIn(account)).cookie(app.origin, 'svc_session')!}`,
      ),
    );
    const answer = await fetch(`${app.origin}/api/auth/logout`, {
      headers: { cookie: cookies.join('; '), accept: 'application/json' },
    });
    const requestId = answer.headers.get('x-request-id')!;
    const lines = app
      .logged()
      .split('\n')
      .filter((line) => line.includes(requestId));
    expect(lines.length).toBe(1);
    const { resources } = JSON.parse(/\{.*/.exec(lines[0]!)![0]) as {
      resources: readonly { readonly of: { readonly subject: string }; readonly outcome: string }[];
    };
    expect(resources.map(({ of, outcome }) => [of.subject, outcome])).toEqual([
      ['nobody', 'done'],
      ['vic', 'done'],
    ]);
  });

  it('answers 204 to other clients', async () => {
    const visitor = await app.signIn('vic');
    const answer = await visitor.request(`${app.origin}/api/auth/logout`, asClient);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('sends a browser without a session to the provider too, because a session here may have ended without it', async () => {
    const visitor = await app.signIn('vic');
    await endSessionsOf(app.origin, await app.signIn('ada'), 'vic');
    const answer = await visitor.request(`${app.origin}/api/auth/logout`);
    const url = new URL(answer.headers.get('location')!);
    expect([url.origin, url.searchParams.get('client_id'), url.searchParams.has('id_token_hint')]).toEqual([
      app.issuer,
      'svc',
      false,
    ]);
    expect(await signOutAt(url.href, visitor)).toBe(`${app.origin}/`);
    expect((await new Visitor().request(`${app.origin}/signed-out`)).status).toBe(200);
  });
});

describe('a request that only asks what a route would do', () => {
  it('is 405 on the callbacks and at sign-out, and does nothing', async () => {
    const visitor = await app.signIn('vic');
    for (const path of ['/api/auth/callback?state=x', '/v1/auth/callback?state=x', '/api/auth/logout']) {
      const answer = await visitor.request(app.origin + path, { method: 'HEAD' });
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'GET']);
    }
    expect(await isSignedIn(visitor)).toBe(true);
  });
});

describe('a sign-out that another site began', () => {
  it('asks first, and goes on from our own page', async () => {
    const visitor = await app.signIn('vic');
    for (const site of ['cross-site', 'same-site']) {
      const page = await visitor.request(`${app.origin}/api/auth/logout`, { headers: { 'sec-fetch-site': site } });
      expect([page.status, (await page.text()).includes('href="/api/auth/logout"')]).toEqual([200, true]);
      const other = await visitor.request(`${app.origin}/api/auth/logout`, {
        headers: { 'sec-fetch-site': site, accept: 'image/*' },
      });
      expect([other.status, await codeOf(other)]).toEqual([403, 'origin_mismatch']);
      expect(await isSignedIn(visitor)).toBe(true);
    }
    expect(
      (await visitor.request(`${app.origin}/api/auth/logout`, { headers: { 'sec-fetch-site': 'same-origin' } })).status,
    ).toBe(303);
    expect(await isSignedIn(visitor)).toBe(false);
  });
});

describe('a page request without a session', () => {
  it('goes to sign in and comes back to the same place', async () => {
    for (const path of ['/', '/main/files/a%20b/?sort=name', '/api/docs']) {
      const answer = await new Visitor().request(app.origin + path);
      expect([path, answer.status, answer.headers.get('location')]).toEqual([
        path,
        303,
        `/api/auth/login?return_to=${encodeURIComponent(path)}`,
      ]);
      expect(
        (await finishSignIn(app.origin + answer.headers.get('location')!, 'vic', new Visitor())).headers.get(
          'location',
        ),
      ).toBe(path);
    }
  });

  it('is not made of an API request: that gets 401', async () => {
    for (const headers of [{ accept: 'application/json' }, { accept: '*/*' }, {}]) {
      for (const path of ['/api/providers', '/api/openapi.json', '/api/docs', '/v1/auth/session'])
        expect((await fetch(app.origin + path, { redirect: 'manual', headers })).status).toBe(401);
    }
  });
});
