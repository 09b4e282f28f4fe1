import type { SessionStore } from './session-store.ts';
import type { Session, StoredSession } from './session.ts';
import { sessionCapacity } from './session-capacity.ts';

export type MemorySessionStoreOptions = {
  /** Active sessions at most. */
  readonly capacity: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

type Entry = { readonly session: Session; readonly idToken: string };

/** Sessions in this process: for one instance, and lost when it stops. */
export class MemorySessionStore implements SessionStore {
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #digests = new Map<string, string>();
  readonly #listeners: ((id: string) => void)[] = [];

  constructor(options: MemorySessionStoreOptions) {
    this.#capacity = options.capacity;
    this.#now = options.now;
  }

  async insert(digest: string, { idToken, ...session }: StoredSession): Promise<void> {
    if (this.#entries.size >= this.#capacity) this.#dropExpired();
    if (this.#entries.size >= this.#capacity) throw sessionCapacity(this.#capacity);
    if (this.#entries.has(digest)) throw new Error('a session with this digest is there already');
    this.#entries.set(digest, { session, idToken });
    this.#digests.set(session.id, digest);
  }

  find(digest: string): Session | undefined {
    const entry = this.#entries.get(digest);
    return entry !== undefined && entry.session.expiresAt > this.#now() ? entry.session : undefined;
  }

  async remove(digest: string): Promise<StoredSession | undefined> {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    this.#drop(digest, entry);
    if (entry.session.expiresAt <= this.#now()) return undefined;
    for (const listener of this.#listeners) listener(entry.session.id);
    return { ...entry.session, idToken: entry.idToken };
  }

  async removeById(id: string): Promise<Session | undefined> {
    const digest = this.#digests.get(id);
    const session = digest === undefined ? undefined : this.find(digest);
    if (digest !== undefined) await this.remove(digest);
    return session;
  }

  async list(): Promise<Session[]> {
    this.#dropExpired();
    return Array.from(this.#entries.values(), ({ session }) => session).sort((a, b) => b.startedAt - a.startedAt);
  }

  onRemoved(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  onRemovalsMissed(_listener: () => void): void {
    // Every removal happens here.
  }

  async check(): Promise<void> {
    // Memory is there.
  }

  async close(): Promise<void> {
    this.#entries.clear();
    this.#digests.clear();
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const [digest, entry] of this.#entries) {
      if (entry.session.expiresAt <= now) this.#drop(digest, entry);
    }
  }

  #drop(digest: string, entry: Entry): void {
    this.#entries.delete(digest);
    this.#digests.delete(entry.session.id);
  }
}
