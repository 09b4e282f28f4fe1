import { SvcError } from '../errors/svc-error.ts';
import type { ExpiringEntries } from './expiring-entries.ts';

const CAPACITY = 100_000;

type Entry = { readonly value: string; readonly expiresAt: number };

/** Expiring entries in this process: lost when it stops. */
export class MemoryEntries implements ExpiringEntries {
  readonly #now: () => number;
  readonly #capacity: number;
  readonly #values = new Map<string, Entry>();
  readonly #used = new Map<string, number>();

  constructor(options: { readonly now: () => number; readonly capacity?: number }) {
    this.#now = options.now;
    this.#capacity = options.capacity ?? CAPACITY;
  }

  async put(id: string, value: string, expiresAt: number): Promise<void> {
    if (!this.#values.has(id)) this.#makeRoom();
    this.#values.set(id, { value, expiresAt });
  }

  async get(id: string): Promise<string | undefined> {
    const entry = this.#values.get(id);
    return entry !== undefined && entry.expiresAt > this.#now() ? entry.value : undefined;
  }

  async take(id: string): Promise<string | undefined> {
    const entry = this.#values.get(id);
    this.#values.delete(id);
    return entry !== undefined && entry.expiresAt > this.#now() ? entry.value : undefined;
  }

  async consume(id: string, expiresAt: number): Promise<'first' | 'replayed'> {
    const until = this.#used.get(id);
    if (until !== undefined && until > this.#now()) return 'replayed';
    this.#makeRoom();
    this.#used.set(id, expiresAt);
    return 'first';
  }

  async remove(id: string): Promise<void> {
    this.#values.delete(id);
  }

  #makeRoom(): void {
    if (this.#values.size + this.#used.size < this.#capacity) return;
    const now = this.#now();
    for (const [id, { expiresAt }] of this.#values) if (expiresAt <= now) this.#values.delete(id);
    for (const [id, until] of this.#used) if (until <= now) this.#used.delete(id);
    if (this.#values.size + this.#used.size >= this.#capacity) throw new SvcError('rate_limited', { detail: 'too many sign-ins are under way; try again in a minute', retryAfterSeconds: 60 });
  }
}
