/** The same key of the same storage, under whatever provider's name. */
type Endpoint = { readonly endpoint: string };
type Key = { readonly bucket: string; readonly key: string };
type Waiting = { readonly signal?: AbortSignal | undefined };

/**
 * Lets the writes of a key come about one after the other, within this process: what one has seen there still holds when it writes.
 *
 * Storage that heeds conditions needs no turns; not all does.
 */
export class KeyTurns {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits for the turn, and gives what ends it. Nobody waits for another turn while having one. */
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

  /** Does `work` in a turn of its own. */
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
