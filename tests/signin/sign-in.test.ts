import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CompletedLogin } from '../../src/signin/complete.ts';
import { randomSealingKey, sealingKeyFromSecret } from '../../src/secret/sealer.ts';
import type { SignIn } from '../../src/signin/sign-in.ts';
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts';
import { heldBytes } from '../support/held-bytes.ts';
import { signInAt, signOutAt, Visitor } from '../support/visitor.ts';
import { POST_LOGOUT_REDIRECT_URI, queryOf, REDIRECT_URI, signInWith } from './sign-in-with.ts';

const SECRET = 'a-secret:with%and+and&and/~';
const client = { redirect_uris: [REDIRECT_URI], post_logout_redirect_uris: [POST_LOGOUT_REDIRECT_URI] };

let provider: IdentityProvider;
const engines: SignIn[] = [];

function engine(options: Partial<Parameters<typeof signInWith>[0]> = {}): ReturnType<typeof signInWith> {
  const made = signInWith({ issuer: provider.issuer, clientSecret: SECRET, ...options });
  engines.push(made.signIn);
  return made;
}

async function wholeFlow(signIn: SignIn, account: string): Promise<CompletedLogin> {
  const { url, browserSecret } = await signIn.begin({ returnTo: '/b/photos?prefix=a#x' });
  return await signIn.complete({ query: queryOf(await signInAt(url, { account })), browserSecret });
}

beforeAll(async () => {
  provider = await startIdentityProvider({
    accounts: [
      { sub: 'alice', name: 'Alice Ämter', groups: ['admins', 'staff'] },
      { sub: 'bob', claims: { realm_access: { roles: ['viewers'] }, employee: 'E-7', preferred_username: 'bobby' } },
    ],
    clients: [
      { ...client, client_id: 'svc', client_secret: SECRET },
      { ...client, client_id: 'svc-post', client_secret: SECRET, token_endpoint_auth_method: 'client_secret_post' },
      {
        ...client,
        client_id: 'svc-port',
        client_secret: SECRET,
        redirect_uris: ['http://127.0.0.1/api/auth/callback'],
      },
      { ...client, client_id: 'svc-public', token_endpoint_auth_method: 'none' },
      ...(['PS256', 'ES256', 'EdDSA', 'Ed25519'] as const).map((alg) => ({
        ...client,
        client_id: `svc-${alg}`,
        client_secret: SECRET,
        id_token_signed_response_alg: alg,
      })),
    ],
  });
});

afterEach(async () => {
  await Promise.all(engines.splice(0).map((signIn) => signIn.close()));
});

afterAll(() => provider.close());

describe('SignIn against oidc-provider', () => {
  it('signs in a confidential client by Basic, with a secret that needs encoding', async () => {
    const { signIn, warnings } = engine();
    expect(await wholeFlow(signIn, 'alice')).toMatchObject({
      outcome: 'web',
      returnTo: '/b/photos?prefix=a#x',
      person: {
        identity: { issuer: provider.issuer, subject: 'alice', groups: ['admins', 'staff'] },
        name: 'Alice Ämter',
        idToken: expect.stringMatching(/^eyJ/),
        groupsClaim: { path: 'groups', found: true, present: ['groups', 'name', 'sub'] },
      },
    });
    expect(warnings).toEqual([]);
  });

  it('signs in a confidential client by post', async () => {
    const { signIn } = engine({ clientId: 'svc-post', clientAuth: 'post' });
    expect(await wholeFlow(signIn, 'alice')).toMatchObject({ outcome: 'web' });
  });

  it('signs in a public client without a secret', async () => {
    const { signIn } = engine({ clientId: 'svc-public', clientAuth: 'none', clientSecret: undefined });
    expect(await wholeFlow(signIn, 'alice')).toMatchObject({ outcome: 'web' });
  });

  it.each(['PS256', 'ES256', 'EdDSA', 'Ed25519'])('accepts an ID token signed with %s', async (alg) => {
    const { signIn } = engine({ clientId: `svc-${alg}` });
    const done = await wholeFlow(signIn, 'alice');
    if (done.outcome !== 'web') throw new Error(done.outcome);
    expect(JSON.parse(Buffer.from(done.person.idToken.split('.')[0]!, 'base64url').toString())).toMatchObject({ alg });
  });

  it('blames the provider and the settings, not the person, when the client secret is wrong', async () => {
    const { signIn } = engine({ clientSecret: 'wrong' });
    await expect(wholeFlow(signIn, 'alice')).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
      detail: expect.stringContaining('client_secret'),
    });
  });

  it('comes back to the one callback', async () => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({ returnTo: '/x' });
    const callback = await signInAt(url, { account: 'alice' });
    expect(callback.startsWith(`${REDIRECT_URI}?`)).toBe(true);
    expect(await signIn.complete({ query: queryOf(callback), browserSecret })).toMatchObject({
      outcome: 'web',
      returnTo: '/x',
    });
  });

  it('sends one redirect URI in both steps, however it is written in the configuration', async () => {
    const { signIn } = engine({ clientId: 'svc-port', redirectUri: 'HTTP://127.0.0.1:80/api/auth/callback' });
    expect(await wholeFlow(signIn, 'alice')).toMatchObject({ outcome: 'web' });
  });

  it('takes subject and groups from the claims that are configured', async () => {
    const { signIn } = engine({ subjectClaim: 'employee', groupsClaim: 'realm_access.roles' });
    expect(await wholeFlow(signIn, 'bob')).toMatchObject({
      person: { identity: { subject: 'E-7', groups: ['viewers'] }, name: 'bobby' },
    });
  });

  it('lets a person without groups in, and says which claim was looked for and which were there', async () => {
    const { signIn } = engine();
    expect(await wholeFlow(signIn, 'bob')).toMatchObject({
      person: {
        identity: { groups: [] },
        groupsClaim: {
          path: 'groups',
          found: false,
          present: ['employee', 'preferred_username', 'realm_access', 'sub'],
        },
      },
    });
  });

  it('refuses a person who lacks the subject claim', async () => {
    const { signIn } = engine({ subjectClaim: 'employee' });
    await expect(wholeFlow(signIn, 'alice')).rejects.toMatchObject({
      code: 'login_rejected',
      detail: expect.stringContaining('`employee`'),
    });
  });

  it('reports a person who cancels as login_refused', async () => {
    const { signIn } = engine();
    await expect(wholeFlow(signIn, 'cancel')).rejects.toMatchObject({
      code: 'login_refused',
      detail: expect.stringContaining('access_denied'),
    });
  });

  it('accepts a key that was rotated just before, with a new id and with the same one', async () => {
    const { signIn } = engine();
    expect(await wholeFlow(signIn, 'alice')).toMatchObject({ outcome: 'web' });
    await provider.rotateKeys();
    expect(await wholeFlow(signIn, 'alice')).toMatchObject({ outcome: 'web' });
    await provider.rotateKeys({ keepIds: true });
    expect(await wholeFlow(signIn, 'alice')).toMatchObject({ outcome: 'web' });
  });
});

describe('SignIn.complete, one login', () => {
  it('succeeds exactly once when the callback is sent 50 times at once', async () => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({});
    const query = queryOf(await signInAt(url, { account: 'alice' }));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () => signIn.complete({ query, browserSecret })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [(outcome.reason as { code: string }).code] : [],
    );
    expect(refusals).toEqual(Array.from({ length: 49 }, () => 'login_replayed'));
  });

  it('lets several tabs of one browser finish, in any order', async () => {
    const { signIn } = engine();
    const first = await signIn.begin({ returnTo: '/1' });
    const { browserSecret } = first;
    const tabs = [
      first,
      await signIn.begin({ returnTo: '/2', browserSecret }),
      await signIn.begin({ returnTo: '/3', browserSecret }),
    ];
    expect(tabs.map((tab) => tab.browserSecret)).toEqual([browserSecret, browserSecret, browserSecret]);
    const callbacks = await Promise.all(tabs.map(({ url }) => signInAt(url, { account: 'alice' })));
    const places: string[] = [];
    for (const at of [2, 0, 1]) {
      const done = await signIn.complete({ query: queryOf(callbacks[at]!), browserSecret });
      if (done.outcome === 'web') places.push(done.returnTo);
    }
    expect(places).toEqual(['/3', '/1', '/2']);
  });

  it('refuses another browser and one without the secret, and leaves the login to the right one', async () => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({});
    const other = await signIn.begin({});
    const query = queryOf(await signInAt(url, { account: 'alice' }));
    expect(other.browserSecret).not.toBe(browserSecret);
    for (const secret of [other.browserSecret, undefined, '', browserSecret.slice(1)]) {
      await expect(signIn.complete({ query, browserSecret: secret })).rejects.toMatchObject({ code: 'login_invalid' });
    }
    expect(await signIn.complete({ query, browserSecret })).toMatchObject({ outcome: 'web' });
  });

  it('gives a new browser secret in place of one that is not ours', async () => {
    const { signIn } = engine();
    for (const browserSecret of ['', 'short', `${'a'.repeat(42)};`, 'a'.repeat(44)]) {
      expect((await signIn.begin({ browserSecret })).browserSecret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    }
  });

  it('refuses a login that is 10 minutes old', async () => {
    let now = Date.now();
    const { signIn } = engine({ now: () => now });
    const { url, browserSecret } = await signIn.begin({});
    const query = queryOf(await signInAt(url, { account: 'alice' }));
    now += 600_000;
    await expect(signIn.complete({ query, browserSecret })).rejects.toMatchObject({ code: 'login_invalid' });
    now -= 1;
    await expect(signIn.complete({ query, browserSecret })).resolves.toMatchObject({ outcome: 'web' });
  });

  it.each([
    ['no state', (): string => 'code=x'],
    ['an empty state', (): string => 'code=x&state='],
    ['a foreign state', (): string => `code=x&state=${'A'.repeat(200)}`],
    ['a huge state', (): string => `code=x&state=${'A'.repeat(100_000)}`],
    ['the state twice', (query: string): string => `${query}&state=${new URLSearchParams(query).get('state') ?? ''}`],
    [
      'a changed state',
      (query: string): string =>
        query.replace(/state=(.)/, (_all, char: string) => `state=${char === 'A' ? 'B' : 'A'}`),
    ],
    ['a state written another way', (query: string): string => query.replace(/state=(....)/, 'state=$1%3D')],
  ])('answers login_invalid to %s', async (_name, change) => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({});
    const query = queryOf(await signInAt(url, { account: 'alice' })).slice(1);
    await expect(signIn.complete({ query: change(query), browserSecret })).rejects.toMatchObject({
      code: 'login_invalid',
    });
  });

  it.each([
    ['no code', 'code'],
    ['a code that the provider does not know', 'code'],
  ])('answers login_rejected to %s', async (name, parameter) => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({});
    const query = new URL(await signInAt(url, { account: 'alice' })).searchParams;
    if (name === 'no code') query.delete(parameter);
    else query.set(parameter, 'made-up');
    await expect(signIn.complete({ query, browserSecret })).rejects.toMatchObject({ code: 'login_rejected' });
  });

  it('refuses an answer that names another issuer', async () => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({});
    const query = new URL(await signInAt(url, { account: 'alice' })).searchParams;
    query.set('iss', 'https://evil.example');
    await expect(signIn.complete({ query, browserSecret })).rejects.toMatchObject({ code: 'login_rejected' });
  });

  it('shows what the provider says about a refusal, without characters that could do harm', async () => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({});
    const state = new URL(url).searchParams.get('state')!;
    const query = new URLSearchParams({
      state,
      error: 'access_denied',
      error_description: 'AADSTS50105: not\r\nassigned\u202e to `svc`',
    });
    await expect(signIn.complete({ query, browserSecret })).rejects.toMatchObject({
      code: 'login_refused',
      detail: "the identity provider refused the sign-in (`access_denied`): AADSTS50105: not  assigned  to 'svc'",
    });
    await expect(signIn.complete({ query, browserSecret })).rejects.toMatchObject({ code: 'login_replayed' });
  });
});

describe('SignIn.complete, a refusal of the provider', () => {
  it.each([
    ['e'.repeat(65), 'd'.repeat(301), `(\`${'e'.repeat(64)}\`): ${'d'.repeat(300)}`],
    ['e', undefined, '(`e`)'],
    ['', '', '(``)'],
  ])('is shown as far as it fits on a page: %j, %j', async (error, description, shown) => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({});
    const state = new URL(url).searchParams.get('state')!;
    const query = new URLSearchParams({
      state,
      error,
      ...(description !== undefined && { error_description: description }),
    });
    await expect(signIn.complete({ query, browserSecret })).rejects.toMatchObject({
      code: 'login_refused',
      detail: `the identity provider refused the sign-in ${shown}`,
    });
  });

  it.each([[[]], [['one', 'two']]])('is not taken for an answer with one code: %j', async (codes) => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({});
    const query = new URLSearchParams([
      ['state', new URL(url).searchParams.get('state')!],
      ...codes.map((code) => ['code', code]),
    ]);
    await expect(signIn.complete({ query, browserSecret })).rejects.toMatchObject({
      code: 'login_rejected',
      detail: 'the identity provider sent no code; sign in again',
    });
  });
});

describe('SignIn, several instances and restarts', () => {
  it('loses an unfinished login at a restart when the key is random', async () => {
    const { url, browserSecret } = await engine().signIn.begin({});
    const query = queryOf(await signInAt(url, { account: 'alice' }));
    await expect(engine().signIn.complete({ query, browserSecret })).rejects.toMatchObject({ code: 'login_invalid' });
  });

  it('finishes on another instance what began on one, also across a change of the session secret', async () => {
    const [old, fresh] = [
      sealingKeyFromSecret('old secret, 32 bytes or longer ..', 'p'),
      sealingKeyFromSecret('new secret, 32 bytes or longer ..', 'p'),
    ];
    const { url, browserSecret } = await engine({ sealingKeys: [old] }).signIn.begin({});
    const query = queryOf(await signInAt(url, { account: 'alice' }));
    await expect(engine({ sealingKeys: [fresh] }).signIn.complete({ query, browserSecret })).rejects.toMatchObject({
      code: 'login_invalid',
    });
    expect(await engine({ sealingKeys: [fresh, old] }).signIn.complete({ query, browserSecret })).toMatchObject({
      outcome: 'web',
    });
  });

  it('refuses to start with a key that is too short', () => {
    expect(() => engine({ sealingKeys: [randomSealingKey().subarray(1)] })).toThrow('32 bytes');
    expect(() => engine({ sealingKeys: [] })).toThrow('at least one');
  });

  // `npm run bench -- faults login-flood` has twenty times as many, over HTTP.
  it('keeps nothing of 5,000 visits, and an earlier login still finishes', async () => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({ returnTo: '/early' });
    const query = queryOf(await signInAt(url, { account: 'alice' }));
    const visit = async (times: number) => {
      for (let i = 0; i < times; i += 1) await signIn.begin({ returnTo: `/${'x'.repeat(1000)}` });
      return heldBytes();
    };
    // What was held before the first visits, and only until then, would hide what they leave.
    const before = await visit(1_000);
    // Kept logins would take at least 8 MB: 2 kB of URL each.
    expect((await visit(4_000)) - before).toBeLessThan(3 * 1024 * 1024);
    expect(await signIn.complete({ query, browserSecret })).toMatchObject({ outcome: 'web', returnTo: '/early' });
  });

  it('keeps the authorization URL short: a long return path becomes /', async () => {
    const { signIn } = engine();
    expect((await signIn.begin({ returnTo: `/${'x'.repeat(1023)}` })).url.length).toBeLessThan(2048);
    expect((await signIn.begin({ returnTo: `/${'x'.repeat(1024)}` })).url.length).toBeLessThan(600);
  });
});

describe('SignIn, desktop', () => {
  const desktop = {
    redirectUri: 'http://[::1]:4711/callback',
    state: 'client state / +&',
    codeChallenge: 'c'.repeat(43),
  };

  it('hands back the request that began the login', async () => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({ desktop });
    const query = queryOf(await signInAt(url, { account: 'alice' }));
    expect(await signIn.complete({ query, browserSecret })).toMatchObject({
      outcome: 'desktop',
      desktop,
      person: { identity: { subject: 'alice' } },
    });
  });

  it('sends a refusal to the loopback listener, with its state', async () => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({ desktop });
    const query = queryOf(await signInAt(url, { account: 'cancel' }));
    const done = await signIn.complete({ query, browserSecret });
    if (done.outcome !== 'desktop-failed') throw new Error(done.outcome);
    expect(done.error).toMatchObject({ code: 'login_refused' });
    expect(done.redirectTo).toMatch(/^http:\/\/\[::1\]:4711\/callback\?error=access_denied&/);
    expect(new URL(done.redirectTo).searchParams.get('state')).toBe(desktop.state);
  });

  it.each([
    ['login_required', 'login', /`auth\.oidc\.desktop_prompt: select_account`$/],
    ['interaction_required', 'login', /`auth\.oidc\.desktop_prompt: select_account`$/],
    ['unmet_authentication_requirements', 'login', /`auth\.oidc\.desktop_prompt: select_account`$/],
    ['invalid_request', 'login', /`auth\.oidc\.desktop_prompt: select_account`$/],
    ['invalid_request', 'select_account', /`prompt=select_account`: .*`auth\.oidc\.desktop_prompt: none`$/],
    ['account_selection_required', 'select_account', /`auth\.oidc\.desktop_prompt: none`$/],
    ['consent_required', 'consent', /`prompt=consent`: .*`auth\.oidc\.desktop_prompt: none`$/],
    ['invalid_request', 'none', /\(`invalid_request`\)$/],
    ['access_denied', 'login', /\(`access_denied`\)$/],
  ] as const)(
    'names what to set only where `%s` can be about the prompt `%s`',
    async (error, desktopPrompt, detail) => {
      const { signIn } = engine({ desktopPrompt });
      const { url, browserSecret } = await signIn.begin({ desktop });
      const query = new URLSearchParams({ state: new URL(url).searchParams.get('state')!, error });
      expect(await signIn.complete({ query, browserSecret })).toMatchObject({
        error: { code: 'login_refused', detail: expect.stringMatching(detail) },
      });
    },
  );

  it('answers a replay with login_replayed, not with a redirect', async () => {
    const { signIn } = engine();
    const { url, browserSecret } = await signIn.begin({ desktop });
    const query = queryOf(await signInAt(url, { account: 'alice' }));
    await signIn.complete({ query, browserSecret });
    await expect(signIn.complete({ query, browserSecret })).rejects.toMatchObject({ code: 'login_replayed' });
  });
});

describe('SignIn.endSessionUrl', () => {
  it('ends the session at the provider, so that the next sign-in asks again', async () => {
    const { signIn } = engine();
    const visitor = new Visitor();
    const begin = async (): Promise<string> => (await signIn.begin({})).url;
    const { url, browserSecret } = await signIn.begin({});
    const done = await signIn.complete({
      query: queryOf(await signInAt(url, { account: 'alice', visitor })),
      browserSecret,
    });
    if (done.outcome !== 'web') throw new Error(done.outcome);
    const pages = (): number => provider.requests.filter((request) => request.startsWith('POST /interaction')).length;

    const asked = pages();
    await signInAt(await begin(), { account: 'alice', visitor });
    expect(pages()).toBe(asked);

    const endSessionUrl = await signIn.endSessionUrl(done.person.idToken);
    expect(Object.fromEntries(new URL(endSessionUrl!).searchParams)).toEqual({
      id_token_hint: done.person.idToken,
      client_id: 'svc',
      post_logout_redirect_uri: POST_LOGOUT_REDIRECT_URI,
    });
    expect(await signOutAt(endSessionUrl!, visitor)).toBe(POST_LOGOUT_REDIRECT_URI);
    await signInAt(await begin(), { account: 'alice', visitor });
    expect(pages()).toBe(asked + 1);
  });

  it('gives none when provider logout is off, and none for a person without an ID token', async () => {
    expect(await engine({ rpInitiatedLogout: false }).signIn.endSessionUrl('token')).toBeUndefined();
    expect(await engine().signIn.endSessionUrl('')).toBeUndefined();
  });
});

describe('SignIn, a local user', () => {
  it('gets no groups, and nothing is asked at the userinfo endpoint', async () => {
    const { signIn } = engine({ localSubjects: new Set(['alice', 'bob']) });
    for (const account of ['alice', 'bob']) {
      const before = provider.requests.length;
      expect(await wholeFlow(signIn, account)).toMatchObject({
        person: { identity: { subject: account, groups: [] } },
      });
      expect(provider.requests.slice(before).filter((request) => request.endsWith(' /me'))).toEqual([]);
    }
    const before = provider.requests.length;
    await wholeFlow(engine().signIn, 'bob');
    expect(provider.requests.slice(before)).toContain('GET /me');
  });
});

describe('SignIn, claims in userinfo only', () => {
  it('asks there for groups and name when the ID token does not have the claim', async () => {
    const elsewhere = await startIdentityProvider({
      accounts: [{ sub: 'carol', name: 'Carol', groups: ['staff'] }],
      clients: [{ ...client, client_id: 'svc', client_secret: SECRET }],
      claimsIn: 'userinfo',
    });
    try {
      const { signIn } = engine({ issuer: elsewhere.issuer });
      expect(await wholeFlow(signIn, 'carol')).toMatchObject({
        person: { identity: { subject: 'carol', groups: ['staff'] }, name: 'Carol' },
      });
    } finally {
      await elsewhere.close();
    }
  });
});
