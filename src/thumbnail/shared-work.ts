import { eitherSignal, type StopSignal } from '../bounds/stop-signal.ts';
import type { Shares } from '../bounds/shares.ts';

type Asker = { readonly person: string; readonly signal: StopSignal };
type Work<T> = {
  readonly begun: AbortController;
  readonly stop: AbortController;
  result?: Promise<T>;
  waiting: number;
};

/**
 * Runs work once for all people who request it at the same time. Each of them waits for a share of their own, and whoever gets one first begins the work. It is
 * stopped when all of them have left.
 */
export class SharedWork<T> {
  readonly #shares: Shares;
  readonly #works = new Map<string, Work<T>>();

  constructor(shares: Shares) {
    this.#shares = shares;
  }

  /** @throws the error of `start`, the reason of `signal` when the caller has left, and `rate_limited` and `overloaded` as {@link Shares.take} does. */
  async join(name: string, asker: Asker, start: (stopped: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = asker;
    signal.throwIfAborted();
    const work = this.#works.get(name) ?? { begun: new AbortController(), stop: new AbortController(), waiting: 0 };
    this.#works.set(name, work);
    work.waiting += 1;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([work.result ?? this.#begin(work, asker, start), left]);
    } finally {
      signal.removeEventListener('abort', leave);
      work.waiting -= 1;
      if (work.waiting === 0) {
        if (this.#works.get(name) === work) this.#works.delete(name);
        if (signal.aborted) work.stop.abort();
      }
    }
  }

  async #begin(work: Work<T>, { person, signal }: Asker, start: (stopped: AbortSignal) => Promise<T>): Promise<T> {
    const waits = this.#shares.take(person, 1, { signal: eitherSignal(signal, work.begun.signal) });
    try {
      // A share that is free is used at once, so that nobody who comes in the same turn of the event loop waits for one.
      if (waits !== undefined) await waits;
    } catch (error) {
      if (work.result === undefined || signal.aborted) throw error;
      return work.result;
    }
    const giveBack = () => this.#shares.giveBack(person, 1);
    if (work.result === undefined && !signal.aborted) {
      work.result = start(work.stop.signal).finally(giveBack);
      work.begun.abort();
    } else giveBack();
    signal.throwIfAborted();
    return work.result!;
  }
}
