/**
 * Remembers which logins were used, until they would have expired anyway.
 *
 * Beginning a login stores nothing here; only a callback with a valid seal does.
 *
 * @see spec "Pending login and authorization code"
 */
export interface LoginLedger {
  /** Atomic: exactly one of several simultaneous callers gets `first`. `expiresAt` is in milliseconds since the epoch. */
  consume(id: string, expiresAt: number): Promise<'first' | 'replayed'>;
}
