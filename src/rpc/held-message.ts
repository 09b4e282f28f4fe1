/** Runs work that holds memory. `keep` gives back all but what a message of so many bytes holds. Rejects when there is no memory. */
export type Holding = (work: (keep: (bytes: number) => void) => Promise<void>) => Promise<void>;

/** The memory of a message, from when many of its bytes have arrived until it is answered. */
export class HeldMessage {
  /** Resolves when there is memory for the message. */
  readonly taken: Promise<undefined>;
  readonly #answered = Promise.withResolvers<undefined>();
  #bytes: number;
  #keep: ((bytes: number) => void) | undefined;

  /** @param bytes - the most that the message may have. */
  constructor(bytes: number, holding: Holding) {
    this.#bytes = bytes;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    this.taken = promise;
    holding((keep) => {
      this.#keep = keep;
      keep(this.#bytes);
      resolve(undefined);
      return this.#answered.promise;
    }).catch(reject);
  }

  /** Says how many bytes the whole message has. */
  is(bytes: number): void {
    this.#bytes = bytes;
    this.#keep?.(bytes);
  }

  answered(): void {
    this.#answered.resolve(undefined);
  }
}
