import type { ApiKey, ApiKeyScope } from './api-key.ts';

/** A key as it is stored: with the SHA-256 of its secret, never the secret. */
export type StoredApiKey = { readonly key: ApiKey; readonly verifier: Uint8Array };

/** A key without its scope, which may be long. Lists of keys are filtered and sorted by it. */
export type ApiKeyOutline = Pick<ApiKey, 'id' | 'createdAt'> & {
  readonly creator: { readonly issuer: string; readonly subject: string; readonly name: string };
};

/** The maximum number of keys: `perSubject` for one creator, `capacity` for all. An administrator has a reserve above `capacity`. */
export type ApiKeyLimits = { readonly capacity: number; readonly perSubject: number; readonly isAdmin: boolean };

/**
 * The store of API keys, by public id.
 *
 * Every store passes `tests/contract/api-keys.ts`. Every method throws `state_unavailable` when the state database fails.
 */
export interface ApiKeyStore {
  /**
   * Stores a new key. When there is no room, the key that expired first is removed.
   *
   * @throws {SvcError} `api_key_capacity` when the registry is full of unexpired keys, or the creator has the maximum number of keys.
   */
  insert(stored: StoredApiKey, limits: ApiKeyLimits, now: number): Promise<void>;
  /**
   * Finds a key, expired or not. An unchanged key is always the same object. Every use of a key calls this, so a store that has cached the key returns it
   * without a promise.
   */
  find(id: string): StoredApiKey | undefined | Promise<StoredApiKey | undefined>;
  /** Every key, the newest first. */
  list(): Promise<ApiKey[]>;
  /** The outline of every key, unordered. */
  outlines(): Promise<ApiKeyOutline[]>;
  /** The keys with these ids that still exist, in the same order. */
  read(ids: readonly string[]): Promise<ApiKey[]>;
  /** Returns the changed key; undefined when it does not exist. So do the next two methods. */
  replaceVerifier(id: string, verifier: Uint8Array, rotatedAt: number): Promise<ApiKey | undefined>;
  replaceScope(id: string, scope: ApiKeyScope): Promise<ApiKey | undefined>;
  remove(id: string): Promise<ApiKey | undefined>;
  /** Records times of last use by id. An id that no longer exists is skipped, and an earlier time does not replace a later one. */
  recordUses(uses: ReadonlyMap<string, number>): Promise<void>;
  /** Calls back, within a second, when another process has changed the key with this id. Without an id, any key may have changed. */
  onChangedElsewhere(listener: (id?: string) => void): void;
}
