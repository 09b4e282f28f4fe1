/** A cache that keeps the most recently used values. */
export class RecentlyUsed<Key, Value extends object> {
  readonly #capacity: number;
  /** From the least to the most recently used. */
  readonly #values = new Map<Key, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: Key, make: () => Value): Value {
    const value = this.#values.get(key) ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#capacity) {
      const [oldest] = this.#values.keys();
      this.#values.delete(oldest!);
    }
    return value;
  }
}
