import * as openid from 'openid-client';
import { SvcError } from '../errors/svc-error.ts';
import { clientAuthWith, type ClientAuth } from './client-auth.ts';
import { CLOCK_TOLERANCE_SECONDS } from './id-token.ts';
import { issuerDifference } from './issuer-difference.ts';
import { providerFailure } from './provider-failure.ts';
import { PROVIDER_LIMITS, ProviderFetch, type ProviderLimits, type ProviderRoute } from './provider-fetch.ts';
import { ProviderKeys } from './provider-keys.ts';

/** After this time, a discovery document is read again. */
export const METADATA_LIFETIME_MS = 3_600_000;
/** When that fails, it is tried again after this time. */
export const RETRY_STALE_MS = 60_000;

export type IdentityProviderOptions = ProviderRoute & {
  /** Compared exactly with the issuer that the provider names. It may begin with `http:` only where the configuration allows that. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent when `clientAuth` is `none`. */
  readonly clientSecret: string | undefined;
  readonly clientAuth: ClientAuth;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly limits?: Partial<ProviderLimits>;
};

/** The result of discovery. */
export type KnownProvider = {
  readonly config: openid.Configuration;
  readonly metadata: Readonly<openid.ServerMetadata>;
  readonly keys: ProviderKeys;
};

/**
 * The identity provider, discovered when it is first needed.
 *
 * Several callers share one discovery, and a failed one is not remembered. The result is renewed every hour in the background, and kept when the renewal fails.
 */
export class IdentityProvider {
  readonly #options: IdentityProviderOptions;
  readonly #limits: ProviderLimits;
  readonly #http: ProviderFetch;
  #known: KnownProvider | undefined;
  #renewAt = 0;
  #discovery: Promise<KnownProvider> | undefined;

  constructor(options: IdentityProviderOptions) {
    this.#options = options;
    this.#limits = { ...PROVIDER_LIMITS, ...options.limits };
    this.#http = new ProviderFetch(this.#limits, options);
  }

  /** @throws {SvcError} `identity_provider_unavailable`, `identity_provider_timeout` */
  async known(): Promise<KnownProvider> {
    if (this.#known === undefined) return await this.#discover();
    if (this.#options.now() >= this.#renewAt) void this.#renew(this.#known);
    return this.#known;
  }

  /** The earliest end of its certificates, in milliseconds since the epoch; undefined while it is unknown. */
  get certificateEndsAt(): number | undefined {
    return this.#http.certificateEndsAt;
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** Explains a failed discovery when the address has no discovery document, because the library only says that the answer does not conform. */
  readonly #fetchDocument: ProviderFetch['fetch'] = async (url, options) => {
    const response = await this.#http.fetch(url, options);
    const type = response.headers.get('content-type')?.split(';')[0] ?? 'no type';
    if (response.status === 200 && /^application\/json$/i.test(type)) {
      const document = (await response.clone().json()) as { readonly issuer?: unknown } | null;
      if (typeof document?.issuer === 'string' && document.issuer !== '') return response;
    }
    throw new SvcError('identity_provider_unavailable', {
      detail: `\`${url}\` answers with status ${response.status} and \`${type}\`, not with a discovery document; check \`auth.oidc.issuer\``,
    });
  };

  async #renew(known: KnownProvider): Promise<void> {
    this.#renewAt = this.#options.now() + RETRY_STALE_MS;
    try {
      await this.#discover(known);
    } catch (error) {
      this.#options.warn('the identity provider could not be discovered again; going on with what is known', { error });
    }
  }

  #discover(previous?: KnownProvider): Promise<KnownProvider> {
    this.#discovery ??= this.#ask(previous).finally(() => (this.#discovery = undefined));
    return this.#discovery;
  }

  async #ask(previous: KnownProvider | undefined): Promise<KnownProvider> {
    const { issuer, clientId, clientSecret, clientAuth, now, warn } = this.#options;
    let config: openid.Configuration;
    try {
      config = await openid.discovery(
        new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`),
        clientId,
        { [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
        clientAuthWith(clientAuth, clientSecret),
        {
          [openid.customFetch]: this.#fetchDocument,
          timeout: (this.#limits.totalMs * 2) / 1000,
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out; the configuration allows HTTP on loopback only
          ...(issuer.startsWith('http:') && { execute: [openid.allowInsecureRequests] }),
        },
      );
    } catch (error) {
      throw providerFailure(error, 'discovery');
    }
    config[openid.customFetch] = this.#http.fetch;
    const metadata = config.serverMetadata();
    requireIssuer(issuer, metadata.issuer);
    const uri = endpointOf(metadata, 'jwks_uri', issuer);
    endpointOf(metadata, 'authorization_endpoint', issuer);
    endpointOf(metadata, 'token_endpoint', issuer);
    if (previous === undefined) warnOfClientAuth(this.#options, metadata, warn);
    const keys =
      previous?.keys.uri === uri.href
        ? previous.keys
        : new ProviderKeys({ uri, fetch: this.#http.fetch, totalMs: this.#limits.totalMs, now });
    this.#known = { config, metadata, keys };
    this.#renewAt = now() + METADATA_LIFETIME_MS;
    return this.#known;
  }
}

function requireIssuer(configured: string, provided: string): void {
  if (configured === provided) return;
  throw new SvcError('identity_provider_unavailable', {
    detail: `the provider calls itself \`${provided}\`, \`auth.oidc.issuer\` is \`${configured}\`: ${issuerDifference(configured, provided)}; set \`auth.oidc.issuer\` to exactly what the provider says`,
  });
}

/** The URL of an endpoint, which must use HTTPS, or HTTP when the issuer does. @throws {SvcError} `identity_provider_unavailable` */
export function endpointOf(
  metadata: openid.ServerMetadata,
  name: 'jwks_uri' | 'authorization_endpoint' | 'token_endpoint',
  issuer: string,
): URL {
  const value = metadata[name];
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.protocol === 'https:' || (url.protocol === 'http:' && issuer.startsWith('http:'))))
    return url;
  throw new SvcError('identity_provider_unavailable', {
    detail: `the provider's discovery document has no usable \`${name}\``,
  });
}

/** A map, because the provider chooses the names, and one could be `constructor`. */
const METHODS = new Map<unknown, string>([
  ['client_secret_basic', 'basic'],
  ['client_secret_post', 'post'],
]);

function warnOfClientAuth(
  { clientAuth }: IdentityProviderOptions,
  { token_endpoint_auth_methods_supported: listed }: openid.ServerMetadata,
  warn: IdentityProviderOptions['warn'],
): void {
  // A discovery document without the methods means Basic.
  const offered = Array.isArray(listed) ? listed : ['client_secret_basic'];
  const needed = clientAuth === 'none' ? 'none' : `client_secret_${clientAuth}`;
  if (!offered.includes(needed)) {
    const other = offered.map((method) => METHODS.get(method)).find((setting) => setting !== undefined);
    const advice =
      other === undefined
        ? 'choose `client_secret_basic` or `client_secret_post` for this client at the provider'
        : `set ${clientAuth === 'none' ? '`auth.oidc.client_secret` and ' : ''}\`auth.oidc.client_auth: ${other}\``;
    warn(
      `the provider does not list \`${needed}\`, with which this service authenticates, so sign-in may fail; ${advice}`,
      { offered },
    );
  }
}
