import * as openid from 'openid-client';
import { authorizationUrl } from './begin.ts';
import { clientAuthWith } from './client-auth.ts';
import { endSessionUrlAt } from './end-session.ts';
import { endpointOf, IdentityProvider, type IdentityProviderOptions, type KnownProvider } from './provider.ts';
import { PROVIDER_LIMITS, ProviderFetch } from './provider-fetch.ts';

export type ProbeOptions = IdentityProviderOptions & {
  readonly scopes: readonly string[];
  readonly redirectUri: string;
};

/** What an endpoint answers to a browser, and where it sends it. `error` is the parameter of that address. */
export type Answer = {
  readonly status: number;
  readonly location: string | undefined;
  readonly error: string | undefined;
};

/** Key types, and curves for types with several, of the signatures that sign-in accepts. */
const USABLE_KEYS: ReadonlyMap<unknown, readonly unknown[]> = new Map([
  ['RSA', [undefined]],
  ['EC', ['P-256']],
  ['OKP', ['Ed25519']],
]);

/** Other text is not repeated, because it could contain the secret that was sent to the provider. */
const ERROR_CODE = /^[a-z_]{1,40}$/;

/** Tests at an identity provider what a sign-in needs, without a person. */
export class SignInProbe {
  readonly #options: ProbeOptions;
  readonly #provider: IdentityProvider;
  readonly #http: ProviderFetch;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#provider = new IdentityProvider(options);
    this.#http = new ProviderFetch({ ...PROVIDER_LIMITS, ...options.limits }, options);
  }

  /** @throws {SvcError} `identity_provider_unavailable`, `identity_provider_timeout` */
  discover(): Promise<KnownProvider> {
    return this.#provider.known();
  }

  /** The number of keys that could verify a token, and the time of the answer in milliseconds since the epoch. */
  async keys(): Promise<{ readonly usable: number; readonly date: number | undefined }> {
    const { metadata } = await this.discover();
    const response = await this.#http.fetch(String(metadata.jwks_uri), {
      method: 'GET',
      headers: { accept: 'application/json' },
    });
    const answer = (await response.json().catch(() => undefined)) as { readonly keys?: unknown } | null | undefined;
    const usable = Array.isArray(answer?.keys) ? answer.keys.filter(isUsable).length : 0;
    const date = Date.parse(response.headers.get('date') ?? '');
    return { usable, date: Number.isNaN(date) ? undefined : date };
  }

  /**
   * Redeems an invalid code. Providers check the client before the code.
   *
   * @returns the error that the provider answers.
   */
  async redeemNothing(): Promise<string> {
    const { config, metadata } = await this.discover();
    const { clientAuth, clientSecret, redirectUri } = this.#options;
    const headers = new Headers({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' });
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'svc-doctor',
      redirect_uri: redirectUri,
      code_verifier: openid.randomPKCECodeVerifier(),
    });
    clientAuthWith(clientAuth, clientSecret)(config.serverMetadata(), config.clientMetadata(), body, headers);
    // openid-client would refuse an address without TLS, but does not make this request.
    const { href } = endpointOf(metadata, 'token_endpoint', this.#options.issuer);
    const response = await this.#http.fetch(href, { method: 'POST', headers, body });
    const answer = (await response.json().catch(() => undefined)) as { readonly error?: unknown } | null | undefined;
    return repeatable(answer?.error, response.status);
  }

  /**
   * Begins a sign-in. With `prompt=none`, a provider that knows the redirect URI sends the browser back at once.
   *
   * @param more - parameters beyond those of every sign-in.
   */
  async authorize(more: Readonly<Record<string, string>>): Promise<Answer> {
    const { config } = await this.discover();
    const proofs = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
    };
    return await this.#visit(authorizationUrl(config, this.#options, proofs, more).href);
  }

  /** Asks the end-session endpoint, without a session, to send the browser to an address; undefined when people are not sent there. */
  async signOut(postLogoutUri: string | undefined): Promise<Answer | undefined> {
    const url = endSessionUrlAt(await this.discover(), undefined, postLogoutUri);
    return url === undefined ? undefined : await this.#visit(url);
  }

  async #visit(url: string): Promise<Answer> {
    const { status, location } = await this.#http.redirect(url);
    const back = location === undefined ? undefined : URL.parse(location, url);
    const error = back?.searchParams.get('error') ?? undefined;
    return { status, location: back?.href, error: error === undefined ? undefined : repeatable(error, status) };
  }

  async close(): Promise<void> {
    await Promise.all([this.#provider.close(), this.#http.close()]);
  }
}

function repeatable(error: unknown, status: number): string {
  return typeof error === 'string' && ERROR_CODE.test(error) ? error : `status ${status}`;
}

function isUsable(key: { readonly kty?: unknown; readonly crv?: unknown; readonly use?: unknown } | null): boolean {
  return key?.use !== 'enc' && USABLE_KEYS.get(key?.kty)?.includes(key?.crv) === true;
}
