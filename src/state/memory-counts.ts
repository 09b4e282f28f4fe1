import { LRUCache } from 'lru-cache';
import { endOfWindow, type Count, type Counts } from './counts.ts';

/** Above this number, the ids that were not counted for the longest are forgotten. */
const MAX_IDS = 10_000;

/** Counts in this process, lost when it stops. */
export class MemoryCounts implements Counts {
  readonly #now: () => number;
  readonly #counts = new LRUCache<string, Count>({ max: MAX_IDS });

  constructor(now: () => number) {
    this.#now = now;
  }

  async add(id: string, windowMs: number): Promise<Count> {
    const resetsAt = endOfWindow(this.#now(), windowMs);
    const last = this.#counts.get(id);
    const count = { count: last?.resetsAt === resetsAt ? last.count + 1 : 1, resetsAt };
    this.#counts.set(id, count);
    return count;
  }
}
