import type { RequestHandler } from 'express';
import { rateLimit, type AugmentedRequest, type Store } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import { SvcError } from '../../errors/svc-error.ts';
import { AddressCounts, MAX_ADDRESSES, WINDOW_MS } from './address-counts.ts';

/** Counts over all instances. `resetsAt` is in milliseconds since the epoch. */
export type SharedCounts = {
  add(id: string, windowMs: number): Promise<{ readonly count: number; readonly resetsAt: number }>;
};

/** The error for an address that is over a limit. */
export function tooMany(what: string, resetTime: Date | undefined): SvcError {
  const leftMs = resetTime === undefined ? WINDOW_MS : resetTime.getTime() - Date.now();
  return new SvcError('rate_limited', {
    detail: `too many ${what} from this address`,
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  });
}

/**
 * @param perMinute - how many sign-in requests a client address may send per minute; 0 turns the limit off.
 * @param shared - undefined when each instance counts on its own.
 */
export function signInLimit(perMinute: number, shared: SharedCounts | undefined): RequestHandler | undefined {
  if (perMinute === 0) return undefined;
  return rateLimit({
    windowMs: WINDOW_MS,
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    handler: (req, _res, next) => next(tooMany('sign-in requests', (req as AugmentedRequest).rateLimit?.resetTime)),
    limit: perMinute,
    store: shared === undefined ? new AddressCounts() : sharedStore(shared, perMinute),
  });
}

/** Refuses an address that is over the limit from memory, so that a flood does not load the store. */
function sharedStore(counts: SharedCounts, limit: number): Store {
  const refused = new LRUCache<string, number>({ max: MAX_ADDRESSES });
  return {
    localKeys: false,
    increment: async (address) => {
      const until = refused.get(address) ?? 0;
      if (until > Date.now()) return { totalHits: limit + 1, resetTime: new Date(until) };
      // If the counts are unavailable, nobody is refused here. The sign-in needs the same store and reports the failure.
      const { count, resetsAt } = await counts
        .add(`sign-in ${address}`, WINDOW_MS)
        .catch(() => ({ count: 0, resetsAt: 0 }));
      if (count > limit) refused.set(address, resetsAt);
      return { totalHits: count, resetTime: new Date(resetsAt) };
    },
    // A counted sign-in request is never subtracted again.
    decrement: () => undefined,
    resetKey: () => undefined,
  };
}
