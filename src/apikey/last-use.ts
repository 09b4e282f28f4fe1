import type { ApiKey } from './api-key.ts';

/** A use is written at most this often for a key. */
const RESOLUTION_MS = 60_000;

/** When each key was last used. Uses are noted in memory and written once a minute for all keys, so that no request waits for the disk. */
export class LastUse {
  readonly #write: (uses: ReadonlyMap<string, number>) => Promise<void>;
  readonly #noted = new Map<string, number>();
  #unwritten = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (uses: ReadonlyMap<string, number>) => Promise<void>) {
    this.#write = write;
  }

  note(key: ApiKey, now: number): void {
    const last = this.#noted.get(key.id) ?? key.lastUsedAt ?? 0;
    if (now - last < RESOLUTION_MS) return;
    this.#noted.set(key.id, now);
    this.#unwritten.set(key.id, now);
    this.#timer ??= setTimeout(() => void this.#flush(), RESOLUTION_MS).unref();
  }

  forget(id: string): void {
    this.#noted.delete(id);
    this.#unwritten.delete(id);
  }

  /** The key with the last use that is known here, when that is later. */
  onto(key: ApiKey): ApiKey {
    const noted = this.#noted.get(key.id) ?? 0;
    return noted > (key.lastUsedAt ?? 0) ? { ...key, lastUsedAt: noted } : key;
  }

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
  }
}
