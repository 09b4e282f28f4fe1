/** A fixed number of places; whoever finds none free waits in line. */
export class Slots {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs `work` in a place of its own. Rejects without running it when the signal is aborted first. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        this.#line.splice(this.#line.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      this.#line.push(enter);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  #leave(): void {
    const next = this.#line.shift();
    if (next) next();
    else this.#free += 1;
  }
}
