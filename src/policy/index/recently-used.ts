/** A cache that keeps the most recently used values whose total weight fits the capacity. It always keeps the last one. */
export class RecentlyUsed<Key, Value extends object> {
  readonly #capacity: number;
  readonly #weigh: (value: Value) => number;
  #weight = 0;
  /** From the least to the most recently used. */
  readonly #values = new Map<Key, Value>();

  constructor(capacity: number, weigh: (value: Value) => number = () => 1) {
    this.#capacity = capacity;
    this.#weigh = weigh;
  }

  get(key: Key, make: () => Value): Value {
    const kept = this.#values.get(key);
    const value = kept ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (kept === undefined) this.#weight += this.#weigh(value);
    while (this.#weight > this.#capacity && this.#values.size > 1) {
      const [[oldest, dropped]] = this.#values as unknown as [[Key, Value]];
      this.#values.delete(oldest);
      this.#weight -= this.#weigh(dropped);
    }
    return value;
  }
}
