import { createHmac, createPublicKey, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { startApp, type TestApp } from '../support/app.ts';
import { auditLines } from '../support/audit-cases.ts';
import { desktopAttempt, desktopCode, exchangeCode, signInDesktop } from '../support/desktop-client.ts';
import { needsOneProcess } from '../support/one-process.ts';
import { RpcClient, RpcConnection } from '../support/rpc-client.ts';
import { signInAt, signOutAt, Visitor } from '../support/visitor.ts';

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const PATH = '/v1/auth/backchannel-logout';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  app.idp.register({
    ...app.client,
    backchannel_logout_uri: app.origin + PATH,
    backchannel_logout_session_required: true,
  });
});
afterAll(() => app.close());

const send = (token: string, at = app.origin) =>
  fetch(at + PATH, { method: 'POST', body: new URLSearchParams({ logout_token: token }) });
const seconds = () => Math.floor(Date.now() / 1000);
const right = (changes: JWTPayload = {}): JWTPayload => ({
  iss: app.issuer,
  aud: 'svc',
  iat: seconds(),
  exp: seconds() + 120,
  jti: randomUUID(),
  events: EVENTS,
  ...changes,
});
const without = (name: string, changes: JWTPayload = {}) =>
  Object.fromEntries(
    Object.entries(right({ sub: 'vic', ...changes })).filter(([claim]) => claim !== name),
  ) as JWTPayload;
const isSignedIn = async (visitor: Visitor) =>
  ((await (await visitor.request(`${app.origin}/api/auth/me`)).json()) as { authenticated: boolean }).authenticated;
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sid: string };
/** The ID token, which a browser sees when it signs out. */
const idTokenOf = async (visitor: Visitor) =>
  new URL((await visitor.request(`${app.origin}/api/auth/logout`)).headers.get('location')!).searchParams.get(
    'id_token_hint',
  )!;
/** The name of vic's session at the provider, which is the same after another sign-in. */
const sidOf = async (visitor: Visitor) => {
  const { sid } = claimsOf(await idTokenOf(visitor));
  await app.signIn('vic', visitor);
  return sid;
};
const statusOf = async (credential: string) =>
  (await fetch(`${app.origin}/v1/auth/session`, { headers: { authorization: `Bearer ${credential}` } })).status;

describe('the identity provider that ends a session', () => {
  it('ends it here too, with its socket, on the browser and the desktop, and leaves keys and other people alone', async () => {
    const visitor = await app.signIn('ada');
    const attempt = desktopAttempt(app.origin);
    const code = (await desktopCode(app.origin, 'ada', attempt, visitor)).get('code')!;
    const { access_token: desktop } = (await (await exchangeCode(app.origin, attempt, code)).json()) as {
      access_token: string;
    };
    const { access_token: elsewhere } = await signInDesktop(app, 'ada');
    const vic = await app.signIn('vic');
    const { credential: key } = await RpcClient.bearer(app.origin, desktop).call('apiKey/create', {
      description: 'stays',
      scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
    });
    const socket = (await RpcConnection.open(app.origin, {
      authorization: `Bearer ${desktop}`,
      origin: app.origin,
    })) as RpcConnection;
    const before = (await auditLines(app)).length;
    await signOutAt(`${app.issuer}/session/end`, visitor);
    expect(await socket.closed).toBe(4001);
    expect([
      await isSignedIn(visitor),
      await statusOf(desktop),
      await statusOf(elsewhere),
      await isSignedIn(vic),
    ]).toEqual([false, 401, 200, true]);
    expect(await RpcClient.bearer(app.origin, key).call('session/get', {})).toMatchObject({
      kind: 'apiKey',
      subject: 'ada',
    });
    const [line] = (await auditLines(app))
      .slice(before)
      .filter(({ operation }) => operation === 'session/endByProvider');
    expect(line).toMatchObject({
      outcome: 'done',
      via: 'unknown',
      resources: [{ of: { subject: 'ada' } }, { of: { subject: 'ada' } }],
    });
    expect(app.logged()).not.toContain('logout_token');
  });

  it('ends a session that is being begun with its `sid` just then, however late the ID token is issued', async () => {
    const visitor = await app.signIn('pia');
    const { sid } = claimsOf(await idTokenOf(visitor));
    const begun = await visitor.request(`${app.origin}/api/auth/login`);
    const callback = await signInAt(begun.headers.get('location')!, { account: 'pia', visitor });
    expect((await send(await app.idp.signed(right({ sid, iat: seconds() - 60 })))).status).toBe(200);
    const refused = await visitor.request(callback);
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringContaining('has ended this sign-in meanwhile'),
    ]);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('ends nothing when the token is for another client', async () => {
    const visitor = await app.signIn('vic');
    await send(await app.idp.signed(right({ aud: 'another', sub: 'vic' })));
    expect(await isSignedIn(visitor)).toBe(true);
  });
});

describe(`POST ${PATH}`, () => {
  let visitor: Visitor;
  beforeEach(async () => {
    visitor = await signInAgain();
  });

  it('ends every session of a person at the issuer when the token has no `sid`', async () => {
    const { access_token: desktop } = await signInDesktop(app, 'vic');
    const answer = await send(await app.idp.signed(right({ sub: 'vic' }), { typ: 'logout+jwt' }));
    expect([answer.status, await answer.text(), answer.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
    expect([await isSignedIn(visitor), await statusOf(desktop)]).toEqual([false, 401]);
    expect(await isSignedIn(await signInAgain())).toBe(true);
  });

  it('ends sessions whose ID token had no `sid`, too, when the token names session and person', async () => {
    app.idp.register(app.client);
    const before = await signInAgain();
    app.idp.register({
      ...app.client,
      backchannel_logout_session_required: true,
      backchannel_logout_uri: app.origin + PATH,
    });
    expect((await send(await app.idp.signed(right({ sub: 'vic', sid: 'another' })))).status).toBe(200);
    expect([await isSignedIn(before), await isSignedIn(visitor)]).toEqual([false, true]);
  });

  it.each(['JWT', 'logout+jwt', 'application/logout+jwt', 'Logout+JWT'])(
    'takes a token of the type `%s`',
    async (typ) => {
      expect((await send(await app.idp.signed(right({ sub: 'vic', sid: await sidOf(visitor) }), { typ }))).status).toBe(
        200,
      );
      expect(await isSignedIn(visitor)).toBe(false);
    },
  );

  it('takes a token for several that is of this client', async () => {
    expect((await send(await app.idp.signed(right({ sub: 'vic', aud: ['another', 'svc'], azp: 'svc' })))).status).toBe(
      200,
    );
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('takes `null` for what the provider does not have', async () => {
    expect((await send(await app.idp.signed(right({ sub: 'vic', sid: null, azp: null })))).status).toBe(200);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('answers 200 when there is nothing to end, and leaves no line in the audit', async () => {
    const before = (await auditLines(app)).length;
    expect((await send(await app.idp.signed(right({ sid: 'nobody has it' })))).status).toBe(200);
    expect((await auditLines(app)).slice(before)).toEqual([]);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('takes a token without an expiry, as drafts of the standard had it, for ten minutes and once', async () => {
    const token = await app.idp.signed(without('exp', { iat: seconds() - 580 }));
    expect([(await send(token)).status, (await send(token)).status]).toEqual([200, 400]);
    expect((await send(await app.idp.signed(without('exp', { iat: seconds() - 640 })))).status).toBe(400);
  });

  it('refuses a token that was used before, and ends nothing for it', async () => {
    const token = await app.idp.signed(right({ sub: 'vic' }));
    expect((await send(token)).status).toBe(200);
    visitor = await signInAgain();
    const again = await send(token);
    expect([again.status, await again.json(), again.headers.get('cache-control')]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'this logout token was used before' },
      'no-store',
    ]);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  const forged = async (claims: JWTPayload) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: app.idp.publicKey.kid! })
      .sign((await generateKeyPair('RS256')).privateKey);
  const unsigned = (claims: JWTPayload) => `${encode({ alg: 'none' })}.${encode(claims)}.`;
  const hmac = (claims: JWTPayload, secret: string) => {
    const text = `${encode({ alg: 'HS256', kid: app.idp.publicKey.kid })}.${encode(claims)}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const mine = (changes: JWTPayload = {}) => right({ sub: 'vic', ...changes });

  it.each<[string, () => Promise<string> | string]>([
    ['signed by somebody else', () => forged(mine())],
    ['with alg none', () => unsigned(mine())],
    ['signed with HS256 and the public key as JSON', () => hmac(mine(), JSON.stringify(app.idp.publicKey))],
    [
      'signed with HS256 and the public key in PEM',
      () =>
        hmac(
          mine(),
          createPublicKey({ key: app.idp.publicKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString(),
        ),
    ],
    ['signed with HS256 and the client secret', () => hmac(mine(), 'idp-client-secret')],
    ['of another issuer', () => app.idp.signed(mine({ iss: 'https://evil.example' }))],
    ['of an issuer that differs in a slash', () => app.idp.signed(mine({ iss: `${app.issuer}/` }))],
    ['for another audience', () => app.idp.signed(mine({ aud: 'another' }))],
    ['without an audience', () => app.idp.signed(without('aud'))],
    ['of another party', () => app.idp.signed(mine({ azp: 'another' }))],
    ['of another party, for both', () => app.idp.signed(mine({ aud: ['svc', 'another'], azp: 'another' }))],
    ['for several, of a party that it does not name', () => app.idp.signed(mine({ aud: ['svc', 'another'] }))],
    ['with a nonce', () => app.idp.signed(mine({ nonce: 'n' }))],
    ['with an empty nonce', () => app.idp.signed(mine({ nonce: null }))],
    ['without events', () => app.idp.signed(without('events'))],
    ['of another event', () => app.idp.signed(mine({ events: { 'http://schemas.openid.net/event/other': {} } }))],
    ['with an event that is no object', () => app.idp.signed(mine({ events: { [Object.keys(EVENTS)[0]!]: [] } }))],
    ['with events that are a list', () => app.idp.signed(mine({ events: Object.keys(EVENTS) }))],
    ['that expired', () => app.idp.signed(mine({ exp: seconds() - 60 }))],
    ['with an expiry that is no number', () => app.idp.signed(mine({ exp: 'never' as never }))],
    ['issued an hour ago', () => app.idp.signed(mine({ iat: seconds() - 3600 }))],
    ['issued in an hour', () => app.idp.signed(mine({ iat: seconds() + 3600 }))],
    ['without an issue time', () => app.idp.signed(without('iat'))],
    ['without an id', () => app.idp.signed(without('jti'))],
    ['with an id that is no text', () => app.idp.signed(mine({ jti: 7 as never }))],
    ['about nobody', () => app.idp.signed(right())],
    ['about a list of people', () => app.idp.signed(right({ sub: ['vic'] as never }))],
    ['about a session that is no text', () => app.idp.signed(mine({ sid: { a: 1 } }))],
    ['about a session with a name that nothing keeps', () => app.idp.signed(mine({ sid: 'x\0' }))],
    ['about a session with an endless name', () => app.idp.signed(mine({ sid: 'x'.repeat(256) }))],
    ['of the type of access tokens', () => app.idp.signed(mine(), { typ: 'at+jwt' })],
    ['of the type of access tokens, as a media type', () => app.idp.signed(mine(), { typ: 'application/AT+JWT' })],
    ['of a type that is no text', () => app.idp.signed(mine(), { typ: ['logout+jwt'] })],
    ['of an empty type', () => app.idp.signed(mine(), { typ: '' })],
    [
      'about the session of another person',
      async () => app.idp.signed(mine({ sub: 'ada', sid: await sidOf(visitor) })),
    ],
    ['that is none', () => 'a.b.c'],
    ['that is empty', () => ''],
  ])('refuses a token %s', async (_what, make) => {
    const answer = await send(await make());
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: expect.stringMatching(/^the logout token is not valid/) },
    ]);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('refuses an ID token of the person', async () => {
    const hint = await idTokenOf(visitor);
    visitor = await app.signIn('vic');
    expect((await send(hint)).status).toBe(400);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('takes one token in a form, and nothing else', async () => {
    const token = await app.idp.signed(mine());
    const post = (init: RequestInit, query = '') => fetch(app.origin + PATH + query, { method: 'POST', ...init });
    const form = 'application/x-www-form-urlencoded';
    expect(
      (await post({ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ logout_token: token }) }))
        .status,
    ).toBe(400);
    expect(
      (await post({ headers: { 'content-type': form }, body: `logout_token=${token}&logout_token=${token}` })).status,
    ).toBe(400);
    expect((await post({}, `?logout_token=${token}`)).status).toBe(400);
    expect(
      (await post({ headers: { 'content-type': form }, body: `logout_token=${token}&x=${'x'.repeat(17_000)}` })).status,
    ).toBe(413);
    expect((await fetch(`${app.origin}${PATH}?logout_token=${token}`)).status).toBe(405);
    expect(await isSignedIn(visitor)).toBe(true);
    expect(
      (await post({ headers: { 'content-type': `${form}; charset=utf-8` }, body: `state=x&logout_token=${token}` }))
        .status,
    ).toBe(200);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('leaves no line in the audit of what a stranger made up, however large', async () => {
    const before = (await auditLines(app)).length;
    expect((await send('a.b.c')).status).toBe(400);
    expect((await send('x'.repeat(17_000))).status).toBe(413);
    expect(
      (
        await fetch(`${app.origin}/v1/auth/token`, {
          method: 'POST',
          body: new URLSearchParams({ code: 'x'.repeat(17_000) }),
        })
      ).status,
    ).toBe(413);
    expect((await auditLines(app)).slice(before)).toEqual([]);
  });

  it('is not told by another site with the cookie of a person', async () => {
    const answer = await visitor.request(app.origin + PATH, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ logout_token: await app.idp.signed(mine()) }),
    });
    expect(answer.status).toBe(403);
    expect(await isSignedIn(visitor)).toBe(true);
  });
});

describe('many requests from one address', () => {
  it('are refused when their tokens are not valid, and all taken when they are', async () => {
    needsOneProcess('each worker counts failed requests');
    const limited = await startApp({
      config: (config) => ({
        ...config,
        server: { ...(config['server'] as object), rate_limit: { sign_in_per_minute: 5 } },
      }),
    });
    try {
      const make = () => limited.idp.signed({ ...right({ sub: 'vic' }), iss: limited.issuer });
      const statuses = async (tokens: readonly string[]) => {
        const seen: number[] = [];
        for (const token of tokens) seen.push((await send(token, limited.origin)).status);
        return seen;
      };
      expect(await statuses(await Promise.all(Array.from({ length: 12 }, make)))).toEqual(
        Array.from({ length: 12 }, () => 200),
      );
      const atOnce = (await Promise.all(Array.from({ length: 12 }, make))).map((token) => begun(token, limited.origin));
      await wait(200);
      expect(await Promise.all(atOnce.map((finish) => finish()))).toEqual(Array.from({ length: 12 }, () => 200));
      expect(await statuses(Array.from({ length: 6 }, () => 'a.b.c'))).toEqual([400, 400, 400, 400, 400, 429]);
    } finally {
      await limited.close();
    }
  });
});

describe('many tokens of strangers while the identity provider is away', () => {
  it('are refused, so that it is not asked for each of them, and leave no line in the audit', async () => {
    needsOneProcess('each worker counts failed requests');
    const away = await startApp({
      config: (config) => {
        const auth = config['auth'] as { oidc: object };
        return {
          ...config,
          server: { ...(config['server'] as object), rate_limit: { sign_in_per_minute: 3 } },
          auth: { ...auth, oidc: { ...auth.oidc, issuer: 'http://127.0.0.1:1' } },
        };
      },
    });
    try {
      const seen: number[] = [];
      for (let i = 0; i < 5; i += 1) seen.push((await send('a.b.c', away.origin)).status);
      expect(seen).toEqual([502, 502, 502, 429, 429]);
      expect(await auditLines(away)).toEqual([]);
    } finally {
      await away.close();
    }
  });
});

describe('a service that calls people by another claim than `sub`', () => {
  it('ends their sessions by what the provider calls them, and nobody else', async () => {
    const people = [
      { sub: 'u-17', claims: { employee: 'E17' } },
      { sub: 'E17', claims: { employee: 'another' } },
    ];
    const other = await startApp({
      accounts: people,
      config: (config) => ({ ...config, identity: { subject_claim: 'employee' } }),
    });
    try {
      const visitors = [await other.signIn('u-17'), await other.signIn('E17')];
      const subjects = async () =>
        Promise.all(
          visitors.map(
            async (visitor) =>
              ((await (await visitor.request(`${other.origin}/api/auth/me`)).json()) as { subject: string }).subject,
          ),
        );
      expect(await subjects()).toEqual(['E17', 'another']);
      expect(
        (await send(await other.idp.signed({ ...right({ sub: 'u-17' }), iss: other.issuer }), other.origin)).status,
      ).toBe(200);
      expect(await subjects()).toEqual(['', 'another']);
    } finally {
      await other.close();
    }
  });
});

describe('a service without an identity provider', () => {
  it('has no such place', async () => {
    const local = await startApp({
      config: (config) => ({
        ...config,
        auth: { ...(config['auth'] as object), oidc: undefined, local_users: [{ subject: 'boss', roles: ['admin'] }] },
      }),
    });
    try {
      expect((await send('a.b.c', local.origin)).status).toBe(404);
    } finally {
      await local.close();
    }
  });
});

describe('a session that is ended while it begins', () => {
  it('does not stand: the logout arrives between the provider and the callback, or before the desktop code is exchanged', async () => {
    const visitor = new Visitor();
    const begun = await visitor.request(`${app.origin}/api/auth/login`);
    const callback = await signInAt(begun.headers.get('location')!, { account: 'vic', visitor });
    // The ID token that the callback gets is not newer than this.
    expect((await send(await app.idp.signed(right({ sub: 'vic', iat: seconds() + 20 })))).status).toBe(200);
    const refused = await visitor.request(callback);
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringContaining('has ended this sign-in meanwhile'),
    ]);
    expect(visitor.cookie(app.origin, 'svc_session')).toBeUndefined();
    expect(await isSignedIn(visitor)).toBe(false);

    const attempt = desktopAttempt(app.origin);
    const code = (await desktopCode(app.origin, 'pia', attempt)).get('code')!;
    expect((await send(await app.idp.signed(right({ sub: 'pia', iat: seconds() + 20 })))).status).toBe(200);
    const exchange = await exchangeCode(app.origin, attempt, code);
    expect([exchange.status, await exchange.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_grant' }),
    ]);
    const boss = await app.signIn('ada');
    const { sessions } = (await (await boss.request(`${app.origin}/api/admin/sessions`)).json()) as {
      sessions: { subject: string }[];
    };
    expect(sessions.map(({ subject }) => subject)).not.toEqual(expect.arrayContaining(['pia']));
  });
});

/** Sends the headers of a logout. @returns what sends the rest, and gives the status. */
function begun(token: string, at: string): () => Promise<number> {
  const body = new URLSearchParams({ logout_token: token }).toString();
  const sent = request(at + PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length },
    agent: false,
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.flushHeaders();
  return async () => {
    sent.end(body);
    const [answer] = await answered;
    answer.resume();
    return answer.statusCode!;
  };
}

/** A logout holds for sign-ins of its second, so that a test after it may have to wait for the next. */
async function signInAgain(): Promise<Visitor> {
  for (let i = 0; i < 10; i += 1) {
    const visitor = await app.signIn('vic');
    if (await isSignedIn(visitor)) return visitor;
    await wait(300);
  }
  throw new Error('nobody could sign in within 3 seconds');
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
