/** `session`: a session ended; its names are the digest of its credential and its public id. `key`: an API key was changed or revoked; its name is its id. */
export type NoticeKind = 'session' | 'key';

/** Tells the other processes of this service at once what ended here. Processes on the same state database that are not told find the change by themselves. */
export interface Notices {
  tell(kind: NoticeKind, names: readonly string[]): void;
  /** Calls `listener` with the names that another process told. */
  on(kind: NoticeKind, listener: (names: readonly string[]) => void): void;
}
