import type { Counts } from '../state/counts.ts';
import type { ExpiringEntries } from '../state/expiring-entries.ts';
import { MemoryCounts } from '../state/memory-counts.ts';
import { MemoryEntries } from '../state/memory-entries.ts';
import type { NoticeKind } from '../state/notices.ts';
import { MemoryRecentTexts, type RecentTexts } from '../state/recent-texts.ts';
import { LocalTurns, type Turn } from '../storage/turns.ts';

/** What the hub tells a worker. */
export type FromHub = {
  /** The turn that the worker asked for has come. */
  readonly turnCame: (turn: number) => void;
  /** Another worker told this. It has noticed it when this returns or resolves. */
  readonly noticed: (kind: NoticeKind, names: readonly string[]) => Promise<void> | void;
};

export type HubCalls = ReturnType<Hub['join']>['calls'];

/** Holds in one process what all workers of a service share, and has its own place in no request: short-lived entries, counts, and the turns of writes. */
export class Hub {
  readonly #now: () => number;
  readonly #entries = new Map<string, MemoryEntries>();
  readonly #recent = new MemoryRecentTexts();
  readonly #counts: MemoryCounts;
  readonly #turns = new LocalTurns();
  readonly #workers = new Set<FromHub>();

  /** @param now - milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
    this.#counts = new MemoryCounts(now);
  }

  /**
   * Adds a worker.
   *
   * @returns what it may call, and a function for its end, which gives back its turns.
   */
  join(worker: FromHub) {
    const turns = new Map<number, Turn>();
    this.#workers.add(worker);
    const of = (kind: string) => this.#entriesOf(kind);
    const calls = {
      put: (kind: string, ...given: Parameters<ExpiringEntries['put']>) => of(kind).put(...given),
      get: (kind: string, id: string) => of(kind).get(id),
      take: (kind: string, id: string) => of(kind).take(id),
      consume: (kind: string, ...given: Parameters<ExpiringEntries['consume']>) => of(kind).consume(...given),
      remove: (kind: string, id: string) => of(kind).remove(id),
      raise: (kind: string, ...given: Parameters<ExpiringEntries['raise']>) => of(kind).raise(...given),
      largest: (kind: string, id: string) => of(kind).largest(id),
      addText: (...given: Parameters<RecentTexts['add']>) => this.#recent.add(...given),
      readTexts: (list: string) => this.#recent.read(list),
      count: (...given: Parameters<Counts['add']>) => this.#counts.add(...given),
      queue: (id: number, name: string): void => {
        // A message may arrive after the news that its process has ended.
        if (!this.#workers.has(worker)) return;
        const turn = this.#turns.queue(name);
        turns.set(id, turn);
        if (turn.ready === undefined) worker.turnCame(id);
        else void turn.ready.then(() => worker.turnCame(id));
      },
      endTurn: (id: number): void => {
        turns.get(id)?.end();
        turns.delete(id);
      },
      /** Resolves when every other worker has noticed it or has ended. */
      notice: async (kind: NoticeKind, names: readonly string[]): Promise<void> => {
        const others = [...this.#workers].filter((other) => other !== worker);
        await Promise.all(others.map((other) => this.#tell(other, kind, names)));
      },
    };
    const leave = (): void => {
      this.#workers.delete(worker);
      for (const { end } of turns.values()) end();
      turns.clear();
    };
    return { calls, leave };
  }

  async #tell(worker: FromHub, ...notice: Parameters<FromHub['noticed']>): Promise<void> {
    try {
      await worker.noticed(...notice);
    } catch (error) {
      if (this.#workers.has(worker)) throw error;
    }
  }

  #entriesOf(kind: string): MemoryEntries {
    const entries = this.#entries.get(kind) ?? new MemoryEntries({ now: this.#now });
    this.#entries.set(kind, entries);
    return entries;
  }
}
