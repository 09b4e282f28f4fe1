import { SvcError } from '../errors/svc-error.ts';
import { PROVIDER_LIMITS, type ProviderLimits } from './provider-fetch.ts';

/** A single request that takes too long says so itself, and names the place. */
const GRACE_MS = 250;

/**
 * Gives several requests to the provider together the time that one of them has.
 *
 * @param work - asks `late.throwIfAborted()` before each further step: nobody waits for it any more.
 * @throws {SvcError} `identity_provider_timeout`
 */
export async function withinProviderTime<T>(limits: Partial<ProviderLimits> | undefined, work: (late: AbortSignal) => Promise<T>): Promise<T> {
  const { totalMs } = { ...PROVIDER_LIMITS, ...limits };
  const late = new AbortController();
  return await new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new SvcError('identity_provider_timeout', { detail: `the answers of the identity provider took longer than ${totalMs / 1000} seconds together; try again in a moment`, retryAfterSeconds: 5 });
      late.abort(error);
      reject(error);
    }, totalMs + GRACE_MS);
    void work(late.signal).then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
