type Closer = () => Promise<void> | void;

/** The order in which open parts close. */
export class Closing {
  readonly #closers: Closer[] = [];
  #last: Closer = () => undefined;

  /** Closes a part before all parts so far. */
  first(closer: Closer): void {
    this.#closers.unshift(closer);
  }

  next(closer: Closer): void {
    this.#closers.push(closer);
  }

  /** Closes a part after all others, even if one of them fails to close. */
  last(closer: Closer): void {
    this.#last = closer;
  }

  async close(): Promise<void> {
    try {
      for (const closer of this.#closers) await closer();
    } finally {
      await this.#last();
    }
  }
}
