import type { DesktopPrompt } from './desktop-prompt.ts';
import type { IdentityProvider, IdentityProviderOptions } from './provider.ts';
import type { Seal } from './seal.ts';

export type SignInOptions = IdentityProviderOptions & {
  /** All scopes to request; `openid` is added. */
  readonly scopes: readonly string[];
  /** A dotted path; `\.` is a literal dot. */
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  /** The registered callback, without a query. It is sent as a URL parser writes it, and never taken from a request. */
  readonly redirectUri: string;
  readonly desktopPrompt: DesktopPrompt;
  /** Subjects whose roles are configured. Their groups are ignored. */
  readonly localSubjects: ReadonlySet<string>;
  /** Whether a policy denies something to a group. A sign-in is then refused when the provider left out the groups. */
  readonly groupsDeny: boolean;
  readonly rpInitiatedLogout: boolean;
  readonly postLogoutRedirectUri: string;
  /** 32 bytes each. The first key seals; all keys open. */
  readonly sealingKeys: readonly Buffer[];
  readonly ledger: LoginLedger;
};

/** The parts that the steps of a sign-in share. */
export type Parts = { readonly options: SignInOptions; readonly provider: IdentityProvider; readonly seal: Seal };

/**
 * Remembers which logins were used, until they would have expired anyway.
 *
 * Beginning a login stores nothing here; only a callback with a valid seal does.
 *
 * @see spec "Pending login and authorization code"
 */
interface LoginLedger {
  /** Atomic: exactly one of several simultaneous callers gets `first`. `expiresAt` is in milliseconds since the epoch. */
  consume(id: string, expiresAt: number): Promise<'first' | 'replayed'>;
}
