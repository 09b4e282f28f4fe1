import { SvcError } from '../errors/svc-error.ts';
import type { ExpiringEntries } from './expiring-entries.ts';

const CAPACITY = 100_000;
/** A full store is searched for expired entries at most this often, so that a flood costs no more than it has to. */
const SWEEP_MS = 1_000;

type Entry = { readonly value: string; readonly expiresAt: number };

/** Expiring entries in this process: lost when it stops. */
export class MemoryEntries implements ExpiringEntries {
  readonly #now: () => number;
  readonly #capacity: number;
  readonly #values = new Map<string, Entry>();
  readonly #used = new Map<string, number>();
  #sweptAt = Number.NEGATIVE_INFINITY;

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
    if (this.#isFull()) this.#sweep();
    if (this.#isFull()) throw new SvcError('rate_limited', { detail: 'too much is under way; try again in a minute', retryAfterSeconds: 60 });
  }

  #isFull(): boolean {
    return this.#values.size + this.#used.size >= this.#capacity;
  }

  #sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [id, { expiresAt }] of this.#values) if (expiresAt <= now) this.#values.delete(id);
    for (const [id, until] of this.#used) if (until <= now) this.#used.delete(id);
  }
}
