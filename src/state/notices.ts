/** `session`: a session ended; its names are the digest of its credential and its public id. `key`: an API key was changed or revoked; its name is its id. */
export type NoticeKind = 'session' | 'key';

/** Longer than a process trusts what it has in memory without a look at the state database. */
export const NOTICED_MS = 1_000;

/** Tells the other processes of this service at once what ended here. Processes on the same state database that are not told find the change by themselves. */
export interface Notices {
  /** Resolves when every other process has noticed it, at the latest after {@link NOTICED_MS}, when those that have not know it from the state database. */
  tell(kind: NoticeKind, names: readonly string[]): Promise<void>;
  /** Calls `listener` with the names that another process told. */
  on(kind: NoticeKind, listener: (names: readonly string[]) => void): void;
}
