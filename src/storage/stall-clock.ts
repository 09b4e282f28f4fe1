/**
 * Notices that storage stalls.
 *
 * Only time spent waiting for storage counts: a client that reads or sends slowly, or pauses, is no reason to give up.
 */
export class StallClock {
  readonly #limitMs: number;
  /** It looks at the time only when the limit may have been reached, because a timer for each chunk would cost more than the chunk. */
  #timer: NodeJS.Timeout | undefined;
  /** Since when storage is waited for, on the clock of `performance`; Infinity while it is not. */
  #since = Infinity;
  #onSlow = (): void => undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Called once storage has stalled for too long. */
  whenSlow(onSlow: () => void): void {
    this.#onSlow = onSlow;
  }

  waitForStorage(): void {
    this.#since = performance.now();
    this.#timer ??= setTimeout(this.#look, this.#limitMs);
  }

  waitForClient(): void {
    this.#since = Infinity;
  }

  stop(): void {
    this.#since = Infinity;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #look = (): void => {
    const left = this.#since + this.#limitMs - performance.now();
    this.#timer = left > 0 && left < Infinity ? setTimeout(this.#look, left) : undefined;
    if (left <= 0) this.#onSlow();
  };
}
