import type { Session } from './session.ts';

/** What the admin's list shows, and what revocation hands on: a session without its ID Token. */
export type SessionSummary = Omit<Session, 'idToken'>;

/**
 * Where sessions live, keyed by the SHA-256 digest (base64url) of their credential.
 *
 * Every store passes `tests/contract/session-store.ts`. An expired session is never returned.
 * A store may throw anything when it fails; `Sessions` sets the deadline and turns that into `session_store_unavailable`.
 */
export interface SessionStore {
  /** @throws {SvcError} `session_capacity` when it is full of active sessions. No active session is ever evicted. */
  insert(digest: string, session: Session): Promise<void>;
  find(digest: string): Promise<Session | undefined>;
  /** Removes it and gives what was there. Removing twice is not an error. */
  remove(digest: string): Promise<Session | undefined>;
  /** Removes by public id. */
  removeById(id: string): Promise<SessionSummary | undefined>;
  list(): Promise<SessionSummary[]>;
  /** Calls back with the public id of each session that is removed (not: expires), on whichever instance that happens. */
  onRemoved(listener: (id: string) => void): void;
  /** Resolves when the store can be used; for readiness. */
  check(): Promise<void>;
  close(): Promise<void>;
}
