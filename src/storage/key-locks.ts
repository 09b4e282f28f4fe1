import type { StopSignal } from '../bounds/stop-signal.ts';
import { SvcError } from '../errors/svc-error.ts';
import { LocalTurns, type Turns } from './turns.ts';

/** Providers with the same endpoint share the lock of a key. `idleTimeoutMs` is the maximum wait for a lock. */
type Provider = { readonly name: string; readonly endpoint: string; readonly idleTimeoutMs: number };
type Key = { readonly bucket: string; readonly key: string };
type Waiting = { readonly signal?: StopSignal | undefined };

/**
 * Runs the writes of one key one after the other within this service on this machine, so that a check before a write still holds at the write. Storage that
 * supports conditional writes does not need this, but not all storage does.
 */
export class KeyLocks {
  readonly #turns: Turns;

  /** @param turns - of all processes that write; by default this process is the only one. */
  constructor(turns: Turns = new LocalTurns()) {
    this.#turns = turns;
  }

  /**
   * Waits for the lock. A caller that holds a lock must not wait for another one.
   *
   * @returns a function that releases the lock.
   * @throws {SvcError} `storage_timeout`: earlier writes take longer than storage may be silent. The reason of `signal`.
   */
  async acquire(provider: Provider, { bucket, key }: Key, { signal }: Waiting = {}): Promise<() => void> {
    const { ready, end } = this.#turns.queue(JSON.stringify([provider.endpoint, bucket, key]));
    if (ready === undefined) return end;
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    const leave = (): void => giveUp(signal?.reason);
    const timer = setTimeout(() => giveUp(stillBusy(provider)), provider.idleTimeoutMs);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      signal?.throwIfAborted();
      await Promise.race([ready, givenUp]);
      return end;
    } catch (error) {
      end();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Runs `work` while it holds the lock. */
  async run<T>(provider: Provider, object: Key, options: Waiting, work: () => Promise<T>): Promise<T> {
    const end = await this.acquire(provider, object, options);
    try {
      return await work();
    } finally {
      end();
    }
  }
}

function stillBusy({ name }: Provider): SvcError {
  return new SvcError('storage_timeout', {
    detail: `storage provider \`${name}\` is still busy with another write of this key; try again later`,
  });
}
