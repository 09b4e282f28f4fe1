import { SvcError } from '../errors/svc-error.ts';
import type { EntryOwner, ExpiringEntries } from './expiring-entries.ts';

const CAPACITY = 100_000;
/** A full store is searched for expired entries at most this often, so that a flood of entries costs little. */
const SWEEP_MS = 1_000;

type StoredValue = { readonly value: string; readonly expiresAt: number; readonly owner: string | undefined };

/** Expiring entries in this process, lost when it stops. */
export class MemoryEntries implements ExpiringEntries {
  readonly #now: () => number;
  readonly #capacity: number;
  readonly #values = new Map<string, StoredValue>();
  readonly #used = new Map<string, number>();
  /** Ids of the entries of each owner, the oldest first. */
  readonly #owned = new Map<string, Set<string>>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly now: () => number; readonly capacity?: number }) {
    this.#now = options.now;
    this.#capacity = options.capacity ?? CAPACITY;
  }

  async put(id: string, value: string, expiresAt: number, owner?: EntryOwner): Promise<void> {
    this.#drop(id);
    if (owner !== undefined) this.#makeRoomAmong(owner);
    this.#makeRoom();
    this.#values.set(id, { value, expiresAt, owner: owner?.id });
    if (owner !== undefined) this.#owned.set(owner.id, (this.#owned.get(owner.id) ?? new Set<string>()).add(id));
  }

  async get(id: string): Promise<string | undefined> {
    return this.#find(id);
  }

  async take(id: string): Promise<string | undefined> {
    const value = this.#find(id);
    this.#drop(id);
    return value;
  }

  async consume(id: string, expiresAt: number): Promise<'first' | 'replayed'> {
    const until = this.#used.get(id);
    if (until !== undefined && until > this.#now()) return 'replayed';
    this.#makeRoom();
    this.#used.set(id, expiresAt);
    return 'first';
  }

  async remove(id: string): Promise<void> {
    this.#drop(id);
  }

  async raise(id: string, number: number, expiresAt: number): Promise<void> {
    await this.put(id, String(Math.max(number, Number(this.#find(id) ?? number))), expiresAt);
  }

  async largest(id: string): Promise<number | undefined> {
    const value = this.#find(id);
    return value === undefined ? undefined : Number(value);
  }

  #find(id: string): string | undefined {
    const entry = this.#values.get(id);
    return entry !== undefined && entry.expiresAt > this.#now() ? entry.value : undefined;
  }

  #drop(id: string): void {
    const owner = this.#values.get(id)?.owner;
    this.#values.delete(id);
    if (owner === undefined) return;
    const owned = this.#owned.get(owner);
    owned?.delete(id);
    if (owned?.size === 0) this.#owned.delete(owner);
  }

  #makeRoomAmong({ id, limit }: EntryOwner): void {
    const owned = this.#owned.get(id);
    if (owned === undefined || owned.size < limit) return;
    const now = this.#now();
    for (const own of owned) if ((this.#values.get(own)?.expiresAt ?? 0) <= now) this.#drop(own);
    for (const oldest of owned) {
      if (owned.size < limit) return;
      this.#drop(oldest);
    }
  }

  #makeRoom(): void {
    if (this.#isFull()) this.#sweep();
    if (this.#isFull())
      throw new SvcError('rate_limited', {
        detail: 'too many requests of this kind are under way; try again in a minute',
        retryAfterSeconds: 60,
      });
  }

  #isFull(): boolean {
    return this.#values.size + this.#used.size >= this.#capacity;
  }

  #sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [id, { expiresAt }] of this.#values) if (expiresAt <= now) this.#drop(id);
    for (const [id, until] of this.#used) if (until <= now) this.#used.delete(id);
  }
}
