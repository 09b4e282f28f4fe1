import { hash } from 'node:crypto';

/** Which route family began a login. The callback of either finishes it. */
export type LoginFamily = 'api' | 'v1';

/** What a desktop client asked for, checked. */
export type DesktopRequest = {
  /** The raw loopback redirect, as the client wrote it. */
  readonly redirectUri: string;
  /** The client's own state, handed back untouched. */
  readonly state: string;
  /** PKCE `code_challenge`, S256. */
  readonly codeChallenge: string;
};

/** A login that was begun and not finished. It travels sealed in the `state` parameter and is stored nowhere. */
export type PendingLogin = {
  readonly family: LoginFamily;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** {@link browserDigest} of the browser secret. */
  readonly browser: string;
  /** The same-origin path to go to afterwards. */
  readonly returnTo: string;
  /** Present when a desktop client began it. */
  readonly desktop: DesktopRequest | undefined;
};

export const LOGIN_LIFETIME_SECONDS = 600;

/** What a pending login knows a browser by: SHA-256 of the secret in its `svc_login` cookie, base64url. */
export function browserDigest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Short member names: the text travels in an URL. */
type Encoded = readonly [family: LoginFamily, expiresAt: number, browser: string, returnTo: string, desktop?: readonly [redirectUri: string, state: string, codeChallenge: string]];

export function encodeLogin({ family, expiresAt, browser, returnTo, desktop }: PendingLogin): string {
  const encoded: Encoded =
    desktop === undefined
      ? [family, expiresAt, browser, returnTo]
      : [family, expiresAt, browser, returnTo, [desktop.redirectUri, desktop.state, desktop.codeChallenge]];
  return JSON.stringify(encoded);
}

/** @param text - What {@link encodeLogin} made; the seal vouches for it. */
export function decodeLogin(text: string): PendingLogin {
  const [family, expiresAt, browser, returnTo, desktop] = JSON.parse(text) as Encoded;
  return {
    family,
    expiresAt,
    browser,
    returnTo,
    desktop: desktop === undefined ? undefined : { redirectUri: desktop[0], state: desktop[1], codeChallenge: desktop[2] },
  };
}
