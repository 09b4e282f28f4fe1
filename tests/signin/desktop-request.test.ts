import { describe, expect, it } from '@jest/globals';
import { SvcError } from '../../src/errors/svc-error.ts';
import {
  checkDesktopRequest,
  desktopCodeUrl,
  desktopFailureUrl,
  isDesktopRequest,
} from '../../src/signin/desktop-request.ts';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const REDIRECT = 'http://127.0.0.1:4711/callback';
const RIGHT = {
  response_type: 'code',
  client_id: 'svc-desktop',
  redirect_uri: REDIRECT,
  state: 'a b&c',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
};

function query(changes: Readonly<Record<string, string | undefined>> = {}): URLSearchParams {
  const given: Readonly<Record<string, string | undefined>> = { ...RIGHT, ...changes };
  return new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

describe('isDesktopRequest', () => {
  it('tells a desktop client from a browser', () => {
    expect(isDesktopRequest(query())).toBe(true);
    expect(isDesktopRequest(new URLSearchParams('client_id=x'))).toBe(true);
    expect(isDesktopRequest(new URLSearchParams('return_to=/x'))).toBe(false);
  });
});

describe('checkDesktopRequest', () => {
  it('accepts a right request, and one that leaves out the only method there is', () => {
    const accepted = {
      outcome: 'accepted',
      desktop: { redirectUri: REDIRECT, state: 'a b&c', codeChallenge: CHALLENGE },
    };
    expect(checkDesktopRequest(query())).toEqual(accepted);
    expect(checkDesktopRequest(query({ code_challenge_method: undefined }))).toEqual(accepted);
  });

  it.each(['x', ' ~', 'x'.repeat(512)])('accepts the state %j', (state) => {
    expect(checkDesktopRequest(query({ state }))).toMatchObject({ outcome: 'accepted', desktop: { state } });
  });

  it.each([
    ['no client', { client_id: undefined }],
    ['another client', { client_id: 'svc-Desktop' }],
    ['no redirect', { redirect_uri: undefined }],
    ['a redirect elsewhere', { redirect_uri: 'http://127.1:80/callback' }],
  ])('refuses %s without a redirect', (_name, changes) => {
    expect(checkDesktopRequest(query(changes)).outcome).toBe('refused');
  });

  it.each(['client_id', 'redirect_uri'])('refuses a repeated %s without a redirect', (name) => {
    const twice = query();
    twice.append(name, twice.get(name)!);
    expect(checkDesktopRequest(twice).outcome).toBe('refused');
  });

  it.each([
    ['no response type', { response_type: undefined }, 'unsupported_response_type'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a short challenge', { code_challenge: CHALLENGE.slice(1) }, 'invalid_request'],
    ['a long challenge', { code_challenge: `${CHALLENGE}a` }, 'invalid_request'],
    ['a challenge with a line before it', { code_challenge: `a\n${CHALLENGE}` }, 'invalid_request'],
    ['a challenge in base64', { code_challenge: CHALLENGE.replace('-', '+') }, 'invalid_request'],
    ['the plain method', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['an empty method', { code_challenge_method: '' }, 'invalid_request'],
  ])('redirects %s with an error and the state', (_name, changes, error) => {
    const check = checkDesktopRequest(query(changes));
    if (check.outcome !== 'redirect') throw new Error(check.outcome);
    expect(check.redirectTo.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(Object.fromEntries(new URL(check.redirectTo).searchParams)).toEqual({
      error,
      error_description: expect.any(String),
      state: 'a b&c',
    });
  });

  it.each([
    ['no state', undefined],
    ['an empty state', ''],
    ['a state with control characters', 'a\r\nb'],
    ['a state with a line break at its end', 'ab\n'],
    ['a state with a line break at its beginning', '\nab'],
    ['a state with DEL', 'a\x7f'],
    ['a state of 513 characters', 'x'.repeat(513)],
  ])('redirects %s with an error and no state', (_name, state) => {
    const check = checkDesktopRequest(query({ state }));
    if (check.outcome !== 'redirect') throw new Error(check.outcome);
    expect(Object.fromEntries(new URL(check.redirectTo).searchParams)).toEqual({
      error: 'invalid_request',
      error_description: expect.stringContaining('state'),
    });
  });

  it.each(['state', 'response_type', 'code_challenge', 'code_challenge_method'])(
    'redirects a repeated %s with an error',
    (name) => {
      const twice = query();
      twice.append(name, twice.get(name)!);
      expect(checkDesktopRequest(twice)).toMatchObject({
        outcome: 'redirect',
        redirectTo: expect.stringContaining('error=invalid_request'),
      });
    },
  );
});

describe('desktopCodeUrl', () => {
  it('carries code and state on the redirect as it was written', () => {
    const desktop = { redirectUri: 'http://[::1]:80/callback', state: 'a b&c', codeChallenge: CHALLENGE };
    expect(desktopCodeUrl(desktop, 'the-code')).toBe('http://[::1]:80/callback?code=the-code&state=a+b%26c');
  });
});

describe('desktopFailureUrl', () => {
  const desktop = { redirectUri: REDIRECT, state: 's', codeChallenge: CHALLENGE };

  it.each([
    'identity_provider_unavailable',
    'identity_provider_timeout',
    'session_store_unavailable',
    'session_capacity',
    'rate_limited',
  ] as const)('says of %s that it passes', (code) => {
    expect(new URL(desktopFailureUrl(desktop, new SvcError(code))).searchParams.get('error')).toBe(
      'temporarily_unavailable',
    );
  });

  it.each([
    [new SvcError('login_refused', { detail: 'said "no" \\ \u202e' }), 'access_denied', "said 'no' ' ?"],
    [new SvcError('login_rejected'), 'access_denied', 'The identity provider answered with a token that is not valid'],
    [new SvcError('identity_provider_timeout'), 'temporarily_unavailable', 'The identity provider is too slow'],
    [new SvcError('session_capacity'), 'temporarily_unavailable', 'No further session can be started'],
    [new SvcError('internal'), 'server_error', 'Something went wrong on the server'],
    [new Error('canary'), 'server_error', 'the sign-in failed'],
    [undefined, 'server_error', 'the sign-in failed'],
  ])('tells of %s', (error, code, description) => {
    expect(Object.fromEntries(new URL(desktopFailureUrl(desktop, error)).searchParams)).toEqual({
      error: code,
      error_description: description,
      state: 's',
    });
  });
});
