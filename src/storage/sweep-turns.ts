import { SvcError } from '../errors/svc-error.ts';

/** A provider has 64 connections for questions. Sweeps leave some of them to listings and to everything else. */
const CALLS_IN_ALL = 48;
const CALLS_OF_A_PERSON = 16;
/** Each holds about a mebibyte when its reader is slow. */
const SWEEPS_OF_A_PERSON = 16;

type Waiting = { readonly person: string; readonly go: () => void };

/** Shares the connections to a provider among the people whose sweeps want them, so that nobody has to wait for another person's sweeps to end. */
export class SweepTurns {
  readonly #sweeps = new Map<string, number>();
  readonly #calls = new Map<string, number>();
  #callsInAll = 0;
  readonly #waiting = new Set<Waiting>();

  /** Begins a sweep. @returns a function that ends it. @throws {SvcError} `rate_limited`: the person has too many at once. */
  enter(person: string): () => void {
    if ((this.#sweeps.get(person) ?? 0) >= SWEEPS_OF_A_PERSON) {
      throw new SvcError('rate_limited', { detail: `you have ${SWEEPS_OF_A_PERSON} searches and counts under way; wait until one of them ends`, retryAfterSeconds: 5 });
    }
    add(this.#sweeps, person, 1);
    return () => add(this.#sweeps, person, -1);
  }

  /** Makes one call of a sweep when it is its turn. */
  async call<T>(person: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(person)) this.#begin(person);
    else await this.#wait(person, signal);
    try {
      return await work();
    } finally {
      this.#end(person);
    }
  }

  /** Waits for the turn, which has begun when this returns. */
  #wait(person: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting);
        reject(signal.reason as Error);
      };
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { person, go };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #end(person: string): void {
    this.#callsInAll -= 1;
    add(this.#calls, person, -1);
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting.person)) continue;
      this.#waiting.delete(waiting);
      this.#begin(waiting.person);
      waiting.go();
      return;
    }
  }

  #begin(person: string): void {
    this.#callsInAll += 1;
    add(this.#calls, person, 1);
  }

  #hasRoom(person: string): boolean {
    return this.#callsInAll < CALLS_IN_ALL && (this.#calls.get(person) ?? 0) < CALLS_OF_A_PERSON;
  }
}

function add(counts: Map<string, number>, person: string, change: number): void {
  const count = (counts.get(person) ?? 0) + change;
  if (count === 0) counts.delete(person);
  else counts.set(person, count);
}
