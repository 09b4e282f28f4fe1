import type { LoginLedger } from './ledger.ts';
import type { IdentityProvider, IdentityProviderOptions } from './provider.ts';
import type { Seal } from './seal.ts';

export type SignInOptions = IdentityProviderOptions & {
  /** Everything to ask for; `openid` is added. */
  readonly scopes: readonly string[];
  /** A dotted path; `\.` is a literal dot. */
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  /** The registered callback, without a query; sent as an URL parser writes it. Never taken from a request. */
  readonly redirectUri: string;
  /** What the provider is asked to show in a desktop login; `none` asks for nothing. */
  readonly desktopPrompt: 'login' | 'select_account' | 'consent' | 'none';
  /** People whose roles are configured: their groups are not looked up. */
  readonly localSubjects: ReadonlySet<string>;
  /** A policy denies something to a group: a sign-in whose groups the provider left out is refused. */
  readonly groupsDeny: boolean;
  readonly rpInitiatedLogout: boolean;
  readonly postLogoutRedirectUri: string;
  /** 32 bytes each. The first seals, all open. */
  readonly sealingKeys: readonly Buffer[];
  readonly ledger: LoginLedger;
};

/** What the steps of a sign-in share. */
export type Parts = { readonly options: SignInOptions; readonly provider: IdentityProvider; readonly seal: Seal };
