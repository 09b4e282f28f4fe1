import type { LoginName, Session, SessionOfLogin, StoredSession } from './session.ts';

/** Which part of the store's capacity a new session may use. */
export type Admission = {
  /** An administrator may use the reserve above the capacity, so that a full store does not lock out the people who can end sessions. */
  readonly isAdmin: boolean;
};

/**
 * Stores sessions by the SHA-256 digest (base64url) of their credential.
 *
 * Every store passes `tests/contract/session-store.ts`. An expired session is never returned. A store may throw anything when it fails; `Sessions` sets the
 * deadline and turns the error into `session_store_unavailable`.
 */
export interface SessionStore {
  /**
   * Adds a session. A digest that exists already is an error; the session is never replaced. When a person is at the limit, their oldest session ends.
   *
   * @throws {SvcError} `session_capacity` when the store is full of active sessions. Nobody else's active session is ever evicted.
   */
  insert(digest: string, session: StoredSession, admission: Admission): Promise<void>;
  /** Finds a session. It runs on every request, so a store that has the session in memory returns it without a promise. */
  find(digest: string): Promise<Session | undefined> | Session | undefined;
  /** Removes a session and returns it. Removing it twice is not an error; exactly one caller gets the session. */
  remove(digest: string): Promise<StoredSession | undefined>;
  /** Removes by public id. */
  removeById(id: string): Promise<Session | undefined>;
  /** Public ids of the sessions that began with a login at the provider. */
  ofLogin(login: LoginName): Promise<SessionOfLogin[]>;
  /** Active sessions, the latest started first. */
  list(): Promise<Session[]>;
  /** The number of active sessions. */
  count(): Promise<number>;
  /** Stores times of last use by public id. Unknown ids are skipped, and an earlier time does not replace a later one. */
  recordUses(uses: ReadonlyMap<string, number>): Promise<void>;
  /** Calls `listener` with the public id of each session that is removed, on any instance. Expiry is not reported. */
  onRemoved(listener: (id: string) => void): void;
  /**
   * Calls `listener` when removals on other instances may have been missed, so that every session with open sockets or transfers is looked up again. A store
   * that learns of every removal never calls it.
   */
  onRemovalsMissed(listener: () => void): void;
  /** Resolves when the store can be used; for readiness checks. */
  check(): Promise<void>;
  close(): Promise<void>;
}
