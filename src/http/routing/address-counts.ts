import type { Store } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';

export const WINDOW_MS = 60_000;
/** Above this number, the addresses that have been silent the longest are forgotten. */
export const MAX_ADDRESSES = 10_000;

type Count = { readonly totalHits: number; readonly resetTime: Date };

/** Counts the requests of each client address, in windows that begin with the first request. The memory of express-rate-limit keeps any number of addresses. */
export class AddressCounts implements Store {
  readonly localKeys = true;
  readonly #counts = new LRUCache<string, Count>({ max: MAX_ADDRESSES });

  get(address: string): Count | undefined {
    const count = this.#counts.get(address);
    return count !== undefined && count.resetTime.getTime() > Date.now() ? count : undefined;
  }

  increment(address: string): Count {
    const { totalHits = 0, resetTime = new Date(Date.now() + WINDOW_MS) } = this.get(address) ?? {};
    const count = { totalHits: totalHits + 1, resetTime };
    this.#counts.set(address, count);
    return count;
  }

  /** A counted request is never subtracted again. */
  decrement(): void {}

  resetKey(): void {}
}
