import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { PROVIDER_LIMITS } from '../../src/signin/provider-fetch.ts';
import type { ClientAuth } from '../../src/signin/client-auth.ts';
import type { SignInOptions } from '../../src/signin/options.ts';
import type { SignIn } from '../../src/signin/sign-in.ts';
import { failing, HostileProvider, reset, silent, type Answer } from '../support/hostile-provider.ts';
import { POST_LOGOUT_REDIRECT_URI, signInWith } from './sign-in-with.ts';

let provider: HostileProvider;
const engines: SignIn[] = [];

function engine(options: Partial<SignInOptions> = {}): ReturnType<typeof signInWith> {
  const made = signInWith({ issuer: provider.issuer, ...options });
  engines.push(made.signIn);
  return made;
}

beforeAll(async () => {
  provider = await HostileProvider.start();
});
beforeEach(() => provider.behave());
afterEach(async () => {
  await Promise.all(engines.splice(0).map((signIn) => signIn.close()));
});
afterAll(() => provider.close());

describe('PROVIDER_LIMITS', () => {
  it('is what the specification says', () => {
    expect(PROVIDER_LIMITS).toEqual({ connectMs: 5_000, totalMs: 15_000, maxBytes: 1_048_576 });
  });
});

describe('discovery', () => {
  it('is not asked before somebody signs in, and then once for many', async () => {
    const before = provider.asked.discovery;
    const { signIn } = engine();
    expect(provider.asked.discovery).toBe(before);
    await Promise.all(Array.from({ length: 50 }, () => signIn.begin({})));
    await signIn.begin({});
    expect(provider.asked.discovery).toBe(before + 1);
  });

  it('is renewed after an hour beside the requests, and what was known is kept when that fails', async () => {
    let now = Date.now();
    const { signIn, warnings } = engine({ now: () => now, limits: { totalMs: 300 } });
    await signIn.begin({});
    const asked = provider.asked.discovery;
    now += 3_600_000;
    provider.behave({ answers: { discovery: silent } });
    await signIn.begin({});
    expect(warnings).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('going on with what is known')]);
    await signIn.begin({});
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(provider.asked.discovery).toBe(asked + 1);
    now += 60_000;
    provider.behave({
      metadata: (metadata) => ({ ...metadata, authorization_endpoint: `${provider.issuer}/elsewhere` }),
    });
    await signIn.begin({});
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await signIn.begin({})).url).toContain('/elsewhere');
  });

  it('names the characters in which the issuer differs', async () => {
    const { signIn } = engine({ issuer: `${provider.issuer}/` });
    await expect(signIn.begin({})).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
      detail: `the provider calls itself \`${provider.issuer}\`, \`auth.oidc.issuer\` is \`${provider.issuer}/\`: the configured issuer has an additional \`/\` at its end; set \`auth.oidc.issuer\` to exactly what the provider says`,
    });
  });

  it.each([
    ['jwks_uri', undefined],
    ['jwks_uri', 'file:///etc/passwd'],
    ['authorization_endpoint', undefined],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', 7],
    ['authorization_endpoint', null],
    ['token_endpoint', undefined],
    ['token_endpoint', null],
    ['token_endpoint', '/token'],
  ])('refuses a document whose %s is %j', async (name, value) => {
    const { signIn } = engine();
    provider.behave({ metadata: (metadata) => ({ ...metadata, [name]: value }) });
    await expect(signIn.begin({})).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
      detail: expect.stringContaining(name),
    });
  });

  it.each([[null], [[]], [5], [{}], [{ issuer: null }], [{ issuer: '' }]])('takes %j for no document', async (body) => {
    const { signIn } = engine();
    provider.behave({ answers: { discovery: failing(200, body) } });
    await expect(signIn.begin({})).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
      detail: expect.stringMatching(/not with a discovery document; check `auth\.oidc\.issuer`$/),
    });
  });

  it.each<[string, Answer, string]>([
    ['404', failing(404, { error: 'not_found' }), 'status 404 and `application/json`'],
    [
      'a page',
      (_req, res) => void res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Welcome</h1>'),
      'status 200 and `text/html`',
    ],
    ['404 without a body', (_req, res) => void res.writeHead(404).end(), 'status 404 and `no type`'],
  ])('names the address and the status when it answers %s', async (_name, discovery, said) => {
    const { signIn } = engine();
    provider.behave({ answers: { discovery } });
    await expect(signIn.begin({})).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
      detail: `\`${provider.issuer}/.well-known/openid-configuration\` answers with ${said}, not with a discovery document; check \`auth.oidc.issuer\``,
    });
  });

  it('warns when the provider does not list the way that the client authenticates with', async () => {
    const { signIn, warnings } = engine({ clientAuth: 'post' });
    await signIn.begin({});
    expect(warnings).toEqual([
      {
        message: expect.stringMatching(/does not list `client_secret_post`.*set `auth\.oidc\.client_auth: basic`$/),
        fields: { offered: ['client_secret_basic'] },
      },
    ]);
    const basic = engine();
    await basic.signIn.begin({});
    expect(basic.warnings).toEqual([]);
  });

  it.each<[ClientAuth, unknown, string]>([
    [
      'basic',
      ['private_key_jwt', 'none'],
      'choose `client_secret_basic` or `client_secret_post` for this client at the provider',
    ],
    ['basic', ['constructor', 'client_secret_post'], 'set `auth.oidc.client_auth: post`'],
    ['none', ['client_secret_post'], 'set `auth.oidc.client_secret` and `auth.oidc.client_auth: post`'],
  ])('says what to do with %s when the provider lists only %j', async (clientAuth, offered, advice) => {
    const { signIn, warnings } = engine({ clientAuth, ...(clientAuth === 'none' && { clientSecret: undefined }) });
    provider.behave({ metadata: (metadata) => ({ ...metadata, token_endpoint_auth_methods_supported: offered }) });
    await signIn.begin({});
    expect(warnings).toEqual([{ message: expect.stringContaining(`; ${advice}`), fields: { offered } }]);
  });

  it.each(['client_secret_post', 5, {}, null])(
    'takes %j in place of the list of these ways as no list',
    async (offered) => {
      const { signIn, warnings } = engine();
      provider.behave({ metadata: (metadata) => ({ ...metadata, token_endpoint_auth_methods_supported: offered }) });
      await signIn.begin({});
      expect(warnings).toEqual([]);
    },
  );

  it('says that nobody listens there', async () => {
    const { signIn } = engine({ issuer: 'http://127.0.0.1:1' });
    await expect(signIn.begin({})).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('connecting', () => {
  let mute: Server;
  beforeAll(async () => {
    mute = createServer();
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void mute.close());

  it('gives up when the TLS handshake takes too long, well before the request would', async () => {
    const { signIn } = engine({
      issuer: `https://127.0.0.1:${(mute.address() as AddressInfo).port}`,
      limits: { connectMs: 500, totalMs: 60_000 },
    });
    const started = performance.now();
    await expect(signIn.begin({})).rejects.toMatchObject({ code: 'identity_provider_timeout' });
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('the limit of a connection', () => {
  it('ends it in time: before a timer of the same process that is set 0.3 seconds later', async () => {
    const mute = createServer();
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { signIn } = engine({
      issuer: `https://127.0.0.1:${(mute.address() as AddressInfo).port}`,
      limits: { connectMs: 2_000, totalMs: 60_000 },
    });
    const order: string[] = [];
    const started = performance.now();
    const failed = signIn.begin({}).catch(() => void order.push('connection'));
    await Promise.all([
      failed,
      new Promise<void>((resolve) => setTimeout(() => resolve(void order.push('timer')), 2_300)),
    ]);
    mute.close();
    expect(order).toEqual(['connection', 'timer']);
    expect(performance.now() - started).toBeGreaterThanOrEqual(2_000);
  });
});

describe('SignIn.endSessionUrl', () => {
  const at = (end_session_endpoint: unknown): void =>
    provider.behave({ metadata: (metadata) => ({ ...metadata, end_session_endpoint }) });

  it.each([
    'https://idp.example/end',
    'https://idp.example/end?tenant=a',
    'http://127.0.0.1:9/end',
    'http://127.8.9.1/end',
    'http://[::1]:9/end',
  ])('with %j gives an URL there', async (endpoint) => {
    at(endpoint);
    const { signIn } = engine();
    const url = (await signIn.endSessionUrl('id-token'))!;
    const { searchParams } = new URL(url);
    expect(url.startsWith(endpoint)).toBe(true);
    expect(searchParams.get('id_token_hint')).toBe('id-token');
    expect(searchParams.get('client_id')).toBe('svc');
    expect(searchParams.get('post_logout_redirect_uri')).toBe(POST_LOGOUT_REDIRECT_URI);
  });

  it.each([
    'http://localhost/end',
    'http://127.0.0.1.evil.example/end',
    'http://idp.example/end',
    'javascript:alert(1)',
    '/end',
    undefined,
    null,
    7,
  ])('with %j gives none', async (endpoint) => {
    at(endpoint);
    const { signIn } = engine();
    expect(await signIn.endSessionUrl('id-token')).toBeUndefined();
  });

  it('gives none within 2 seconds when the provider says nothing, and at once when it is known', async () => {
    const { signIn } = engine();
    provider.behave({ answers: { discovery: silent } });
    const started = performance.now();
    expect(await signIn.endSessionUrl('id-token')).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(8_000);

    const known = engine().signIn;
    provider.behave();
    await known.begin({});
    provider.behave({ answers: { discovery: silent } });
    const asked = provider.asked.discovery;
    expect(await known.endSessionUrl('id-token')).toContain('/end?');
    expect(provider.asked.discovery).toBe(asked);
  });

  it('gives none when the provider is down', async () => {
    provider.behave({ answers: { discovery: reset } });
    expect(await engine().signIn.endSessionUrl('id-token')).toBeUndefined();
  });
});

describe('logout tokens of strangers', () => {
  it('have the keys fetched once in five seconds at most, where that fails too', async () => {
    const { signIn } = engine();
    provider.behave({ answers: { jwks: failing(503, {}) } });
    const asked = provider.asked.jwks;
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'RS256', kid: 'x' })}.${part({})}.c2ln`;
    for (let i = 0; i < 20; i += 1)
      await expect(signIn.readLogout(token)).rejects.toMatchObject({ code: 'identity_provider_unavailable' });
    expect(provider.asked.jwks - asked).toBe(1);
  });
});
