/** Two providers with the same endpoint share the turns of a key. */
type Endpoint = { readonly endpoint: string };
type Key = { readonly bucket: string; readonly key: string };
type Waiting = { readonly signal?: AbortSignal | undefined };

/**
 * Lets the writes of one key happen one after the other within this process, so that the check before a write still holds when it writes.
 *
 * Storage that heeds conditional writes needs no turns, but not all storage does.
 */
export class KeyTurns {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits for the turn. @returns a function that ends it. Nobody may wait for another turn while having one. */
  async take({ endpoint }: Endpoint, { bucket, key }: Key, { signal }: Waiting = {}): Promise<() => void> {
    const place = JSON.stringify([endpoint, bucket, key]);
    const before = this.#last.get(place);
    const { promise, resolve: finish } = Promise.withResolvers<undefined>();
    const last = Promise.all([before, promise]).then(() => {
      if (this.#last.get(place) === last) this.#last.delete(place);
    });
    this.#last.set(place, last);
    const end = (): void => finish(undefined);
    try {
      await (before === undefined || signal === undefined ? before : unlessAborted(before, signal));
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** Runs `work` in a turn. */
  async use<T>(provider: Endpoint, object: Key, options: Waiting, work: () => Promise<T>): Promise<T> {
    const end = await this.take(provider, object, options);
    try {
      return await work();
    } finally {
      end();
    }
  }
}

function unlessAborted(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    void turn.then(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}
