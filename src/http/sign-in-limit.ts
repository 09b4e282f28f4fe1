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

/**
 * @param perMinute - how many sign-in requests a client address may send per minute; 0 turns the limit off.
 * @param shared - undefined when each instance counts on its own.
 */
export function signInLimit(perMinute: number, shared: SharedCounts | undefined): RequestHandler | undefined {
  if (perMinute === 0) return undefined;
  return rateLimit({
    ...COMMON,
    limit: perMinute,
    ...(shared !== undefined && { store: sharedStore(shared, perMinute) }),
  });
}

/**
 * Counts only failed requests, so that a provider may send as many as it likes, even at once. Each instance counts on its own.
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

/**
 * Whether a failed request counts against its sender. Failures of this service do not. Failures of the identity provider do, because anybody's token can cause
 * a request to it.
 */
function isFault(status: number): boolean {
  return status >= 400 && ![429, 500, 503].includes(status);
}

/** Refuses an address that is over the limit from memory, so that a flood does not load the store. */
function sharedStore(counts: SharedCounts, limit: number): Store {
  const refused = new LRUCache<string, number>({ max: REFUSED_ADDRESSES });
  return {
    localKeys: false,
    increment: async (address) => {
      const until = refused.get(address) ?? 0;
      if (until > Date.now()) return { totalHits: limit + 1, resetTime: new Date(until) };
      // If the counts are unavailable, nobody is refused here. The sign-in needs the same store and reports the failure.
      const { count, resetsAt } = await counts.add(`sign-in ${address}`, WINDOW_MS).catch(() => ({ count: 0, resetsAt: 0 }));
      if (count > limit) refused.set(address, resetsAt);
      return { totalHits: count, resetTime: new Date(resetsAt) };
    },
    // A counted sign-in request is never subtracted again.
    decrement: () => undefined,
    resetKey: () => undefined,
  };
}
