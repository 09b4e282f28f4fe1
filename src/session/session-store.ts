import type { Session, StoredSession } from './session.ts';

/** What a session may take of the store. */
export type Admission = {
  /** May take a place of the reserve above the capacity, so that a full store does not keep out whoever can empty it. */
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
   * Never replaces: a digest that is there already is an error. A person who has as many sessions as one may have loses the oldest.
   *
   * @throws {SvcError} `session_capacity` when it is full of active sessions. Nobody else's active session is ever evicted.
   */
  insert(digest: string, session: StoredSession, admission: Admission): Promise<void>;
  /** A store that has the answer at hand gives it without a promise: this runs on every request. */
  find(digest: string): Promise<Session | undefined> | Session | undefined;
  /** Removes it and gives what was there. Removing twice is not an error; one caller alone gets the session. */
  remove(digest: string): Promise<StoredSession | undefined>;
  /** Removes by public id. */
  removeById(id: string): Promise<Session | undefined>;
  /** Active sessions, those that started last first. */
  list(): Promise<Session[]>;
  /** Calls back with the public id of each session that is removed (not: expires), on whichever instance that happens. */
  onRemoved(listener: (id: string) => void): void;
  /**
   * Calls back when removals on other instances may have gone unnoticed, so that whoever holds something open for a session looks
   * again whether it stands. A store that knows every removal never calls.
   */
  onRemovalsMissed(listener: () => void): void;
  /** Resolves when the store can be used; for readiness. */
  check(): Promise<void>;
  close(): Promise<void>;
}
