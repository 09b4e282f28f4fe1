/** Which route family's callback finishes a login. */
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
  /** SHA-256 of the browser secret, base64url. */
  readonly browser: string;
  /** The same-origin path to go to afterwards. */
  readonly returnTo: string;
  /** Present when a desktop client began it. */
  readonly desktop: DesktopRequest | undefined;
};

export const LOGIN_LIFETIME_SECONDS = 600;
