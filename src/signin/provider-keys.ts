import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type CryptoKey,
  type JWTPayload,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';
import { SvcError } from '../errors/svc-error.ts';
import type { ProviderFetch } from './provider-fetch.ts';

/** `EdDSA` and `Ed25519` are two names for one algorithm. `none` and shared secrets are never accepted. */
export const ID_TOKEN_ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** Error codes of a token that fits none of the known keys, as after a rotation. */
const MAY_BE_ROTATED: readonly unknown[] = ['ERR_JWS_SIGNATURE_VERIFICATION_FAILED', 'ERR_JWKS_NO_MATCHING_KEY'];

/** What a token has to fit. A token without a type, or with the type `JWT`, is taken, because most providers send no other. */
export type TokenChecks = JWTVerifyOptions & {
  /** The one further `typ` that is taken. A token for another use, such as an access token, does not count. */
  readonly ownType?: string;
};

/**
 * Whose token causes the keys to be fetched again. Anybody can send a logout token, so strangers have a separate limit and cannot use up what sign-ins need
 * after a rotation.
 */
export type AskedBy = 'provider' | 'stranger';

/**
 * How often the keys are fetched again. Strangers may not use up a whole minute, because a logout token with a new key, which most providers send once, would
 * be refused for as long.
 */
const REFETCHES: Readonly<Record<AskedBy, { readonly most: number; readonly withinMs: number }>> = {
  provider: { most: 10, withinMs: 60_000 },
  stranger: { most: 1, withinMs: 5_000 },
};

/**
 * The provider's signing keys. They are fetched when first needed, and again when a token does not fit them, because a key may have been rotated. {@link
 * REFETCHES} limits this, so that bad tokens cannot flood the provider.
 */
export class ProviderKeys {
  /** Where they are fetched. */
  readonly uri: string;
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;
  readonly #now: () => number;
  #refetch: Promise<void> | undefined;
  readonly #refetches: Record<AskedBy, number[]> = { provider: [], stranger: [] };
  #generation = 0;

  constructor(options: {
    readonly uri: URL;
    readonly fetch: ProviderFetch['fetch'];
    readonly totalMs: number;
    readonly now: () => number;
  }) {
    this.uri = options.uri.href;
    this.#now = options.now;
    this.#keys = createRemoteJWKSet(options.uri, {
      [customFetch]: options.fetch,
      // Our fetch sets the deadline; jose's own limit must not apply first.
      timeoutDuration: options.totalMs * 2,
      // This class decides when to fetch again, not jose.
      cooldownDuration: Infinity,
    });
  }

  /** @throws any error of jose or of the fetch. */
  async verify(token: string, options: TokenChecks, askedBy: AskedBy = 'provider'): Promise<JWTPayload> {
    // Otherwise jose would fetch the keys for each token as long as that fails.
    if (askedBy === 'stranger' && !this.#keys.fresh && !(await this.#refetchOnce(askedBy)))
      throw new SvcError('identity_provider_unavailable', {
        detail: 'the keys of the provider could not be fetched; try again in a moment',
      });
    const generation = this.#generation;
    try {
      return await this.#verifyOnce(token, options);
    } catch (error) {
      if (!MAY_BE_ROTATED.includes(codeIn(error))) throw error;
      if (generation === this.#generation && !(await this.#refetchOnce(askedBy))) throw error;
      return await this.#verifyOnce(token, options);
    }
  }

  async #verifyOnce(token: string, { ownType, ...options }: TokenChecks): Promise<JWTPayload> {
    const checks = { ...options, algorithms: [...ID_TOKEN_ALGORITHMS] };
    const { payload, protectedHeader } = await this.#verifySignature(token, checks);
    if (!isForThisUse(protectedHeader.typ, ownType))
      throw new errors.JWTClaimValidationFailed('the token is for another use', payload, 'typ', 'check_failed');
    return payload;
  }

  async #verifySignature(token: string, checks: JWTVerifyOptions): Promise<JWTVerifyResult> {
    try {
      return await jwtVerify(token, this.#keys, checks);
    } catch (error) {
      if (codeIn(error) !== 'ERR_JWKS_MULTIPLE_MATCHING_KEYS') throw error;
      return await verifyWithAny(token, error as AsyncIterable<CryptoKey>, checks);
    }
  }

  /** Fetches the keys again. Several callers share one fetch. Returns false when there were too many just now. */
  async #refetchOnce(askedBy: AskedBy): Promise<boolean> {
    if (this.#refetch === undefined) {
      const { most, withinMs } = REFETCHES[askedBy];
      const since = this.#now() - withinMs;
      const refetches = this.#refetches[askedBy].filter((at) => at > since);
      this.#refetches[askedBy] = refetches;
      if (refetches.length >= most) return false;
      refetches.push(this.#now());
      this.#refetch = this.#keys.reload().then(() => {
        this.#generation += 1;
      });
      this.#refetch.finally(() => (this.#refetch = undefined)).catch(() => undefined);
    }
    await this.#refetch;
    return true;
  }
}

/** @see RFC 7515 section 4.1.9: a type is a media type, whose `application/` may be left out. */
function isForThisUse(type: unknown, ownType: string | undefined): boolean {
  if (typeof type !== 'string') return type === undefined;
  return ['jwt', ownType].includes(type.toLowerCase().replace(/^application\//, ''));
}

/** Verifies a token without `kid` from a provider with several keys of its kind. */
async function verifyWithAny(
  token: string,
  keys: AsyncIterable<CryptoKey>,
  checks: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  let last: unknown;
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, checks);
    } catch (error) {
      if (codeIn(error) !== 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') throw error;
      last = error;
    }
  }
  throw last;
}

function codeIn(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
