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
  /** In each queue, the first one has the turn. */
  readonly #queues = new Map<string, PromiseWithResolvers<undefined>[]>();

  queue(name: string): Turn {
    const queue = this.#queues.get(name) ?? [];
    const own = Promise.withResolvers<undefined>();
    this.#queues.set(name, queue);
    const isFirst = queue.push(own) === 1;
    const end = (): void => {
      const at = queue.indexOf(own);
      if (at === -1) return;
      queue.splice(at, 1);
      if (queue.length === 0) this.#queues.delete(name);
      else if (at === 0) queue[0]!.resolve(undefined);
    };
    return { ready: isFirst ? undefined : own.promise, end };
  }
}
