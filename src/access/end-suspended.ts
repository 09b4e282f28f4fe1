import type { Suspensions } from '../key/suspensions.ts';
import type { Sessions } from '../session/sessions.ts';

const AGAIN_AFTER_MS = 5_000;

type Parts = {
  readonly suspensions: Suspensions;
  readonly sessions: Sessions;
  /** Seconds after which every session has expired. */
  readonly ttlSeconds: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/**
 * Ends the sessions of suspended people, in case the process was killed after it had stored a suspension. When the session store fails, it is asked again later.
 *
 * @throws {SvcError} `state_unavailable`.
 */
export async function endSuspended(parts: Parts): Promise<void> {
  const { suspensions, sessions, ttlSeconds, now } = parts;
  // Older suspensions have outlived the sessions that were there before them.
  const recent = (await suspensions.list()).filter(({ since }) => since > now() - ttlSeconds * 1000);
  if (recent.length === 0) return;
  const people = new Set(recent.map(idOf));
  try {
    for (const { id, identity } of await sessions.list()) if (people.has(idOf(identity))) await sessions.endById(id);
  } catch {
    setTimeout(() => void endSuspended(parts).catch(() => undefined), AGAIN_AFTER_MS).unref();
  }
}

function idOf({ issuer, subject }: { readonly issuer: string; readonly subject: string }): string {
  return JSON.stringify([issuer, subject]);
}
