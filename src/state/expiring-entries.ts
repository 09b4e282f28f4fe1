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
   * @throws {SvcError} `rate_limited` when there is no room; nothing that has not expired is ever pushed out.
   */
  put(id: string, value: string, expiresAt: number): Promise<void>;
  get(id: string): Promise<string | undefined>;
  /** Gives the value and removes it. Of several takers at once exactly one gets it. */
  take(id: string): Promise<string | undefined>;
  /** Marks `id` as used until `expiresAt`. Of several callers at once exactly one is `first`. Shares no ids with `put`. */
  consume(id: string, expiresAt: number): Promise<'first' | 'replayed'>;
  remove(id: string): Promise<void>;
}
