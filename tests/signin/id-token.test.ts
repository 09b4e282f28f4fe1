import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireSignInSince, verifyIdToken } from '../../src/signin/id-token.ts';
import { PROVIDER_LIMITS, ProviderFetch } from '../../src/signin/provider-fetch.ts';
import { ProviderKeys } from '../../src/signin/provider-keys.ts';
import { HostileProvider } from '../support/hostile-provider.ts';

let provider: HostileProvider;
let http: ProviderFetch;
let keys: ProviderKeys;

beforeAll(async () => {
  provider = await HostileProvider.start();
  http = new ProviderFetch(PROVIDER_LIMITS);
  keys = new ProviderKeys({
    uri: new URL(`${provider.issuer}/jwks`),
    fetch: http.fetch,
    totalMs: PROVIDER_LIMITS.totalMs,
    now: Date.now,
  });
});

afterAll(async () => {
  await http.close();
  await provider.close();
});

/** What the provider signs, verified by us alone: openid-client, which checks some of the same, is not asked. */
async function verify(changes: Readonly<Record<string, unknown>>, now = Date.now()): Promise<unknown> {
  provider.behave({ claims: (right) => ({ ...right, ...changes }) });
  const authorize = new URLSearchParams({
    nonce: 'the-nonce',
    client_id: 'svc',
    redirect_uri: 'http://127.0.0.1:9/callback',
    state: 's',
  });
  const code = new URL(provider.visit(`${provider.issuer}/authorize?${authorize.toString()}`)).searchParams.get(
    'code',
  )!;
  const answer = (await (
    await fetch(`${provider.issuer}/token`, { method: 'POST', body: new URLSearchParams({ code }) })
  ).json()) as { id_token: string };
  return await verifyIdToken(answer.id_token, {
    keys,
    issuer: provider.issuer,
    clientId: 'svc',
    nonce: 'the-nonce',
    now,
  });
}

describe('verifyIdToken', () => {
  it('gives the claims of a right token', async () => {
    expect(await verify({})).toMatchObject({ sub: 'mallory', iss: provider.issuer });
  });

  it.each([
    ['iss', 'https://evil.example'],
    ['aud', 'another'],
    ['aud', ['svc', 'another']],
    ['azp', 'another'],
    ['nonce', 'the-noncf'],
    ['nonce', 'the-nonce '],
    ['nonce', undefined],
    ['nonce', 7],
    ['sub', undefined],
    ['sub', ''],
    ['sub', '  '],
    ['sub', 7],
    ['exp', 1],
    ['exp', undefined],
    ['iat', 1],
    ['iat', 99_999_999_999],
    ['iat', undefined],
    ['nbf', 99_999_999_999],
  ])('answers login_rejected when %s is %j, and names the claim', async (claim, value) => {
    const named = claim === 'aud' && Array.isArray(value) ? 'azp' : claim;
    await expect(verify({ [claim]: value })).rejects.toMatchObject({
      code: 'login_rejected',
      detail: expect.stringContaining(`\`${named}\``),
    });
  });

  const NOW = 1_900_000_000;
  const FITTING = { iat: NOW, exp: NOW + 60 };

  it.each([
    ['exp', NOW - 29, NOW - 30],
    ['nbf', NOW + 30, NOW + 31],
    ['iat', NOW + 30, NOW + 31],
    ['iat', NOW - 630, NOW - 631],
  ])('lets a clock be wrong by 30 seconds and no more: %s', async (claim, fits, tooFar) => {
    await expect(verify({ ...FITTING, [claim]: fits }, NOW * 1000)).resolves.toMatchObject({ sub: 'mallory' });
    await expect(verify({ ...FITTING, [claim]: tooFar }, NOW * 1000)).rejects.toMatchObject({
      code: 'login_rejected',
      detail: expect.stringContaining(`\`${claim}\``),
    });
  });
});

describe('requireSignInSince', () => {
  const SINCE = 1_900_000_000;
  const NOW = (SINCE + 5) * 1000;

  it('takes a sign-in at the provider since then, with 30 seconds for the clocks', () => {
    expect(() => requireSignInSince({ auth_time: SINCE - 30 }, SINCE * 1000 + 999, NOW)).not.toThrow();
    expect(() => requireSignInSince({ auth_time: SINCE - 31 }, SINCE * 1000, NOW)).toThrow(
      expect.objectContaining({
        code: 'login_invalid',
        detail: expect.stringMatching(/did not ask you.*desktop_prompt/),
      }),
    );
  });

  it.each([SINCE + 36, SINCE * 1000, Infinity])('takes no sign-in that is yet to come: %d', (auth_time) => {
    expect(() => requireSignInSince({ auth_time: SINCE + 35 }, SINCE * 1000, NOW)).not.toThrow();
    expect(() => requireSignInSince({ auth_time }, SINCE * 1000, NOW)).toThrow(
      expect.objectContaining({ code: 'login_invalid', detail: expect.stringContaining('a time to come') }),
    );
  });

  it.each([undefined, null, '1900000000'])('takes no provider at its word that does not say when: %j', (auth_time) => {
    expect(() => requireSignInSince({ auth_time }, SINCE * 1000, NOW)).toThrow(
      expect.objectContaining({ code: 'login_invalid', detail: expect.stringContaining('auth_time') }),
    );
  });
});
