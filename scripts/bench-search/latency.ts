import { setTimeout as wait } from 'node:timers/promises';

/** Asks for something small over and over, as other people would. */
export class Latency {
  #slowest = 0;
  #isOver = false;
  readonly #asking: Promise<void>;

  constructor(url: string, cookie: string) {
    this.#asking = this.#ask(url, cookie);
  }

  async #ask(url: string, cookie: string): Promise<void> {
    while (!this.#isOver) {
      const since = performance.now();
      await (await fetch(url, { headers: { cookie } })).text();
      this.#slowest = Math.max(this.#slowest, performance.now() - since);
      await wait(20);
    }
  }

  /** @returns how long the slowest answer took, in milliseconds. */
  async stop(): Promise<number> {
    this.#isOver = true;
    await this.#asking;
    return this.#slowest;
  }
}
