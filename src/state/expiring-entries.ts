/** Whose an entry is, and how many theirs may be. */
export type EntryOwner = { readonly id: string; readonly limit: number };

/**
 * Short-lived entries that are used once: pending logins, desktop codes, transfer tickets.
 *
 * Every implementation passes `tests/contract/expiring-entries.ts`. Ids are compared exactly; an expired entry is never returned.
 * Times are milliseconds since the epoch.
 */
export interface ExpiringEntries {
  /**
   * Stores `value` under `id`, in place of what was there.
   *
   * @param owner - of the entries of one owner, the oldest make room. Nobody else's are ever pushed out before they expire.
   * @throws {SvcError} `rate_limited` when there is no room.
   */
  put(id: string, value: string, expiresAt: number, owner?: EntryOwner): Promise<void>;
  get(id: string): Promise<string | undefined>;
  /** Gives the value and removes it. Of several takers at once exactly one gets it. */
  take(id: string): Promise<string | undefined>;
  /** Marks `id` as used until `expiresAt`. Of several callers at once exactly one is `first`. Shares no ids with `put`. */
  consume(id: string, expiresAt: number): Promise<'first' | 'replayed'>;
  remove(id: string): Promise<void>;
}
