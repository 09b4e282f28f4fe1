import type { RequestHandler } from 'express';
import { ipKeyGenerator, MemoryStore, rateLimit, type AugmentedRequest, type Options, type Store } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import { SvcError } from '../errors/svc-error.ts';

/** Counts over all instances. `resetsAt` is in milliseconds since the epoch. */
export type SharedCounts = { add(id: string, windowMs: number): Promise<{ readonly count: number; readonly resetsAt: number }> };

const WINDOW_MS = 60_000;
const REFUSED_ADDRESSES = 10_000;

const COMMON: Partial<Options> = {
  windowMs: WINDOW_MS,
  standardHeaders: false,
  legacyHeaders: false,
  validate: false,
  handler: (req, _res, next) => next(tooMany((req as AugmentedRequest).rateLimit?.resetTime)),
};

function tooMany(resetTime: Date | undefined): SvcError {
  const leftMs = resetTime === undefined ? WINDOW_MS : resetTime.getTime() - Date.now();
  return new SvcError('rate_limited', { detail: 'too many sign-in requests from this address', retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) });
}

/** @param perMinute - how many sign-in requests a client address may send in a minute; 0 turns the limit off. @param shared - undefined where each instance counts for itself. */
export function signInLimit(perMinute: number, shared: SharedCounts | undefined): RequestHandler | undefined {
  if (perMinute === 0) return undefined;
  return rateLimit({
    ...COMMON,
    limit: perMinute,
    ...(shared !== undefined && { store: sharedStore(shared, perMinute) }),
  });
}

/**
 * Counts only requests that have failed, so that a provider may send as many as it likes, at once too. Each instance counts for itself.
 *
 * @param perMinute - as for {@link signInLimit}.
 */
export function faultLimit(perMinute: number): RequestHandler | undefined {
  if (perMinute === 0) return undefined;
  const faults = new MemoryStore();
  faults.init(COMMON as Options);
  return async (req, res, next) => {
    const address = ipKeyGenerator(req.ip ?? '');
    const { totalHits = 0, resetTime } = (await faults.get(address)) ?? {};
    if (totalHits >= perMinute) {
      next(tooMany(resetTime));
      return;
    }
    res.once('close', () => {
      if (!res.writableFinished || isFault(res.statusCode)) void faults.increment(address);
    });
    next();
  };
}

/** What this service itself cannot do is no fault of who asks. What the identity provider cannot do may be: anybody's token has it asked. */
function isFault(status: number): boolean {
  return status >= 400 && ![429, 500, 503].includes(status);
}

/** An address that is over the limit is refused from memory, so that a flood costs the store nothing. */
function sharedStore(counts: SharedCounts, limit: number): Store {
  const refused = new LRUCache<string, number>({ max: REFUSED_ADDRESSES });
  return {
    localKeys: false,
    increment: async (address) => {
      const until = refused.get(address) ?? 0;
      if (until > Date.now()) return { totalHits: limit + 1, resetTime: new Date(until) };
      // Counts that cannot be reached refuse nobody here. The sign-in needs the same store, and says so.
      const { count, resetsAt } = await counts.add(`sign-in ${address}`, WINDOW_MS).catch(() => ({ count: 0, resetsAt: 0 }));
      if (count > limit) refused.set(address, resetsAt);
      return { totalHits: count, resetTime: new Date(resetsAt) };
    },
    // Sign-in requests are never taken back.
    decrement: () => undefined,
    resetKey: () => undefined,
  };
}
