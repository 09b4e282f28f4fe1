/**
 * Remembers which logins were used, until they would have expired anyway.
 *
 * A login that was begun costs nothing here; only a callback that opened its seal does.
 *
 * @see spec "Pending login and authorization code"
 */
export interface LoginLedger {
  /** Atomic: of several callers at once exactly one is `first`. `expiresAt` is in milliseconds since the epoch. */
  consume(id: string, expiresAt: number): Promise<'first' | 'replayed'>;
}
