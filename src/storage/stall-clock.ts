import { SvcError } from '../errors/svc-error.ts';

/** The error when a provider takes longer to answer than its configuration allows. */
export function tooSlow(provider: string): SvcError {
  return new SvcError('storage_timeout', { detail: `storage provider \`${provider}\` did not answer in time; try again later` });
}

/**
 * Notices that storage stalls.
 *
 * Only time spent waiting for storage counts: a client that reads or sends slowly, or pauses, is no reason to give up.
 */
export class StallClock {
  readonly #limitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #onSlow = (): void => undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Called once storage has stalled for too long. */
  whenSlow(onSlow: () => void): void {
    this.#onSlow = onSlow;
  }

  waitForStorage(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#onSlow(), this.#limitMs);
  }

  waitForClient(): void {
    this.stop();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
