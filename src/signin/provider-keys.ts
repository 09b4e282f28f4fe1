import { createRemoteJWKSet, customFetch, jwtVerify, type CryptoKey, type JWTPayload, type JWTVerifyOptions } from 'jose';
import { SvcError } from '../errors/svc-error.ts';
import type { ProviderFetch } from './provider-fetch.ts';

/** `EdDSA` and `Ed25519` are two names for one algorithm. Never `none`, never a shared secret. */
export const ID_TOKEN_ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** Codes of a token that fits none of the known keys, as after a rotation. */
const MAY_BE_ROTATED: readonly unknown[] = ['ERR_JWS_SIGNATURE_VERIFICATION_FAILED', 'ERR_JWKS_NO_MATCHING_KEY'];

/** Whose token asks for them again. Anybody can send a logout token, so a stranger's tokens must not use up what sign-ins need after a rotation. */
export type AskedBy = 'provider' | 'stranger';

const REFETCHES_PER_MINUTE: Readonly<Record<AskedBy, number>> = { provider: 10, stranger: 3 };
const MINUTE_MS = 60_000;

/**
 * The provider's signing keys: fetched when first needed, and again when a token does not fit them, because a key may have been
 * rotated. They are fetched at most so often in a minute as {@link REFETCHES_PER_MINUTE} says, so that bad tokens cannot flood the provider.
 */
export class ProviderKeys {
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;
  readonly #now: () => number;
  #refetch: Promise<void> | undefined;
  readonly #refetches: Record<AskedBy, number[]> = { provider: [], stranger: [] };
  #generation = 0;

  constructor(options: { readonly uri: URL; readonly fetch: ProviderFetch['fetch']; readonly totalMs: number; readonly now: () => number }) {
    this.#now = options.now;
    this.#keys = createRemoteJWKSet(options.uri, {
      [customFetch]: options.fetch,
      // Our fetch has the deadline, and jose's own limit must not come first.
      timeoutDuration: options.totalMs * 2,
      // This class decides when to fetch again, not jose.
      cooldownDuration: Infinity,
    });
  }

  /** @throws whatever jose throws, or what the fetch threw. */
  async verify(token: string, options: JWTVerifyOptions, askedBy: AskedBy = 'provider'): Promise<JWTPayload> {
    // Else jose would fetch at each token as long as that fails.
    if (askedBy === 'stranger' && !this.#keys.fresh && !(await this.#refetchOnce(askedBy))) throw new SvcError('identity_provider_unavailable', { detail: 'its keys could not be fetched, and are not asked for again in this minute' });
    const generation = this.#generation;
    try {
      return await this.#verifyOnce(token, options);
    } catch (error) {
      if (!MAY_BE_ROTATED.includes(codeIn(error))) throw error;
      if (generation === this.#generation && !(await this.#refetchOnce(askedBy))) throw error;
      return await this.#verifyOnce(token, options);
    }
  }

  async #verifyOnce(token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    const checks = { ...options, algorithms: [...ID_TOKEN_ALGORITHMS] };
    try {
      return (await jwtVerify(token, this.#keys, checks)).payload;
    } catch (error) {
      if (codeIn(error) !== 'ERR_JWKS_MULTIPLE_MATCHING_KEYS') throw error;
      return await verifyWithAny(token, error as AsyncIterable<CryptoKey>, checks);
    }
  }

  /** Several callers share one fetch. False when there were too many in the last minute. */
  async #refetchOnce(askedBy: AskedBy): Promise<boolean> {
    if (this.#refetch === undefined) {
      const since = this.#now() - MINUTE_MS;
      const refetches = this.#refetches[askedBy].filter((at) => at > since);
      this.#refetches[askedBy] = refetches;
      if (refetches.length >= REFETCHES_PER_MINUTE[askedBy]) return false;
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

/** A token without `kid`, from a provider with several keys of its kind. */
async function verifyWithAny(token: string, keys: AsyncIterable<CryptoKey>, checks: JWTVerifyOptions): Promise<JWTPayload> {
  let last: unknown;
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, checks)).payload;
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
