/** A use is written at most this often for a session or key. */
const RESOLUTION_MS = 60_000;

/**
 * When each session or key was last used, by its public id, to the minute.
 *
 * Uses are noted in memory and written once a minute together, so that no request waits for a store. What was written is forgotten after
 * a minute more, so memory holds those in use and no others.
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

  /** Notes a use now. @param written - the last use that the store had, in milliseconds since the epoch. */
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

  /** The later one of the use that is known here and of the one that the store had. */
  latest<T extends number | null | undefined>(id: string, written: T): T | number {
    const noted = this.#noted.get(id) ?? 0;
    return noted > (written ?? 0) ? noted : written;
  }

  /** Writes what is noted. */
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
