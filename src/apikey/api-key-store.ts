import type { ApiKey, ApiKeyScope } from './api-key.ts';

/** A key as it is stored: with the SHA-256 of its secret, never the secret. */
export type StoredApiKey = { readonly key: ApiKey; readonly verifier: Uint8Array };

/** What a list of keys is chosen from, without their long scopes. */
export type ApiKeyOutline = Pick<ApiKey, 'id' | 'createdAt'> & { readonly creator: { readonly issuer: string; readonly subject: string; readonly name: string } };

/** How many keys there may be, of one creator and in all. An administrator has a reserve above the capacity. */
export type ApiKeyLimits = { readonly capacity: number; readonly perSubject: number; readonly isAdmin: boolean };

/**
 * Where API keys live, by their public id.
 *
 * Every store passes `tests/contract/api-keys.ts`. Every method throws `state_unavailable` when the state database fails.
 */
export interface ApiKeyStore {
  /**
   * Stores a new key. When there is no room, the key that expired first is removed.
   *
   * @throws {SvcError} `api_key_capacity` when the registry is full of keys that have not expired, or the creator has as many as one person may have.
   */
  insert(stored: StoredApiKey, limits: ApiKeyLimits, now: number): Promise<void>;
  /** Finds a key, expired or not. An unchanged key is always the same object. It runs on every use of a key, so a store that has the answer at hand returns it without a promise. */
  find(id: string): StoredApiKey | undefined | Promise<StoredApiKey | undefined>;
  /** Every key, the newest first. */
  list(): Promise<ApiKey[]>;
  /** Every key in short, in no order. */
  outlines(): Promise<ApiKeyOutline[]>;
  /** The keys with these ids that still exist, in the same order. */
  read(ids: readonly string[]): Promise<ApiKey[]>;
  /** Undefined when the key does not exist (any more), as in the two methods that follow. */
  replaceVerifier(id: string, verifier: Uint8Array, rotatedAt: number): Promise<ApiKey | undefined>;
  replaceScope(id: string, scope: ApiKeyScope): Promise<ApiKey | undefined>;
  remove(id: string): Promise<ApiKey | undefined>;
  /** Records times of last use by id. An id that no longer exists is skipped, and an earlier time does not replace a later one. */
  recordUses(uses: ReadonlyMap<string, number>): Promise<void>;
  /** Calls back, within a second, when another process has changed the key with this id; without an id when it may have changed any. */
  onChangedElsewhere(listener: (id?: string) => void): void;
}
