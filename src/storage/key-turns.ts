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
    if (before === undefined) return end;
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    const leave = (): void => giveUp(signal?.reason);
    const timer = setTimeout(() => giveUp(stillBusy(provider)), provider.idleTimeoutMs);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      signal?.throwIfAborted();
      await Promise.race([before, givenUp]);
      return end;
    } catch (error) {
      end();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
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

function stillBusy({ name }: Provider): SvcError {
  return new SvcError('storage_timeout', { detail: `storage provider \`${name}\` is still busy with another write of this key; try again later` });
}
