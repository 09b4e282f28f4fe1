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

/** How long a request waits for memory, and how many of one person may wait. The beginning of the body of each is in memory. */
const WAIT_MS = 10_000;
const MOST_WAITING = 64;
/** The answers of one person that may wait for memory. They take it already, and 64 folders of long names would be many times what a person may hold. */
const ANSWERS_WAITING_BYTES = 8 * MIB;

export type MemoryWaiter = Waiter & { readonly signal: StopSignal };

/** The memory that requests hold until their clients have the answers. */
export class HeldMemory {
  readonly #all = sharesOf(HELD_BYTES_OF_A_PERSON);
  readonly #ofKeys = sharesOf(HELD_BYTES_OF_KEYS);

  /** What a caller has to take memory from, in this order. */
  sharesFor(caller: Caller): readonly Shares[] {
    return isKey(caller) ? [this.#ofKeys, this.#all] : [this.#all];
  }

  /** Runs work that holds memory. @throws {SvcError} `rate_limited`, `overloaded`. */
  hold<T>(caller: Caller, bytes: number, waiter: MemoryWaiter, work: () => Promise<T>): Promise<T> {
    if (bytes === 0) return work();
    const person = personIdOf(caller);
    const holding = this.sharesFor(caller).reduceRight(
      (within, shares) => () => shares.use(person, bytes, waiter, within, isJob(caller)),
      work,
    );
    return holding();
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
