/**
 * Detects that storage stalls.
 *
 * Only time spent waiting for storage counts. A client may read or send slowly, or pause.
 */
export class StallClock {
  readonly #limitMs: number;
  /** It checks the time only when the limit may have been reached, because a timer for each chunk would cost more than the chunk. */
  #timer: NodeJS.Timeout | undefined;
  /** When waiting for storage began, on the clock of `performance`; Infinity while nothing is awaited. */
  #since = Infinity;
  #isStopped = false;
  #onSlow = (): void => undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Sets the function that is called when storage has stalled for too long. */
  whenSlow(onSlow: () => void): void {
    this.#onSlow = onSlow;
  }

  waitForStorage(): void {
    if (this.#isStopped) return;
    this.#since = performance.now();
    this.#timer ??= setTimeout(this.#look, this.#limitMs);
  }

  waitForClient(): void {
    this.#since = Infinity;
  }

  /** Ends the clock for good. */
  stop(): void {
    this.#isStopped = true;
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
