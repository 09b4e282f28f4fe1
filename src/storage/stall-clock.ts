import { SvcError } from '../errors/svc-error.ts';

/** The error when a provider takes longer to answer than its configuration allows. */
export function tooSlow(provider: string): SvcError {
  return new SvcError('storage_timeout', { detail: `storage provider \`${provider}\` did not answer in time; try again later` });
}

/**
 * Ends a transfer when storage stalls.
 *
 * Only time spent waiting for storage counts: a client that reads or sends slowly, or pauses, is no reason to give up.
 */
export class StallClock {
  /** Aborts when storage has stalled for too long, and when the client goes away. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #limitMs: number;
  readonly #provider: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(provider: { readonly name: string; readonly idleTimeoutMs: number }, client: AbortSignal | undefined) {
    this.#limitMs = provider.idleTimeoutMs;
    this.#provider = provider.name;
    this.signal = client === undefined ? this.#controller.signal : AbortSignal.any([client, this.#controller.signal]);
  }

  waitForStorage(): void {
    this.stop();
    this.#timer = setTimeout(() => this.abort(tooSlow(this.#provider)), this.#limitMs);
  }

  waitForClient(): void {
    this.stop();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Ends the transfer for another reason. */
  abort(reason: unknown): void {
    this.stop();
    this.#controller.abort(reason);
  }

  /** Why the transfer ended early, when it did; else `error`. */
  causeOf(error: unknown): unknown {
    return this.signal.aborted ? (this.signal.reason as unknown) : error;
  }
}
