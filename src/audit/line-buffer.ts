const MIN_BYTES = 65_536;
/** Larger memory, which a fault of the disk leaves behind, is given back. */
const MAX_KEPT_BYTES = 8 * 1_048_576;
const LINE_END = 0x0a;
const MAX_BYTES_PER_CHARACTER = 3;

/** Lines as bytes, in memory that is used again: new memory for each write would make the garbage collector go through the whole heap every second. */
export class LineBuffer {
  #memory = Buffer.alloc(0);
  #length = 0;
  #kept = 0;

  /** Adds a line. @returns its bytes, which are valid until the next line is added. */
  add(line: string): Buffer {
    const needed = this.#length + line.length * MAX_BYTES_PER_CHARACTER + 1;
    if (needed > this.#memory.length) {
      const memory = Buffer.allocUnsafeSlow(Math.max(needed, this.#memory.length * 2, MIN_BYTES));
      this.#memory.copy(memory, 0, 0, this.#length);
      this.#memory = memory;
    }
    const at = this.#length;
    const end = at + this.#memory.write(line, at);
    this.#memory[end] = LINE_END;
    this.#length = end + 1;
    return this.#memory.subarray(at, end);
  }

  /** The lines that were added since the last call of {@link keep}. The bytes are valid until the next line is added. */
  get added(): Buffer {
    return this.#memory.subarray(this.#kept, this.#length);
  }

  /** Keeps the added lines until they are on the disk. */
  keep(): void {
    this.#kept = this.#length;
  }

  /** The lines that are kept. The bytes are valid until the next line is added. */
  get kept(): Buffer {
    return this.#memory.subarray(0, this.#kept);
  }

  /** Drops all lines. */
  clear(): void {
    this.#length = this.#kept = 0;
    if (this.#memory.length > MAX_KEPT_BYTES) this.#memory = Buffer.alloc(0);
  }
}
