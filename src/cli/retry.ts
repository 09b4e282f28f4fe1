import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '../errors/catalogue.ts';
import { codeOf } from '../errors/svc-error.ts';

const PAUSES_MS = [500, 2000] as const;

/** Tries up to three times, when what went wrong may pass: a broken connection, a server or storage in trouble. */
export async function retrying<T>(work: (attempt: number) => Promise<T>): Promise<T> {
  for (const [attempt, pause] of PAUSES_MS.entries()) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!mayPass(error)) throw error;
      await sleep(pause);
    }
  }
  return work(PAUSES_MS.length);
}

/** What a transfer ends with when it broke off in the middle. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_ABORTED', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'unreachable', 'incomplete']);

function mayPass(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return catalogue[code].status >= 500;
  return typeof error === 'object' && error !== null && 'code' in error && BROKEN.has(String(error.code));
}
