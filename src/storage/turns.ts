/** A place in a queue. */
export type Turn = {
  /** Resolves when everybody before has left the queue; undefined when nobody is before. */
  readonly ready: Promise<void> | undefined;
  /** Leaves the queue, before or after the turn has come. */
  readonly end: () => void;
};

/** Queues by name. In each, one has the turn at a time, in the order of asking. */
export interface Turns {
  queue(name: string): Turn;
}

/** Queues in this process. */
export class LocalTurns implements Turns {
  readonly #last = new Map<string, Promise<void>>();

  queue(name: string): Turn {
    const before = this.#last.get(name);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const last = Promise.all([before, promise]).then(() => {
      if (this.#last.get(name) === last) this.#last.delete(name);
    });
    this.#last.set(name, last);
    return { ready: before, end: () => resolve(undefined) };
  }
}
