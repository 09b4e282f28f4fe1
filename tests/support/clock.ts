/** A clock that stands still until it is told to go on. */
export class Clock {
  #now: number;

  /** Begins at the present, so that what a real server counts down by its own clock has not expired. */
  constructor(now = Date.now()) {
    this.#now = now;
  }

  /** Milliseconds since the epoch. Bound, to be passed on. */
  readonly now = (): number => this.#now;

  advance(ms: number): void {
    this.#now += ms;
  }
}
