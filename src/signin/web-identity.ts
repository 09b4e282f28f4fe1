import { decodeJwt } from 'jose';
import type { ServerMetadata } from 'openid-client';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Identity } from '../policy/model/identity.ts';
import { areLeftOut, groupsAt, nameOf, type Warn } from './claims.ts';
import { CLOCK_TOLERANCE_SECONDS } from './id-token.ts';
import { PROVIDER_LIMITS, ProviderFetch, type ProviderRoute } from './provider-fetch.ts';
import { ProviderKeys } from './provider-keys.ts';
import { endpointOf, METADATA_LIFETIME_MS, RETRY_STALE_MS } from './provider.ts';
import { isProviderName } from './provider-login.ts';

/** An issuer whose tokens are taken in place of a sign-in, such as that of a system that runs jobs. */
export type TrustedIssuer = {
  readonly issuer: string;
  readonly audience: string;
  /** A dotted path. Without it nobody has groups. */
  readonly groupsClaim: string | undefined;
};

export type WebIdentityOptions = {
  readonly trusted: readonly TrustedIssuer[];
  readonly proxy: ProviderRoute['proxy'];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly warn: Warn;
};

export type WebIdentity = { readonly identity: Identity; readonly name: string };

const MAX_TOKEN_CHARACTERS = 20_000;
const RETRY_AFTER_MS = 5_000;

type Known = { readonly keys: Promise<ProviderKeys>; renewAt: number };

/** Verifies the tokens of trusted issuers: signature, exact issuer, audience, times and subject, and that it is no logout token. A token may be used until it expires. */
export class WebIdentities {
  readonly #options: WebIdentityOptions;
  readonly #fetch: ProviderFetch;
  /** The keys of each issuer, from its discovery document, which is read again every hour in the background. */
  readonly #known = new Map<string, Known>();

  constructor(options: WebIdentityOptions) {
    this.#options = options;
    this.#fetch = new ProviderFetch(PROVIDER_LIMITS, { proxy: options.proxy });
  }

  /** @throws {SvcError} `login_invalid`; `login_rejected` when the token has expired; `access_denied` when it lacks the claim with the groups; `identity_provider_unavailable`, `identity_provider_timeout`. */
  async verify(token: string): Promise<WebIdentity> {
    const claimed = token.length > MAX_TOKEN_CHARACTERS ? undefined : issuerIn(token);
    let last = invalid('the token is of no issuer that this service trusts');
    for (const trusted of this.#options.trusted.filter(({ issuer }) => issuer === claimed)) {
      try {
        return await this.#verifyAs(token, trusted);
      } catch (error) {
        const known = codeOf(error) !== undefined;
        if (known) throw error;
        if ((error as { readonly code?: unknown }).code === 'ERR_JWT_EXPIRED')
          throw new SvcError('login_rejected', { detail: 'the token has expired; ask for a new one', cause: error });
        last = invalid('the token is not valid for this service', error);
      }
    }
    throw last;
  }

  close(): Promise<void> {
    return this.#fetch.close();
  }

  async #verifyAs(token: string, { issuer, audience, groupsClaim }: TrustedIssuer): Promise<WebIdentity> {
    const { now, warn } = this.#options;
    const keys = await this.#keysOf(issuer);
    const claims = await keys.verify(
      token,
      {
        issuer,
        audience,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(now()),
      },
      'stranger',
    );
    // Without a nonce, this alone tells a logout token from one that a person or a job has asked for.
    if (claims['events'] !== undefined) throw invalid('the token tells of an event and not of a person or a job');
    if (!isProviderName(claims.sub)) throw invalid('the subject of the token is no name');
    // Without the groups, a denial that is bound to one of them would not hold.
    if (groupsClaim !== undefined && areLeftOut(claims, groupsClaim))
      throw invalid('the token leaves out its groups, because there are too many');
    const { found, groups } =
      groupsClaim === undefined ? { found: true, groups: [] } : groupsAt(claims, groupsClaim, warn);
    if (!found)
      throw new SvcError('access_denied', {
        detail: `the token has no claim \`${groupsClaim}\`, so its groups are not known; an empty list says that there are none`,
      });
    return { identity: { issuer, subject: claims.sub, groups }, name: nameOf(claims, claims.sub) };
  }

  /** Discovery that fails is tried again after a pause, because anybody can send a token. */
  #keysOf(issuer: string): Promise<ProviderKeys> {
    const known = this.#known.get(issuer);
    if (known !== undefined) {
      if (this.#options.now() >= known.renewAt) void this.#renew(issuer, known);
      return known.keys;
    }
    const keys = this.#discover(issuer);
    this.#know(issuer, keys);
    keys.catch(() => setTimeout(() => this.#known.delete(issuer), RETRY_AFTER_MS).unref());
    return keys;
  }

  #know(issuer: string, keys: Promise<ProviderKeys>): void {
    this.#known.set(issuer, { keys, renewAt: this.#options.now() + METADATA_LIFETIME_MS });
  }

  async #renew(issuer: string, known: Known): Promise<void> {
    const { now, warn } = this.#options;
    known.renewAt = now() + RETRY_STALE_MS;
    try {
      this.#know(issuer, Promise.resolve(await this.#discover(issuer, await known.keys)));
    } catch (error) {
      warn('a trusted issuer could not be discovered again; going on with what is known', { issuer, error });
    }
  }

  /** @param known - kept when they are where they were. */
  async #discover(issuer: string, known?: ProviderKeys): Promise<ProviderKeys> {
    const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const answer = await this.#fetch.fetch(place, { method: 'GET', headers: { accept: 'application/json' } });
    const found = (await answer.json().catch(() => null)) as ServerMetadata | null;
    if (answer.status !== 200 || found?.issuer !== issuer)
      throw new SvcError('identity_provider_unavailable', {
        detail: `the issuer \`${issuer}\` has no discovery document of its own`,
      });
    const { now } = this.#options;
    const { totalMs } = PROVIDER_LIMITS;
    const uri = endpointOf(found, 'jwks_uri', issuer);
    return known?.uri === uri.href ? known : new ProviderKeys({ uri, fetch: this.#fetch.fetch, totalMs, now });
  }
}

/** The issuer that a token claims, which is not verified. */
function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function invalid(detail: string, cause?: unknown): SvcError {
  return new SvcError('login_invalid', { detail, ...(cause !== undefined && { cause }) });
}
