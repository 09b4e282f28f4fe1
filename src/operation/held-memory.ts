import { isJob, isKey, personIdOf, type Caller } from '../access/caller.ts';
import { Shares, type Waiter } from '../bounds/shares.ts';
import type { StopSignal } from '../bounds/stop-signal.ts';

const MIB = 2 ** 20;
/** The memory of this process that requests may hold. */
export const HELD_BYTES = 256 * MIB;
/** As much as 128 downloads hold, or four uploads of unknown length. */
export const HELD_BYTES_OF_A_PERSON = 64 * MIB;
/** What all keys of a person may hold together. The rest is for their sessions, so that whoever has stolen a key cannot keep its person from revoking it. */
export const HELD_BYTES_OF_KEYS = 48 * MIB;

/** Less takes no more than its connection does, and can always be had. */
export const SMALL_BYTES = 16_384;

/** How long a request waits for memory, and how many of one person may wait. The beginning of the body of each is in memory. */
const WAIT_MS = 10_000;
const MOST_WAITING = 64;
/** The answers of one person that may wait for memory. They take it already, and 64 folders of long names would be many times what a person may hold. */
const ANSWERS_WAITING_BYTES = 8 * MIB;

/**
 * Answers that are built at a time from what the service itself keeps, and their bytes. A person may have hundreds of keys, each with a long scope. Others wait as
 * long as their clients do: each answer is built in a bounded time, also when the database is slow.
 */
const ANSWERS_OF_A_PERSON = 4;
const ANSWERS_OF_ALL = 16;

export type MemoryWaiter = Waiter & { readonly signal: StopSignal };
export type HoldingWork<T> = (keep: (bytes: number) => void) => Promise<T>;

/** The memory that requests hold until their clients have the answers. */
export class HeldMemory {
  readonly #all = sharesOf(HELD_BYTES_OF_A_PERSON);
  readonly #ofKeys = sharesOf(HELD_BYTES_OF_KEYS);
  /** Answers whose size is known only when they are built. */
  readonly answers = new Shares({
    all: ANSWERS_OF_ALL,
    each: ANSWERS_OF_A_PERSON,
    tooMuch: 'too many of your other requests wait for their answers; wait until some of them end',
  });

  /** What a caller has to take memory from, in this order. */
  sharesFor(caller: Caller): readonly Shares[] {
    return isKey(caller) ? [this.#ofKeys, this.#all] : [this.#all];
  }

  /**
   * Runs work that holds memory. What is small waits for none, so that an administrator can act while a few people hold all.
   *
   * @param work - gets what gives back all but some bytes, when it holds fewer than it could have.
   * @throws {SvcError} `rate_limited`, `overloaded`.
   */
  hold<T>(caller: Caller, bytes: number, waiter: MemoryWaiter, work: HoldingWork<T>): Promise<T> {
    return bytes <= SMALL_BYTES ? work(() => undefined) : this.#holding(caller, bytes, waiter, work);
  }

  async #holding<T>(caller: Caller, bytes: number, waiter: MemoryWaiter, work: HoldingWork<T>): Promise<T> {
    const takings = new Takings(caller, waiter);
    try {
      const taken = await takings.takeAll(this.sharesFor(caller), bytes);
      return await work((kept) => takings.keep(taken, kept));
    } finally {
      takings.giveAllBack();
    }
  }
}

/** An amount that was taken, less what was given back. */
export type Taken = { readonly shares: Shares; amount: number };

/** What a caller has taken and not given back. */
export class Takings {
  readonly #person: string;
  readonly #isJob: boolean;
  readonly #usual: Waiter;
  readonly #taken: Taken[] = [];

  constructor(caller: Caller, usual: Waiter) {
    this.#person = personIdOf(caller);
    this.#isJob = isJob(caller);
    this.#usual = usual;
  }

  /** Takes an amount. @returns a promise only when the person has to wait, because most requests do not. */
  take(shares: Shares, amount: number, waiter = this.#usual): Taken | Promise<Taken> {
    const taken = { shares, amount };
    const note = (): Taken => {
      this.#taken.push(taken);
      return taken;
    };
    return shares.take(this.#person, amount, waiter, this.#isJob)?.then(note) ?? note();
  }

  async takeAll(all: readonly Shares[], amount: number, waiter?: Waiter): Promise<readonly Taken[]> {
    const taken: Taken[] = [];
    for (const shares of all) taken.push(await this.take(shares, amount, waiter));
    return taken;
  }

  /** Gives back what is more than an amount. */
  keep(some: readonly Taken[], amount: number): void {
    for (const taken of some) {
      const more = taken.amount - amount;
      if (more <= 0) continue;
      taken.amount = amount;
      taken.shares.giveBack(this.#person, more);
    }
  }

  giveAllBack(): void {
    this.keep(this.#taken, 0);
  }
}

function sharesOf(each: number): Shares {
  return new Shares({
    all: HELD_BYTES,
    each,
    waitMs: WAIT_MS,
    waiting: MOST_WAITING,
    waitingThere: ANSWERS_WAITING_BYTES,
    tooMuch: 'your other requests hold all the memory that one person may hold; wait until some of them end',
  });
}
