import { placesFor } from '../state/places.ts';
import type { Admission, SessionStore } from './session-store.ts';
import { sessionOfLogin } from './login-name.ts';
import type { LoginName, Session, SessionOfLogin, StoredSession } from './session.ts';
import { sessionCapacity } from './session-capacity.ts';

export type MemorySessionStoreOptions = {
  /** Maximum number of active sessions. */
  readonly capacity: number;
  /** Maximum number of active sessions of one person. */
  readonly perSubject: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

type HeldSession = { readonly session: Session; readonly idToken: string };

/** Keeps sessions in this process: for a single instance, and lost when it stops. */
export class MemorySessionStore implements SessionStore {
  readonly #capacity: number;
  readonly #perSubject: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, HeldSession>();
  readonly #digests = new Map<string, string>();
  /** Digests of each person's sessions, the oldest first. */
  readonly #owned = new Map<string, Set<string>>();
  readonly #listeners: ((id: string) => void)[] = [];

  constructor(options: MemorySessionStoreOptions) {
    this.#capacity = options.capacity;
    this.#perSubject = options.perSubject;
    this.#now = options.now;
  }

  async insert(digest: string, { idToken, ...session }: StoredSession, admission: Admission): Promise<void> {
    if (this.#entries.has(digest)) throw new Error('a session with this digest exists already');
    const places = placesFor(admission, this.#capacity);
    if (this.#entries.size >= this.#capacity) this.#dropExpired();
    const owned = this.#owned.get(ownerOf(session)) ?? new Set<string>();
    if (owned.size >= this.#perSubject) for (const own of owned) if (this.find(own) === undefined) this.#drop(own);
    const leaving = [...owned].slice(0, Math.max(0, owned.size + 1 - this.#perSubject));
    if (this.#entries.size - leaving.length >= places) throw sessionCapacity(this.#capacity);
    for (const oldest of leaving) this.#remove(oldest);
    this.#entries.set(digest, { session, idToken });
    this.#digests.set(session.id, digest);
    this.#owned.set(ownerOf(session), owned.add(digest));
  }

  find(digest: string): Session | undefined {
    const entry = this.#entries.get(digest);
    return entry !== undefined && entry.session.expiresAt > this.#now() ? entry.session : undefined;
  }

  async remove(digest: string): Promise<StoredSession | undefined> {
    return this.#remove(digest);
  }

  #remove(digest: string): StoredSession | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    this.#drop(digest);
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

  async ofLogin(name: LoginName): Promise<SessionOfLogin[]> {
    return Array.from(this.#entries.values()).flatMap(({ session }) => sessionOfLogin(name, session));
  }

  async list(): Promise<Session[]> {
    this.#dropExpired();
    return Array.from(this.#entries.values(), ({ session }) => session).sort((a, b) => b.startedAt - a.startedAt);
  }

  async count(): Promise<number> {
    this.#dropExpired();
    return this.#entries.size;
  }

  async recordUses(uses: ReadonlyMap<string, number>): Promise<void> {
    for (const [id, at] of uses) {
      const digest = this.#digests.get(id);
      const entry = digest === undefined ? undefined : this.#entries.get(digest);
      if (entry === undefined || (entry.session.lastUsedAt ?? 0) >= at) continue;
      this.#entries.set(digest!, { ...entry, session: { ...entry.session, lastUsedAt: at } });
    }
  }

  onRemoved(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  onRemovalsMissed(_listener: () => void): void {
    // Every removal happens in this process, so none is missed.
  }

  async check(): Promise<void> {
    // Memory is always ready.
  }

  async close(): Promise<void> {
    // Memory goes with the process.
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const [digest, entry] of this.#entries) {
      if (entry.session.expiresAt <= now) this.#drop(digest);
    }
  }

  #drop(digest: string): void {
    const { session } = this.#entries.get(digest)!;
    this.#entries.delete(digest);
    this.#digests.delete(session.id);
    const owned = this.#owned.get(ownerOf(session));
    owned?.delete(digest);
    if (owned?.size === 0) this.#owned.delete(ownerOf(session));
  }
}

function ownerOf({ identity: { issuer, subject } }: Session): string {
  return JSON.stringify([issuer, subject]);
}
