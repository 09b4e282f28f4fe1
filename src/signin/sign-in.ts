import { isDeepStrictEqual } from 'node:util';
import { beginLogin, type BeginRequest, type BegunLogin } from './begin.ts';
import { completeLogin, type CompletedLogin, type CompleteRequest } from './complete.ts';
import { endSessionUrlAt } from './end-session.ts';
import { verifyLogoutToken, type ProviderLogout } from './logout-token.ts';
import type { Parts, SignInOptions } from './options.ts';
import { IdentityProvider } from './provider.ts';
import { Seal } from './seal.ts';

const END_SESSION_DEADLINE_MS = 2_000;

/**
 * Signs people in through the OpenID provider: Authorization Code with PKCE, bound to the browser, used once.
 *
 * @see spec "Authentication", "Pending login and authorization code"
 */
export class SignIn {
  /** Replaced providers stay open for the sign-ins that began with them. */
  readonly #providers: IdentityProvider[] = [];
  #parts: Parts;

  constructor(options: SignInOptions) {
    this.#parts = this.#join(options);
  }

  /** Uses other secrets from now on. A callback that is being answered continues with the old ones. */
  replaceSecrets(secrets: Pick<SignInOptions, 'clientSecret' | 'sealingKeys'>): void {
    const { options } = this.#parts;
    if (options.clientSecret === secrets.clientSecret && isDeepStrictEqual(options.sealingKeys, secrets.sealingKeys))
      return;
    this.#parts = this.#join({ ...options, ...secrets });
  }

  /** Discovers the provider, so that the log warns of settings that do not fit it before anybody signs in. A provider that is down is discovered later. */
  async prepare(): Promise<void> {
    await this.#parts.provider.known().catch(() => undefined);
  }

  /**
   * Begins a login, which lives 10 minutes.
   *
   * @throws {SvcError} `identity_provider_unavailable`, `identity_provider_timeout`
   */
  begin(request: BeginRequest): Promise<BegunLogin> {
    return beginLogin(this.#parts, request);
  }

  /**
   * Finishes a login from the provider's redirect. Single use.
   *
   * @throws {SvcError} `login_invalid`, `login_replayed`, `login_refused`, `login_rejected`, `identity_provider_unavailable`,
   * `identity_provider_timeout`; once a desktop client's login is consumed, its failure is an outcome instead.
   */
  complete(request: CompleteRequest): Promise<CompletedLogin> {
    return completeLogin(this.#parts, request);
  }

  /**
   * Reads the reported logout from a logout token.
   *
   * @throws {SvcError} `invalid_request`, `identity_provider_unavailable`, `identity_provider_timeout`
   */
  async readLogout(token: string): Promise<ProviderLogout> {
    const { options, provider } = this.#parts;
    const { keys } = await provider.known();
    return verifyLogoutToken(token, { keys, issuer: options.issuer, clientId: options.clientId, now: options.now() });
  }

  /**
   * The URL at which the browser ends its session at the provider; undefined when that is turned off, not offered, not safe or not known in time.
   *
   * Never rejects, and takes at most 2 seconds, because signing out here does not wait for the provider.
   *
   * @param idToken - of the session that ended here, if one did; empty for local users, who have no session there.
   */
  async endSessionUrl(idToken: string | undefined): Promise<string | undefined> {
    const { options, provider } = this.#parts;
    if (!options.rpInitiatedLogout || idToken === '') return undefined;
    const known = await within(END_SESSION_DEADLINE_MS, provider.known());
    return known === undefined ? undefined : endSessionUrlAt(known, idToken, options.postLogoutRedirectUri);
  }

  /** The earliest end of the provider's certificates, in milliseconds since the epoch; undefined while it is unknown. */
  get certificateEndsAt(): number | undefined {
    return this.#parts.provider.certificateEndsAt;
  }

  async close(): Promise<void> {
    await Promise.all(this.#providers.map((provider) => provider.close()));
  }

  #join(options: SignInOptions): Parts {
    const provider = new IdentityProvider(options);
    this.#providers.push(provider);
    return { options, provider, seal: new Seal(options.sealingKeys) };
  }
}

/** The result of `work`, or undefined when it fails or takes longer. */
function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    void work.then(resolve, () => resolve(undefined)).finally(() => clearTimeout(timer));
  });
}
