/** The checked request of a desktop client. */
export type DesktopRequest = {
  /** The loopback redirect as the client wrote it. */
  readonly redirectUri: string;
  /** The client's own state, which is returned unchanged. */
  readonly state: string;
  /** PKCE `code_challenge`, S256. */
  readonly codeChallenge: string;
};

/** A login that was begun and not finished. It is sealed into the `state` parameter and not stored. */
export type PendingLogin = {
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Digest of the secret in the browser's `svc_login` cookie. */
  readonly browser: string;
  /** The same-origin path to go to afterwards. */
  readonly returnTo: string;
  /** Present when a desktop client began it. */
  readonly desktop: DesktopRequest | undefined;
};

export const LOGIN_LIFETIME_SECONDS = 600;

/** Without member names, because the text is part of a URL. */
type Encoded = readonly [
  expiresAt: number,
  browser: string,
  returnTo: string,
  desktop?: readonly [redirectUri: string, state: string, codeChallenge: string],
];

export function encodeLogin({ expiresAt, browser, returnTo, desktop }: PendingLogin): string {
  const encoded: Encoded =
    desktop === undefined
      ? [expiresAt, browser, returnTo]
      : [expiresAt, browser, returnTo, [desktop.redirectUri, desktop.state, desktop.codeChallenge]];
  return JSON.stringify(encoded);
}

/** @param text - a result of {@link encodeLogin}, whose seal was checked. */
export function decodeLogin(text: string): PendingLogin {
  const [expiresAt, browser, returnTo, desktop] = JSON.parse(text) as Encoded;
  return {
    expiresAt,
    browser,
    returnTo,
    desktop:
      desktop === undefined ? undefined : { redirectUri: desktop[0], state: desktop[1], codeChallenge: desktop[2] },
  };
}
