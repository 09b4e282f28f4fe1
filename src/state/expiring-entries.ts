/** The owner of an entry, and the maximum number of entries of this owner. */
export type EntryOwner = { readonly id: string; readonly limit: number };

/**
 * Short-lived entries: pending logins, desktop codes and transfer tickets, which are used once, and ended logins.
 *
 * Every implementation passes `tests/contract/expiring-entries.ts`. Ids are compared exactly; an expired entry is never returned. Times are milliseconds since
 * the epoch.
 */
export interface ExpiringEntries {
  /**
   * Stores `value` under `id`, and replaces an earlier value.
   *
   * @param owner - when this owner has too many entries, their oldest are removed. Entries of others are never removed before they expire.
   * @throws {SvcError} `rate_limited` when there is no room.
   */
  put(id: string, value: string, expiresAt: number, owner?: EntryOwner): Promise<void>;
  get(id: string): Promise<string | undefined>;
  /** Returns the value and removes it. Exactly one of several simultaneous callers gets it. */
  take(id: string): Promise<string | undefined>;
  /** Marks `id` as used until `expiresAt`. Exactly one of several simultaneous callers gets `first`. These ids are separate from those of `put`. */
  consume(id: string, expiresAt: number): Promise<'first' | 'replayed'>;
  remove(id: string): Promise<void>;
  /**
   * Stores `number` under `id`, unless a larger one is there. Of several simultaneous callers, the largest number wins. An id is for numbers or for the values
   * of `put`, not for both.
   *
   * @param expiresAt - not before that of an earlier call.
   */
  raise(id: string, number: number, expiresAt: number): Promise<void>;
  /** Returns the largest number that was given to `raise`. */
  largest(id: string): Promise<number | undefined>;
}
