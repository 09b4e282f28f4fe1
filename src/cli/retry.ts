import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '../errors/catalogue.ts';
import { codeOf } from '../errors/svc-error.ts';

const PAUSES_MS = [500, 2000] as const;

export type RetryOptions = {
  /** Between one try and the next, so that there is one more try than pauses. */
  readonly pausesMs?: readonly number[];
  readonly signal?: AbortSignal;
};

/** Tries again, by default twice, when what went wrong may pass: a broken connection, a server or storage in trouble. */
export async function retrying<T>(work: (attempt: number) => Promise<T>, { pausesMs = PAUSES_MS, signal }: RetryOptions = {}): Promise<T> {
  for (const [attempt, pause] of pausesMs.entries()) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!mayPass(error)) throw error;
      await sleep(pause, undefined, signal === undefined ? {} : { signal });
    }
  }
  return work(pausesMs.length);
}

/** What a transfer ends with when it broke off in the middle. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_ABORTED', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'unreachable', 'incomplete']);

/** Whether the same may succeed later, without anybody doing something. */
export function mayPass(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return code === 'rate_limited' || catalogue[code].status >= 500;
  return typeof error === 'object' && error !== null && 'code' in error && BROKEN.has(String(error.code));
}
