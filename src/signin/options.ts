import type { LoginLedger } from './ledger.ts';
import type { LoginFamily } from './pending-login.ts';
import type { Provider, ProviderOptions } from './provider.ts';
import type { Seal } from './seal.ts';

export type SignInOptions = ProviderOptions & {
  /** Everything to ask for; `openid` is added. */
  readonly scopes: readonly string[];
  /** A dotted path; `\.` is a literal dot. */
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  /** The registered callbacks, without a query; sent as an URL parser writes them. Never taken from a request. */
  readonly redirectUris: Readonly<Record<LoginFamily, string>>;
  readonly rpInitiatedLogout: boolean;
  readonly postLogoutRedirectUri: string;
  /** 32 bytes each. The first seals, all open. */
  readonly sealingKeys: readonly Buffer[];
  readonly ledger: LoginLedger;
};

/** What the steps of a sign-in share. */
export type Parts = { readonly options: SignInOptions; readonly provider: Provider; readonly seal: Seal };
