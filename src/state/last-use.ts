/** The use of a session or key is written at most this often. */
const RESOLUTION_MS = 60_000;

/**
 * When each session or key was last used, by its public id, to the minute.
 *
 * Uses are noted in memory and written together once a minute, so that no request waits for a store. Written uses are dropped from memory after another minute,
 * so memory contains only ids that are in use.
 */
export class LastUse {
  readonly #write: (uses: ReadonlyMap<string, number>) => Promise<void>;
  readonly #now: () => number;
  readonly #noted = new Map<string, number>();
  #unwritten = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param now - milliseconds since the epoch. */
  constructor(write: (uses: ReadonlyMap<string, number>) => Promise<void>, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  /**
   * Notes a use at the current time.
   *
   * @param written - the last use in the store, in milliseconds since the epoch.
   */
  note(id: string, written: number): void {
    const now = this.#now();
    const last = this.#noted.get(id) ?? written;
    if (now - last < RESOLUTION_MS) return;
    this.#noted.set(id, now);
    this.#unwritten.set(id, now);
    this.#timer ??= setTimeout(() => void this.#flush(), RESOLUTION_MS).unref();
  }

  forget(id: string): void {
    this.#noted.delete(id);
    this.#unwritten.delete(id);
  }

  /** The later of the use noted here and the one in the store. */
  latest<T extends number | null | undefined>(id: string, written: T): T | number {
    const noted = this.#noted.get(id) ?? 0;
    return noted > (written ?? 0) ? noted : written;
  }

  /** Writes the noted uses. */
  async close(): Promise<void> {
    await this.#flush();
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const uses = this.#unwritten;
    if (uses.size === 0) return;
    this.#unwritten = new Map();
    // A time that cannot be written is dropped, because the next use is written within a minute.
    await this.#write(uses).catch(() => undefined);
    const oldest = this.#now() - RESOLUTION_MS;
    for (const [id, at] of this.#noted) if (at <= oldest) this.#noted.delete(id);
  }
}
