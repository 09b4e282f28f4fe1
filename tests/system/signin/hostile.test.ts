import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { randomSealingKey } from '../../../src/secret/sealer.ts';
import type { CompletedLogin } from '../../../src/signin/complete.ts';
import type { SignIn } from '../../../src/signin/sign-in.ts';
import {
  dripping,
  endless,
  failing,
  gzipBomb,
  HostileProvider,
  newKeys,
  prepareGzipBomb,
  redirecting,
  reset,
  silent,
  type Answer,
  type Misbehaviour,
} from '../../support/hostile-provider.ts';
import { queryOf, signInWith, type Warning } from '../../signin/sign-in-with.ts';

/** How long a sign-in waits for a provider that does not answer. All others wait as long as the service does, so that a busy machine is not taken for a silent provider. */
const IMPATIENT = { totalMs: 600, connectMs: 500 };
const now = (): number => Math.floor(Date.now() / 1000);

let provider: HostileProvider;
let signIn: SignIn;
/** Finishes what `signIn` began. */
let impatient: SignIn;
let warnings: Warning[];

beforeAll(async () => {
  prepareGzipBomb();
  provider = await HostileProvider.start();
});

afterAll(() => provider.close());

beforeEach(() => {
  provider.behave();
  const sealingKeys = [randomSealingKey()];
  ({ signIn, warnings } = signInWith({ issuer: provider.issuer, sealingKeys }));
  impatient = signInWith({ issuer: provider.issuer, sealingKeys, limits: IMPATIENT }).signIn;
});

afterEach(() => Promise.all([signIn.close(), impatient.close()]));

/** A sign-in that begins well and meets the misbehaviour when it comes back. */
async function comeBackTo(misbehaviour: Misbehaviour, finishes = signIn): Promise<CompletedLogin> {
  const { url, browserSecret } = await signIn.begin({});
  provider.behave(misbehaviour);
  return await finishes.complete({ query: queryOf(provider.visit(url)), browserSecret });
}

const claims = (changes: Record<string, unknown>): Misbehaviour => ({ claims: (right) => ({ ...right, ...changes }) });
const without = (name: string): Misbehaviour => ({
  claims: (right) => Object.fromEntries(Object.entries(right).filter(([claim]) => claim !== name)),
});

describe('SignIn.complete, for a desktop client', () => {
  const desktop = { redirectUri: 'http://127.0.0.1:4711/callback', state: 'its state', codeChallenge: 'c'.repeat(43) };
  const finish = async (misbehaviour: Misbehaviour, at: SignIn = signIn): Promise<CompletedLogin> => {
    const { url, browserSecret } = await at.begin({ desktop });
    provider.behave(misbehaviour);
    return await at.complete({ query: queryOf(provider.visit(url)), browserSecret });
  };

  it('takes a sign-in at the provider that came after the login began', async () => {
    expect(await finish(claims({ auth_time: now() }))).toMatchObject({ outcome: 'desktop' });
  });

  it.each<[string, Misbehaviour]>([
    ['a minute before the login began', claims({ auth_time: now() - 60 })],
    ['at a time that the provider does not say', {}],
  ])('refuses a sign-in at the provider %s', async (_when, misbehaviour) => {
    const done = await finish(misbehaviour);
    expect(done).toMatchObject({
      outcome: 'desktop-failed',
      error: { code: 'login_invalid' },
      redirectTo: expect.stringContaining('error=access_denied'),
    });
  });

  it.each(['select_account', 'consent', 'none'] as const)(
    'takes any time with the prompt `%s`',
    async (desktopPrompt) => {
      const other = signInWith({ issuer: provider.issuer, desktopPrompt }).signIn;
      try {
        expect(await finish({}, other)).toMatchObject({ outcome: 'desktop' });
      } finally {
        await other.close();
      }
    },
  );
});

describe('SignIn.complete, an ID token that is not valid', () => {
  it('signs in when nothing is wrong, so that each refusal below has one reason', async () => {
    expect(await comeBackTo({})).toMatchObject({
      outcome: 'web',
      person: { identity: { subject: 'mallory', groups: ['all'] } },
    });
  });

  it.each<[string, Misbehaviour]>([
    ['signed with another key', { sign: 'another key' }],
    ['with alg none', { sign: 'none' }],
    ['signed with HS256 and the client secret', { sign: 'HS256 with the client secret' }],
    ['signed with HS256 and the public key', { sign: 'HS256 with the public key' }],
    ['signed with RS512', { header: { alg: 'RS512' } }],
    ['with an unknown key id', { header: { kid: 'unknown' } }],
    ['with a critical header that nobody knows', { header: { crit: ['urn:x'], 'urn:x': 1 } }],
    ['of another issuer', claims({ iss: 'https://evil.example' })],
    ['of an issuer that differs in a slash', { claims: (right) => ({ ...right, iss: `${String(right['iss'])}/` }) }],
    [
      'of an issuer that differs in case',
      { claims: (right) => ({ ...right, iss: String(right['iss']).toUpperCase() }) },
    ],
    ['without an issuer', without('iss')],
    ['for another audience', claims({ aud: 'another' })],
    ['for other audiences', claims({ aud: ['another', 'third'] })],
    ['without an audience', without('aud')],
    ['for several audiences and no authorized party', claims({ aud: ['svc', 'another'] })],
    ['for several audiences and another authorized party', claims({ aud: ['svc', 'another'], azp: 'another' })],
    ['for us alone, with another authorized party', claims({ azp: 'another' })],
    ['for us alone, with an authorized party that is no text', claims({ azp: ['svc'] })],
    ['with another nonce', claims({ nonce: 'x'.repeat(43) })],
    ['without a nonce', without('nonce')],
    ['with a nonce that is no text', claims({ nonce: 1 })],
    ['that expired', claims({ exp: now() - 60 })],
    ['without an expiry', without('exp')],
    ['with an expiry that is no number', claims({ exp: '2999' })],
    ['issued in an hour', claims({ iat: now() + 3600 })],
    ['issued a day ago', claims({ iat: now() - 86_400 })],
    ['without an issue time', without('iat')],
    ['with an issue time that is no number', claims({ iat: 'now' })],
    ['not valid yet', claims({ nbf: now() + 3600 })],
    ['without a subject', without('sub')],
    ['with an empty subject', claims({ sub: '' })],
    ['with a blank subject', claims({ sub: ' \t' })],
    ['with a subject that is no text', claims({ sub: 7 })],
    ['with a list as subject', claims({ sub: ['mallory'] })],
    ['with a subject that holds U+0000', claims({ sub: 'mallory\0' })],
    ['with a group that holds U+0000', claims({ groups: ['all', 'admins\0'] })],
    ['of the type of access tokens', { header: { typ: 'at+jwt' } }],
    ['of the type of logout tokens', { header: { typ: 'logout+jwt' } }],
    ['of a type that is no text', { header: { typ: ['JWT'] } }],
    ['that is not there', { tokens: (right) => ({ ...right, id_token: undefined }) }],
    ['that is no token', { tokens: (right) => ({ ...right, id_token: 'a.b.c' }) }],
    ['that is no text', { tokens: (right) => ({ ...right, id_token: { sub: 'mallory' } }) }],
  ])('answers login_rejected to a token %s', async (_name, misbehaviour) => {
    await expect(comeBackTo(misbehaviour)).rejects.toMatchObject({ code: 'login_rejected' });
  });

  it.each<[string, Misbehaviour]>([
    ['that expired 20 seconds ago', { claims: (right) => ({ ...right, exp: now() - 20 }) }],
    ['issued in 20 seconds', { claims: (right) => ({ ...right, iat: now() + 20 }) }],
    ['of the type `jwt`', { header: { typ: 'jwt' } }],
    ['of the type `application/jwt`', { header: { typ: 'application/jwt' } }],
    ['whose authorized party is `null`', claims({ azp: null })],
    ['for several audiences, made for us', claims({ aud: ['another', 'svc'], azp: 'svc' })],
  ])('accepts a token %s', async (_name, misbehaviour) => {
    expect(await comeBackTo(misbehaviour)).toMatchObject({ outcome: 'web' });
  });

  it('shows a character that cannot be kept in a name by its sign', async () => {
    expect(await comeBackTo(claims({ name: 'Mal\0lory' }))).toMatchObject({ person: { name: 'Mal\uFFFDlory' } });
  });

  it('names the claim that does not fit, and neither its value nor the token', async () => {
    const failure: unknown = await comeBackTo(claims({ aud: 'canary-audience' })).catch((error: unknown) => error);
    expect(failure).toMatchObject({ detail: expect.stringContaining('`aud`') });
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toMatch(/canary-audience|eyJ/);
  });
});

describe('SignIn.complete, keys', () => {
  it('accepts a key that was rotated since the last sign-in, with a new id and with the same one', async () => {
    await comeBackTo({});
    await provider.rotate();
    expect(await comeBackTo({})).toMatchObject({ outcome: 'web' });
    await provider.rotate({ keepId: true });
    expect(await comeBackTo({})).toMatchObject({ outcome: 'web' });
  });

  it('tries every published key on a token that names none', async () => {
    const [before, after] = await Promise.all(['before', 'after'].map(async (kid) => (await newKeys(kid)).publicJwk));
    const nameless: Misbehaviour = { published: (right) => [before!, right, after!], header: { kid: undefined } };
    expect(await comeBackTo(nameless)).toMatchObject({ outcome: 'web' });
    await expect(comeBackTo({ ...nameless, sign: 'another key' })).rejects.toMatchObject({ code: 'login_rejected' });
    await expect(comeBackTo({ ...nameless, ...claims({ iat: now() - 86_400 }) })).rejects.toMatchObject({
      code: 'login_rejected',
      detail: expect.stringContaining('`iat`'),
    });
  });

  it('takes `null` in a published key for what the key does not have', async () => {
    const key = { alg: null, use: null, key_ops: null, ext: null, d: null };
    let keys: unknown;
    const published: Misbehaviour['published'] = (right) => (keys = [{ ...right, ...key } as never]);
    expect(await comeBackTo({ published })).toMatchObject({ outcome: 'web' });
    const jwks: Answer = (_req, res) =>
      void res.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(JSON.stringify({ keys }));
    expect(await comeBackTo({ answers: { jwks } }, impatient)).toMatchObject({ outcome: 'web' });
  });

  it('fetches the keys once when 20 sign-ins meet a rotated key together', async () => {
    await comeBackTo({});
    const begun = await Promise.all(Array.from({ length: 20 }, () => signIn.begin({})));
    await provider.rotate({ keepId: true });
    const before = provider.asked.jwks;
    const done = await Promise.all(
      begun.map(({ url, browserSecret }) => signIn.complete({ query: queryOf(provider.visit(url)), browserSecret })),
    );
    expect(done.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 20 }, () => 'web'));
    expect(provider.asked.jwks - before).toBeLessThanOrEqual(2);
  });

  it('does not beat the provider with requests for keys when tokens stay bad, and signs in again a minute later', async () => {
    let clock = Date.now();
    const { signIn: engine } = signInWith({ issuer: provider.issuer, now: () => clock });
    const attempt = async (): Promise<CompletedLogin> => {
      const { url, browserSecret } = await engine.begin({});
      return await engine.complete({ query: queryOf(provider.visit(url)), browserSecret });
    };
    provider.behave({ sign: 'another key' });
    const before = provider.asked.jwks;
    for (let i = 0; i < 30; i += 1) await expect(attempt()).rejects.toMatchObject({ code: 'login_rejected' });
    expect(provider.asked.jwks - before).toBe(11);
    provider.behave();
    await provider.rotate({ keepId: true });
    clock += 60_000;
    expect(await attempt()).toMatchObject({ outcome: 'web' });
    await engine.close();
  });
});

describe('SignIn.complete, claims', () => {
  it('names those about the person, and none about the token', async () => {
    const aboutToken = {
      azp: 'svc',
      nbf: now() - 1,
      jti: 'j',
      at_hash: 'a',
      c_hash: 'c',
      auth_time: now(),
      acr: '1',
      amr: ['pwd'],
      sid: 's',
      typ: 'ID',
    };
    expect(await comeBackTo(claims({ ...aboutToken, email: 'm@example.com' }))).toMatchObject({
      person: { groupsClaim: { present: ['email', 'groups', 'sub'] } },
    });
  });

  it.each<[unknown, string[], number]>([
    ['staff', ['staff'], 0],
    [['a', 'b', 'a'], ['a', 'b'], 0],
    [[], [], 0],
    [['a', 7, null, '', { b: 1 }], ['a'], 1],
    [7, [], 1],
    [{ a: true }, [], 1],
    [null, [], 0],
  ])('reads groups out of %j', async (value, groups, warned) => {
    expect(await comeBackTo(claims({ groups: value }))).toMatchObject({ person: { identity: { groups } } });
    expect(warnings).toHaveLength(warned);
  });

  const withUserinfo: Misbehaviour = {
    metadata: (right) => ({ ...right, userinfo_endpoint: `${provider.issuer}/userinfo` }),
  };
  const userinfo = (answer: Misbehaviour): Misbehaviour => ({ ...withUserinfo, ...without('groups'), ...answer });

  beforeEach(() => provider.behave(withUserinfo));

  it('asks userinfo for groups that the ID token does not speak of, and lets it change nothing else', async () => {
    const done = await comeBackTo({
      claims: ({ groups: _groups, ...right }) => ({ ...right, name: 'Mallory' }),
      userinfo: { sub: 'mallory', groups: ['from userinfo'], iss: 'https://evil.example', name: 'Alice' },
    });
    expect(done).toMatchObject({
      person: { identity: { issuer: provider.issuer, subject: 'mallory', groups: ['from userinfo'] }, name: 'Mallory' },
    });
  });

  it('asks userinfo for groups that are `null` in the ID token', async () => {
    const answer = { userinfo: { sub: 'mallory', groups: ['from userinfo'] } };
    expect(await comeBackTo({ ...claims({ groups: null }), ...answer })).toMatchObject({
      person: { identity: { groups: ['from userinfo'] } },
    });
  });

  it.each([{}, { roles: null }, { other: ['a'] }, 'none'])(
    'asks userinfo for groups at a path of which the ID token has only the beginning: %j',
    async (beginning) => {
      const { signIn: engine } = signInWith({ issuer: provider.issuer, groupsClaim: 'realm_access.roles' });
      const answer = { userinfo: { sub: 'mallory', realm_access: { roles: ['from userinfo'] } } };
      try {
        const { url, browserSecret } = await engine.begin({});
        provider.behave({ ...withUserinfo, ...claims({ realm_access: beginning }), ...answer });
        expect(await engine.complete({ query: queryOf(provider.visit(url)), browserSecret })).toMatchObject({
          person: { identity: { groups: ['from userinfo'] } },
        });
      } finally {
        await engine.close();
      }
    },
  );

  it('does not ask userinfo when the ID token has an empty list', async () => {
    const before = provider.asked.userinfo;
    expect(
      await comeBackTo({ ...claims({ groups: [] }), userinfo: { sub: 'mallory', groups: ['more'] } }),
    ).toMatchObject({ person: { identity: { groups: [] } } });
    expect(provider.asked.userinfo).toBe(before);
  });

  it('asks no userinfo of a provider that says `null` in place of its address', async () => {
    provider.behave({ metadata: (right) => ({ ...right, userinfo_endpoint: null }) });
    expect(await comeBackTo(without('groups'))).toMatchObject({ person: { identity: { groups: [] } } });
  });

  it('takes `null` in the answer of the token endpoint for what the provider does not have', async () => {
    const tokens: Misbehaviour['tokens'] = (right) => ({
      ...right,
      refresh_token: null,
      scope: null,
      expires_in: null,
    });
    expect(await comeBackTo({ tokens })).toMatchObject({ outcome: 'web' });
  });

  it('refuses userinfo about somebody else', async () => {
    await expect(comeBackTo(userinfo({ userinfo: { sub: 'alice', groups: ['admins'] } }))).rejects.toMatchObject({
      code: 'login_rejected',
    });
  });

  it('fails rather than sign in with groups missing when userinfo fails', async () => {
    await expect(comeBackTo(userinfo({ answers: { userinfo: failing(500, {}) } }))).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
    });
    await expect(comeBackTo(userinfo({ answers: { userinfo: silent } }), impatient)).rejects.toMatchObject({
      code: 'identity_provider_timeout',
    });
  });
});

describe('SignIn.complete, groups that the provider left out for their number', () => {
  const overage: Misbehaviour = {
    claims: ({ groups: _groups, ...right }) => ({ ...right, _claim_names: { groups: 'src1' } }),
  };

  async function comeBack(groupsDeny: boolean, userinfo?: Record<string, unknown>): Promise<CompletedLogin> {
    const { signIn: engine } = signInWith({ issuer: provider.issuer, groupsDeny });
    if (userinfo !== undefined)
      provider.behave({ metadata: (right) => ({ ...right, userinfo_endpoint: `${provider.issuer}/userinfo` }) });
    try {
      const { url, browserSecret } = await engine.begin({});
      provider.behave({ ...overage, ...(userinfo && { userinfo }) });
      return await engine.complete({ query: queryOf(provider.visit(url)), browserSecret });
    } finally {
      await engine.close();
    }
  }

  it('refuses the sign-in when a policy denies something to a group, and says what to change', async () => {
    const refused = {
      code: 'login_rejected',
      detail: expect.stringMatching(/too many.*only the groups that are assigned to this application/),
    };
    await expect(comeBack(true)).rejects.toMatchObject(refused);
    await expect(comeBack(true, { sub: 'mallory' })).rejects.toMatchObject(refused);
  });

  it('signs in without groups otherwise, and with those that userinfo has in any case', async () => {
    expect(await comeBack(false)).toMatchObject({ person: { identity: { groups: [] } } });
    expect(await comeBack(true, { sub: 'mallory', groups: ['staff'] })).toMatchObject({
      person: { identity: { groups: ['staff'] } },
    });
  });
});

describe('SignIn, a provider that misbehaves on the wire', () => {
  const places = ['discovery', 'token', 'jwks'] as const;

  describe.each(places)('%s', (place) => {
    const attempt = async (answer: Misbehaviour['answers'], by: SignIn): Promise<unknown> => {
      if (place !== 'discovery') return await comeBackTo({ answers: answer! }, by);
      provider.behave({ answers: answer! });
      return await by.begin({});
    };

    it.each([
      ['endless', endless, 'identity_provider_unavailable', 'more than 1048576 bytes'],
      ['a gzip bomb', gzipBomb, 'identity_provider_unavailable', 'compressed'],
      ['silent', silent, 'identity_provider_timeout', 'in time'],
      ['dripping', dripping, 'identity_provider_timeout', 'in time'],
      ['reset', reset, 'identity_provider_unavailable', 'cannot be reached'],
      [
        'a redirect',
        redirecting('http://127.0.0.1:9/secret?code=canary'),
        'identity_provider_unavailable',
        'redirect to `http://127.0.0.1:9/secret`',
      ],
      ['a failure', failing(500, { error: 'server_error' }), 'identity_provider_unavailable', ''],
      ['no JSON', failing(200, undefined), 'identity_provider_unavailable', ''],
    ] as const)('answers in time when it is %s', async (_name, answer, code, detail) => {
      const started = performance.now();
      const memory = process.memoryUsage().rss;
      const failure: unknown = await attempt(
        { [place]: answer },
        code === 'identity_provider_timeout' ? impatient : signIn,
      ).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code, detail: expect.stringContaining(detail) });
      expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain('canary');
      expect(performance.now() - started).toBeLessThan(IMPATIENT.totalMs + 10_000);
      expect(process.memoryUsage().rss - memory).toBeLessThan(64 * 1024 * 1024);
    });
  });

  it('gives up when several requests together take too long, and asks nothing more then', async () => {
    const slow = { token: 500, jwks: 500, userinfo: 500 };
    const before = provider.asked.userinfo;
    provider.behave({ metadata: (right) => ({ ...right, userinfo_endpoint: `${provider.issuer}/userinfo` }) });
    const { url, browserSecret } = await signIn.begin({});
    provider.behave({ delays: slow, ...without('groups') });
    const failure: unknown = await impatient
      .complete({ query: queryOf(provider.visit(url)), browserSecret })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'identity_provider_timeout', detail: expect.stringContaining('together') });
    await wait(1_000);
    expect(provider.asked.userinfo).toBe(before);
  });

  it('asks for no keys when discovery and the code together took too long, on an instance that knew nothing yet', async () => {
    const { url, browserSecret } = await signIn.begin({});
    const before = provider.asked.jwks;
    provider.behave({ delays: { discovery: 500, token: 500 } });
    await expect(impatient.complete({ query: queryOf(provider.visit(url)), browserSecret })).rejects.toMatchObject({
      code: 'identity_provider_timeout',
    });
    await wait(1_000);
    expect(provider.asked.jwks).toBe(before);
  });

  it('recovers as soon as discovery works again', async () => {
    provider.behave({ answers: { discovery: reset } });
    await expect(signIn.begin({})).rejects.toMatchObject({ code: 'identity_provider_unavailable' });
    provider.behave();
    expect(await comeBackTo({})).toMatchObject({ outcome: 'web' });
  });

  it('blames the login for an unknown code and the settings for a refused client', async () => {
    await expect(
      comeBackTo({ answers: { token: failing(400, { error: 'invalid_grant', error_description: 'canary' }) } }),
    ).rejects.toMatchObject({ code: 'login_rejected' });
    await expect(comeBackTo({ answers: { token: failing(401, { error: 'invalid_client' }) } })).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
    });
  });

  it.each<[string, Answer]>([
    ['HTML', (_req, res) => void res.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Unauthorized</h1>')],
    ['nothing', (_req, res) => void res.writeHead(401).end()],
    ['a challenge', (_req, res) => void res.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()],
  ])('says that the client was refused when the token endpoint answers 401 with %s', async (_name, token) => {
    await expect(comeBackTo({ answers: { token } })).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
      detail: expect.stringMatching(/client or its secret.*`client_auth: post`/),
    });
  });

  it('lets no code, secret or claim into the error', async () => {
    const failure: unknown = await comeBackTo({
      answers: { token: failing(400, { error: 'invalid_grant', error_description: 'canary', code: 'canary' }) },
    }).catch((error: unknown) => error);
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toMatch(/canary|hostile-secret/);
  });
});

describe('SignIn.readLogout, which anybody can ask', () => {
  const made = (header: object) =>
    `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${Buffer.from(JSON.stringify({ iss: provider.issuer, aud: 'svc', iat: now(), exp: now() + 60, jti: 'x', sub: 'x' })).toString('base64url')}.c2ln`;

  it('asks for the keys once in five seconds at most, and leaves a sign-in after a rotation its own tries', async () => {
    let clock = Date.now();
    const { signIn: engine } = signInWith({ issuer: provider.issuer, now: () => clock });
    const attempt = async (): Promise<CompletedLogin> => {
      const { url, browserSecret } = await engine.begin({});
      return await engine.complete({ query: queryOf(provider.visit(url)), browserSecret });
    };
    const flood = async (): Promise<void> => {
      for (let i = 0; i < 20; i += 1)
        await expect(engine.readLogout(made({ alg: 'RS256', kid: `made up ${i}` }))).rejects.toMatchObject({
          code: 'invalid_request',
        });
    };
    try {
      await attempt();
      const before = provider.asked.jwks;
      await flood();
      expect(provider.asked.jwks - before).toBe(1);
      clock += 5_000;
      await flood();
      expect(provider.asked.jwks - before).toBe(2);
      await provider.rotate();
      expect(await attempt()).toMatchObject({ outcome: 'web' });
      expect(provider.asked.jwks - before).toBe(3);
    } finally {
      await engine.close();
    }
  });

  it('says that the provider cannot be reached, and not that the token is wrong', async () => {
    const { signIn: fresh } = signInWith({ issuer: provider.issuer });
    try {
      provider.behave({ answers: { jwks: failing(500, {}) } });
      await expect(fresh.readLogout(made({ alg: 'RS256', kid: 'x' }))).rejects.toMatchObject({
        code: 'identity_provider_unavailable',
      });
    } finally {
      await fresh.close();
    }
  });
});
