import { SvcError } from '../errors/svc-error.ts';
import { PROVIDER_LIMITS, type ProviderLimits } from './provider-fetch.ts';

/** Added to the deadline, so that a single slow request fails first, with an error that names its address. */
const GRACE_MS = 250;

/**
 * Limits the total time of several requests to the provider to the time that a single request may take.
 *
 * @param work - calls `late.throwIfAborted()` before each further step, because nobody waits for it after the deadline.
 * @throws {SvcError} `identity_provider_timeout`
 */
export async function withinProviderTime<T>(
  limits: Partial<ProviderLimits> | undefined,
  work: (late: AbortSignal) => Promise<T>,
): Promise<T> {
  const { totalMs } = { ...PROVIDER_LIMITS, ...limits };
  const late = new AbortController();
  return await new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new SvcError('identity_provider_timeout', {
        detail: `the answers of the identity provider took longer than ${totalMs / 1000} seconds together; try again in a moment`,
        retryAfterSeconds: 5,
      });
      late.abort(error);
      reject(error);
    }, totalMs + GRACE_MS);
    void work(late.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
