type Work<T> = { readonly result: Promise<T>; readonly stop: AbortController; waiting: number };

/** Runs work once for all callers that request it at the same time. It is stopped when all of them have left. */
export class SharedWork<T> {
  readonly #running = new Map<string, Work<T>>();

  /** @throws the error of `start`, or the reason of `signal` when the caller has left. */
  async join(name: string, signal: AbortSignal, start: (stopped: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const work = this.#running.get(name) ?? this.#begin(name, start);
    work.waiting += 1;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([work.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      work.waiting -= 1;
      if (work.waiting === 0 && signal.aborted) {
        this.#forget(name, work);
        work.stop.abort();
      }
    }
  }

  #begin(name: string, start: (stopped: AbortSignal) => Promise<T>): Work<T> {
    const stop = new AbortController();
    const work = { result: start(stop.signal), stop, waiting: 0 };
    this.#running.set(name, work);
    // All callers may have left when the work fails.
    work.result.catch(() => undefined).finally(() => this.#forget(name, work));
    return work;
  }

  #forget(name: string, work: Work<T>): void {
    if (this.#running.get(name) === work) this.#running.delete(name);
  }
}
