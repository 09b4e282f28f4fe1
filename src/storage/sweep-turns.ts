import pLimit, { type LimitFunction } from 'p-limit';
import { SvcError } from '../errors/svc-error.ts';

/** A provider has 64 connections for questions. Sweeps leave some of them to listings and other requests. */
const CALLS_IN_ALL = 48;
const CALLS_OF_A_PERSON = 16;
/** Each sweep holds about a mebibyte when its reader is slow. */
const SWEEPS_OF_A_PERSON = 16;

type Person = { sweeps: number; readonly calls: LimitFunction };

/** A running sweep: `call` makes one storage call when its turn comes, `leave` ends the sweep and is called once. */
export type SweepTurn = { readonly call: <T>(work: () => Promise<T>) => Promise<T>; readonly leave: () => void };

/** Shares the connections to a provider among the people whose sweeps use them, so that nobody has to wait for another person's sweeps to end. */
export class SweepTurns {
  readonly #calls = pLimit(CALLS_IN_ALL);
  readonly #people = new Map<string, Person>();

  /**
   * Begins a sweep.
   *
   * @throws {SvcError} `rate_limited`: the person has too many at once.
   */
  enter(name: string): SweepTurn {
    const person = this.#people.get(name) ?? { sweeps: 0, calls: pLimit(CALLS_OF_A_PERSON) };
    if (person.sweeps >= SWEEPS_OF_A_PERSON) {
      throw new SvcError('rate_limited', { detail: `you have ${SWEEPS_OF_A_PERSON} searches and counts under way; wait until one of them ends`, retryAfterSeconds: 5 });
    }
    person.sweeps += 1;
    this.#people.set(name, person);
    return {
      call: (work) => person.calls(() => this.#calls(work)),
      leave: () => {
        person.sweeps -= 1;
        if (person.sweeps === 0) this.#people.delete(name);
      },
    };
  }
}
