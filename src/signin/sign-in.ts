import type { Identity } from '../policy/identity.ts';
import type { LoginLedger } from './ledger.ts';
import type { DesktopRequest, LoginFamily } from './pending-login.ts';

export type ClientAuth = 'basic' | 'post' | 'none';

export type SignInOptions = {
  /** Compared exactly with the provider's own. Plain HTTP is used when it says `http:`; who may do so is the configuration's business. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent when `clientAuth` is `none`. */
  readonly clientSecret: string | undefined;
  readonly clientAuth: ClientAuth;
  /** Everything to ask for; `openid` is added when it is missing. */
  readonly scopes: readonly string[];
  /** A dotted path; `\.` is a literal dot. */
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  /** Subjects whose groups are not looked up. */
  readonly localSubjects?: ReadonlySet<string>;
  readonly redirectUris: Readonly<Record<LoginFamily, string>>;
  readonly rpInitiatedLogout: boolean;
  readonly postLogoutRedirectUri: string;
  /** 32 bytes each. The first seals, all open. */
  readonly sealingKeys: readonly Buffer[];
  readonly ledger: LoginLedger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly limits?: Partial<ProviderLimits>;
};

/** How long and how much the provider may talk. */
export type ProviderLimits = { readonly connectMs: number; readonly totalMs: number; readonly maxBytes: number };

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

export type CompleteRequest = {
  readonly family: LoginFamily;
  /** The query of the callback, without `?`. */
  readonly query: string | URLSearchParams;
  readonly browserSecret: string | undefined;
};

/** A person whom the provider vouched for. */
export type SignedInPerson = {
  readonly identity: Identity;
  readonly name: string;
  readonly idToken: string;
  /** For the person who got in and sees nothing: which claim was looked for, whether it was there, and which were. */
  readonly groupsClaim: { readonly path: string; readonly found: boolean; readonly present: readonly string[] };
};

export type CompletedLogin =
  | { readonly outcome: 'web'; readonly person: SignedInPerson; readonly returnTo: string }
  | { readonly outcome: 'desktop'; readonly person: SignedInPerson; readonly desktop: DesktopRequest }
  /** Send the browser to the loopback listener with the error; `error` is for the log. */
  | { readonly outcome: 'desktop-failed'; readonly redirectTo: string; readonly error: unknown };

/**
 * Signs people in through the OpenID provider.
 *
 * @see spec "Authentication"
 */
export class SignIn {
  constructor(_options: SignInOptions) {
    throw new Error('not built yet');
  }

  /**
   * Begins a login.
   *
   * @throws {SvcError} `identity_provider_unavailable`, `identity_provider_timeout`
   */
  begin(_request: BeginRequest): Promise<BegunLogin> {
    throw new Error('not built yet');
  }

  /**
   * Finishes a login from the provider's redirect.
   *
   * @throws {SvcError} `login_invalid`, `login_replayed`, `login_refused`, `login_rejected`, `identity_provider_unavailable`,
   * `identity_provider_timeout`
   */
  complete(_request: CompleteRequest): Promise<CompletedLogin> {
    throw new Error('not built yet');
  }

  /** Where the browser ends its session at the provider; undefined when that is turned off, not offered or not safe. Never rejects, takes at most 2 seconds. */
  endSessionUrl(_idToken: string): Promise<string | undefined> {
    throw new Error('not built yet');
  }

  close(): Promise<void> {
    throw new Error('not built yet');
  }
}
