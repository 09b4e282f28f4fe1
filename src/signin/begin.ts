import { hash, randomBytes } from 'node:crypto';
import * as openid from 'openid-client';
import { browserDigest, LOGIN_LIFETIME_SECONDS, type DesktopRequest, type LoginFamily } from './pending-login.ts';
import type { Parts } from './options.ts';
import { safeReturnPath } from './return-to.ts';

const BROWSER_SECRET_BYTES = 32;
const BROWSER_SECRET = /^[A-Za-z0-9_-]{43}$/;

export type BeginRequest = {
  readonly family: LoginFamily;
  /** As the client sent it; anything but a safe relative path becomes `/`. */
  readonly returnTo?: string | undefined;
  /** The value of the `svc_login` cookie, if the browser has one: several tabs share it. */
  readonly browserSecret?: string | undefined;
  readonly desktop?: DesktopRequest | undefined;
};

/** Where to send the browser, and what to put in its `svc_login` cookie. */
export type BegunLogin = { readonly url: string; readonly browserSecret: string };

export async function beginLogin({ options, provider, seal }: Parts, request: BeginRequest): Promise<BegunLogin> {
  const { config } = await provider.known();
  const browserSecret = isBrowserSecret(request.browserSecret) ? request.browserSecret : randomBytes(BROWSER_SECRET_BYTES).toString('base64url');
  const { state, verifier, nonce } = seal.seal({
    family: request.family,
    expiresAt: options.now() + LOGIN_LIFETIME_SECONDS * 1000,
    browser: browserDigest(browserSecret),
    returnTo: safeReturnPath(request.returnTo),
    desktop: request.desktop,
  });
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: new URL(options.redirectUris[request.family]).href,
    scope: [...new Set(['openid', ...options.scopes])].join(' '),
    state,
    nonce,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  });
  return { url: url.href, browserSecret };
}

function isBrowserSecret(value: string | undefined): value is string {
  return value !== undefined && BROWSER_SECRET.test(value);
}
