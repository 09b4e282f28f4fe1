import { SvcError } from '../errors/svc-error.ts';

/** Two providers with the same endpoint share the turns of a key. `idleTimeoutMs`: how long a turn is waited for. */
type Provider = { readonly name: string; readonly endpoint: string; readonly idleTimeoutMs: number };
type Key = { readonly bucket: string; readonly key: string };
type Waiting = { readonly signal?: AbortSignal | undefined };

/**
 * Lets the writes of one key happen one after the other within this process, so that the check before a write still holds when it writes.
 *
 * Storage that heeds conditional writes needs no turns, but not all storage does.
 */
export class KeyTurns {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits for the turn. Nobody may wait for another turn while having one.
   *
   * @returns a function that ends it.
   * @throws {SvcError} `storage_timeout`: the writes before it take longer than storage may be silent. The reason of `signal`.
   */
  async take(provider: Provider, { bucket, key }: Key, { signal }: Waiting = {}): Promise<() => void> {
    const place = JSON.stringify([provider.endpoint, bucket, key]);
    const before = this.#last.get(place);
    const { promise, resolve: finish } = Promise.withResolvers<undefined>();
    const last = Promise.all([before, promise]).then(() => {
      if (this.#last.get(place) === last) this.#last.delete(place);
    });
    this.#last.set(place, last);
    const end = (): void => finish(undefined);
    try {
      if (before !== undefined) await within(provider, before, signal);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** Runs `work` in a turn. */
  async use<T>(provider: Provider, object: Key, options: Waiting, work: () => Promise<T>): Promise<T> {
    const end = await this.take(provider, object, options);
    try {
      return await work();
    } finally {
      end();
    }
  }
}

function within({ name, idleTimeoutMs }: Provider, turn: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      end();
    };
    const leave = (): void => settle(() => reject(signal?.reason as Error));
    const timer = setTimeout(() => settle(() => reject(stillBusy(name))), idleTimeoutMs);
    signal?.addEventListener('abort', leave, { once: true });
    void turn.then(() => settle(resolve));
  });
}

function stillBusy(provider: string): SvcError {
  return new SvcError('storage_timeout', { detail: `storage provider \`${provider}\` is still busy with another write of this key; try again later` });
}
