/**
 * `session`: a session ended; its names are the digest of its credential and its public id. `key`: an API key was changed or revoked; its name is its id.
 * `object`: objects changed; see {@link ObjectNotices}.
 */
export type NoticeKind = 'session' | 'key' | 'object';

/** Longer than a process trusts what it has in memory without a look at the state database. */
export const NOTICED_MS = 1_000;

/** Tells the other processes of this service at once what ended here. Processes on the same state database that are not told find the change by themselves. */
export interface Notices {
  /** Resolves when every other process has noticed it, at the latest after {@link NOTICED_MS}, when those that have not know it from the state database. */
  tell(kind: NoticeKind, names: readonly string[]): Promise<void>;
  /** Calls `listener` with the names that another process told. */
  on(kind: NoticeKind, listener: (names: readonly string[]) => void): void;
}

/** Tells the other processes of this service which objects changed. A notice may be lost. */
export interface ObjectNotices {
  /** @param names - `provider/bucket`, and keys of it. As JSON they have at most 7,000 bytes. */
  tell(names: readonly string[]): Promise<void>;
  /** Calls `listener` with what another process told, which is not checked. */
  on(listener: (names: unknown) => void): void;
}
