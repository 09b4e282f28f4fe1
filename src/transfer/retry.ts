import pRetry from 'p-retry';
import { failureOf, isTransient, type Failure } from './failure.ts';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;
/** The longest wait for a `Retry-After`. A timer of Node lasts no more than 24 days. */
const LONGEST_ASKED_S = 300;

export type RetryOptions = {
  /** How often to retry. Five retries take half a minute or more: long enough for a server to restart. */
  readonly retries?: number | undefined;
  readonly firstDelayMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((failure: Failure) => void) | undefined;
};

/**
 * Retries failures that may pass, after pauses that double, are randomised, and are as long as `Retry-After` asks for, up to five minutes.
 *
 * @throws the signal's reason when it is aborted; otherwise the error of the last try.
 */
export function withRetries<T>(
  work: (attempt: number) => Promise<T>,
  { retries = 5, firstDelayMs = FIRST_DELAY_MS, signal, onRetry }: RetryOptions = {},
): Promise<T> {
  return pRetry(work, {
    retries,
    minTimeout: firstDelayMs,
    maxTimeout: LONGEST_DELAY_MS,
    randomize: true,
    ...(signal === undefined ? {} : { signal }),
    shouldRetry: ({ error }) => isTransient(error),
    onFailedAttempt: async ({ error, attemptNumber: attempt, retriesLeft }) => {
      signal?.throwIfAborted();
      if (!isTransient(error) || retriesLeft === 0) return;
      const failure = failureOf(error);
      onRetry?.({ ...failure, attempt });
      await pause(Math.min(failure.retryAfterSeconds ?? 0, LONGEST_ASKED_S) * 1_000, signal);
    },
  });
}

/**
 * Retries a change that cannot be made twice. A try whose answer was lost may have made it, so that the next one is refused. A proxy repeats a request silently, so
 * that even the first try may be refused because of itself.
 *
 * @param isMade - looks whether the change is made, after this try was refused with this code.
 */
export async function changeOnce(
  change: () => Promise<unknown>,
  isMade: (code: string, attempt: number) => boolean | Promise<boolean>,
  options?: Pick<RetryOptions, 'onRetry'>,
): Promise<void> {
  await withRetries(async (attempt) => {
    try {
      await change();
    } catch (error) {
      if (!(await isMade(failureOf(error).code, attempt))) throw error;
    }
  }, options);
}

/** Waits. Rejects with the signal's reason when it is aborted before the end. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
