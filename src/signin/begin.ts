import * as openid from 'openid-client';
import { promptOf } from './desktop-prompt.ts';
import { LOGIN_LIFETIME_SECONDS, type DesktopRequest } from './pending-login.ts';
import type { Parts, SignInOptions } from './options.ts';
import { safeReturnPath } from './return-to.ts';
import { digestOf } from '../secret/secret.ts';

export type BeginRequest = {
  /** As the client sent it. Anything but a safe relative path becomes `/`. */
  readonly returnTo?: string | undefined;
  /** The value of the `svc_login` cookie, if the browser has one; several tabs share it. A value that this service did not make is replaced. */
  readonly browserSecret?: string | undefined;
  readonly desktop?: DesktopRequest | undefined;
};

/** Where to send the browser, and what to put in its `svc_login` cookie. */
export type BegunLogin = { readonly url: string; readonly browserSecret: string };

export async function beginLogin({ options, provider, seal }: Parts, request: BeginRequest): Promise<BegunLogin> {
  const { config } = await provider.known();
  const browserSecret =
    request.browserSecret !== undefined && seal.madeBrowserSecret(request.browserSecret)
      ? request.browserSecret
      : seal.newBrowserSecret();
  const { state, verifier, nonce } = seal.seal({
    expiresAt: options.now() + LOGIN_LIFETIME_SECONDS * 1000,
    browser: digestOf(browserSecret),
    returnTo: safeReturnPath(request.returnTo),
    desktop: request.desktop,
  });
  const url = authorizationUrl(
    config,
    options,
    { state, nonce, verifier },
    request.desktop === undefined ? {} : promptOf(options.desktopPrompt),
  );
  return { url: url.href, browserSecret };
}

/**
 * The authorization URL of a sign-in, with PKCE S256.
 *
 * @param more - further parameters.
 */
export function authorizationUrl(
  config: openid.Configuration,
  { redirectUri, scopes }: Pick<SignInOptions, 'redirectUri' | 'scopes'>,
  { state, nonce, verifier }: { readonly state: string; readonly nonce: string; readonly verifier: string },
  more: Readonly<Record<string, string>>,
): URL {
  return openid.buildAuthorizationUrl(config, {
    redirect_uri: new URL(redirectUri).href,
    scope: [...new Set(['openid', ...scopes])].join(' '),
    state,
    nonce,
    code_challenge: digestOf(verifier),
    code_challenge_method: 'S256',
    ...more,
  });
}
