import { failureOf, type Failure } from './failure.ts';

const TRANSIENT = new Set([
  'network',
  'rate_limited',
  'internal',
  'storage_unavailable',
  'storage_timeout',
  'session_store_unavailable',
  'state_unavailable',
]);
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

export type RetryOptions = {
  /** How often to try in all. */
  readonly attempts: number;
  readonly signal: AbortSignal;
  readonly onRetry?: (failure: Failure, delayMs: number) => void;
  /** Waits; rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Whether the same request may succeed later without anybody doing something: also where a proxy answered that it reached nobody. */
export function isTransient({ code, status = 0 }: Failure): boolean {
  return TRANSIENT.has(code) || (code === 'unexpected_answer' && status >= 500);
}

/** Doubles from one second to thirty, never less than the server asked for, and spread by up to a quarter. */
export function retryDelayMs(attempt: number, retryAfterSeconds = 0, random: () => number = Math.random): number {
  const usual = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
  return Math.max(usual, retryAfterSeconds * 1_000) * (1 + random() / 4);
}

/** Runs a request until it succeeds, fails for good, or has been tried `attempts` times. */
export async function retrying<T>(request: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (thrown) {
      options.signal.throwIfAborted();
      const failure = failureOf(thrown);
      if (!isTransient(failure) || attempt >= options.attempts) throw thrown;
      const delayMs = retryDelayMs(attempt, failure.retryAfterSeconds);
      options.onRetry?.(failure, delayMs);
      await options.wait(delayMs, options.signal);
    }
  }
}

/** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted before. */
export function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
