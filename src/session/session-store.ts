import type { LoginName, Session, StoredSession } from './session.ts';

/** Which places of the store a new session may take. */
export type Admission = {
  /** An administrator may take a place of the reserve above the capacity, so that a full store does not keep out the people who can end sessions. */
  readonly isAdmin: boolean;
};

/**
 * Where sessions live, keyed by the SHA-256 digest (base64url) of their credential.
 *
 * Every store passes `tests/contract/session-store.ts`. An expired session is never returned.
 * A store may throw anything when it fails; `Sessions` sets the deadline and turns that into `session_store_unavailable`.
 */
export interface SessionStore {
  /**
   * Adds a session. A digest that exists already is an error, never replaced. A person at the limit loses their oldest session.
   *
   * @throws {SvcError} `session_capacity` when it is full of active sessions. Nobody else's active session is ever evicted.
   */
  insert(digest: string, session: StoredSession, admission: Admission): Promise<void>;
  /** Finds a session. It runs on every request, so a store that has the answer at hand returns it without a promise. */
  find(digest: string): Promise<Session | undefined> | Session | undefined;
  /** Removes a session and returns it. Removing it twice is not an error; exactly one caller gets the session. */
  remove(digest: string): Promise<StoredSession | undefined>;
  /** Removes by public id. */
  removeById(id: string): Promise<Session | undefined>;
  /** Public ids of the sessions that began with a login at the provider. */
  idsOf(login: LoginName): Promise<string[]>;
  /** Active sessions, those that started last first. */
  list(): Promise<Session[]>;
  /** How many sessions are active. */
  count(): Promise<number>;
  /** Keeps times of last use by public id. An id that is gone is skipped, and an earlier time does not replace a later one. */
  recordUses(uses: ReadonlyMap<string, number>): Promise<void>;
  /** Calls back with the public id of each session that is removed (not: expires), on whichever instance that happens. */
  onRemoved(listener: (id: string) => void): void;
  /**
   * Calls back when removals on other instances may have been missed, so that every session with open sockets or transfers is looked
   * up again. A store that knows every removal never calls.
   */
  onRemovalsMissed(listener: () => void): void;
  /** Resolves when the store can be used; for readiness. */
  check(): Promise<void>;
  close(): Promise<void>;
}
