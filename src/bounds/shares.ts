import type { StopSignal } from './stop-signal.ts';
import { SvcError } from '../errors/svc-error.ts';

export type SharesOptions = {
  /** How much there is for all people. */
  readonly all: number;
  /** How much one person may have at a time. */
  readonly each: number;
  /** Milliseconds for which a taker waits; without it until its signal aborts. */
  readonly waitMs?: number;
  /** How many takers of one person may wait; {@link MOST_WAITING} when left out. */
  readonly waiting?: number;
  /** How much of one person may wait that is there already, such as answers in memory. One of any size may. Any amount when left out. */
  readonly waitingThere?: number;
  /** What to tell a person who has too much. Others learn that the service is busy. */
  readonly tooMuch: string;
};

type Waiting = PromiseWithResolvers<undefined> & { readonly amount: number; readonly isThere: boolean };
type Person = { used: number; readonly waiting: Waiting[]; readonly isJob: boolean };
/** `isThere`: what is taken is there already, such as an answer in memory. `signal` is read only when somebody has to wait. */
export type Waiter = { readonly signal?: StopSignal | undefined; readonly isThere?: boolean };

/** Takes bytes of memory. @returns a function that gives them back. @throws {SvcError} `rate_limited`, `overloaded`. */
export type HoldWhile = (bytes: number) => Promise<() => void>;

const MOST_WAITING = 256;
/** How much of everything all jobs together may have. Whoever may begin jobs gives them as many names as they like, and each name counts as a person. */
const SHARE_OF_JOBS = 3 / 4;
const RETRY_AFTER_SECONDS = 5;

/**
 * Shares a limited amount of something among people, so that nobody waits for what one person does not let go.
 *
 * Whoever finds nothing left waits. What becomes free goes to the person who has the least, so a newcomer comes before those who have something.
 */
export class Shares {
  readonly #options: SharesOptions;
  readonly #people = new Map<string, Person>();
  #used = 0;
  #usedByJobs = 0;
  /** How many takers of all people wait. */
  #waiting = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
  }

  /** What all people have now. */
  get used(): number {
    return this.#used;
  }

  /**
   * Takes an amount for a person, who has to give the same amount back, at once or in parts. Nothing can always be had.
   *
   * @param isJob - whether the person is a job.
   * @returns a promise only when they have to wait, because most requests do not.
   * @throws {SvcError} `rate_limited`: the person has too much. `overloaded`: all people together have. The reason of `signal`.
   */
  take(name: string, amount: number, waiter: Waiter = {}, isJob = false): Promise<void> | undefined {
    if (amount === 0) return undefined;
    const { each } = this.#options;
    const wanted = Math.min(amount, each);
    const person = this.#people.get(name) ?? { used: 0, waiting: [], isJob };
    this.#people.set(name, person);
    if (this.#waiting > 0 || person.used + wanted > each || !this.#isLeft(person, wanted))
      return this.#wait(name, person, wanted, waiter);
    this.#add(person, wanted);
    return undefined;
  }

  giveBack(name: string, amount: number): void {
    if (amount === 0) return;
    const person = this.#people.get(name)!;
    const had = Math.min(amount, this.#options.each);
    this.#add(person, -had);
    this.#forget(name, person);
    this.#serve();
  }

  /** Runs work with an amount for a person. */
  async use<T>(name: string, amount: number, waiter: Waiter, work: () => Promise<T>): Promise<T> {
    await this.take(name, amount, waiter);
    try {
      return await work();
    } finally {
      this.giveBack(name, amount);
    }
  }

  async #wait(name: string, person: Person, amount: number, { signal, isThere = false }: Waiter): Promise<void> {
    const wanted = { amount, isThere, ...Promise.withResolvers<undefined>() };
    person.waiting.push(wanted);
    this.#waiting += 1;
    this.#serve();
    if (!person.waiting.includes(wanted)) return;
    const { waitMs, waiting = MOST_WAITING } = this.#options;
    const giveUp = (reason: unknown): void => {
      if (!person.waiting.includes(wanted)) return;
      person.waiting.splice(person.waiting.indexOf(wanted), 1);
      this.#waiting -= 1;
      this.#forget(name, person);
      wanted.reject(reason);
      // A larger amount may have held up others.
      this.#serve();
    };
    const leave = (): void => giveUp(signal?.reason);
    const timer = waitMs === undefined ? undefined : setTimeout(() => giveUp(this.#refusal(person, wanted)), waitMs);
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted === true) leave();
    if (person.waiting.length > waiting || (isThere && this.#isTooMuchThere(person)))
      giveUp(this.#refusal(person, wanted));
    try {
      await wanted.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  #isTooMuchThere({ waiting }: Person): boolean {
    const there = waiting.filter(({ isThere }) => isThere);
    const { waitingThere = Infinity } = this.#options;
    return there.length > 1 && there.reduce((sum, { amount }) => sum + amount, 0) > waitingThere;
  }

  #serve(): void {
    if (this.#waiting === 0) return;
    for (let person = this.#next(); person !== undefined; person = this.#next()) {
      const { amount, resolve } = person.waiting.shift()!;
      this.#waiting -= 1;
      this.#add(person, amount);
      resolve(undefined);
    }
  }

  #add(person: Person, amount: number): void {
    person.used += amount;
    this.#used += amount;
    if (person.isJob) this.#usedByJobs += amount;
  }

  #isLeft({ isJob }: Person, amount: number): boolean {
    return this.#used + amount <= this.#options.all && (!isJob || this.#mayJobsHave(amount));
  }

  #mayJobsHave(amount: number): boolean {
    return this.#usedByJobs + amount <= this.#options.all * SHARE_OF_JOBS;
  }

  /** The person who gets something now. The one who has the least comes first, even when that takes more than is left: others would overtake forever. */
  #next(): Person | undefined {
    let next: Person | undefined;
    for (const person of this.#people.values()) {
      const [first] = person.waiting;
      if (
        first !== undefined &&
        person.used + first.amount <= this.#options.each &&
        (!person.isJob || this.#mayJobsHave(first.amount)) &&
        person.used < (next?.used ?? Infinity)
      )
        next = person;
    }
    return next !== undefined && this.#isLeft(next, next.waiting[0]!.amount) ? next : undefined;
  }

  #refusal({ used, waiting }: Person, { amount }: Waiting): SvcError {
    // Whoever asks for little may wait behind more that they asked for before.
    const first = waiting[0]?.amount ?? amount;
    const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (used + Math.max(first, amount) > this.#options.each)
      return new SvcError('rate_limited', { detail: this.#options.tooMuch, ...retry });
    return new SvcError('overloaded', {
      detail: 'too many people use the service at once; try again in a moment',
      ...retry,
    });
  }

  #forget(name: string, person: Person): void {
    if (person.used === 0 && person.waiting.length === 0 && this.#people.get(name) === person)
      this.#people.delete(name);
  }
}
