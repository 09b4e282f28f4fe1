import type { KeyScope } from '../policy/model/key-scope.ts';
import type { Key } from './key.ts';

/** A key as it is stored. Times are milliseconds since the epoch. */
export type StoredKey = {
  readonly key: Key;
  /** With which the secret is checked or derived; never the secret. */
  readonly verifier: Uint8Array;
  /** When the creator has last signed in; null when they have not since the key was made. */
  readonly signedInAt: number | null;
  readonly isSuspended: boolean;
};

/** The person who made a key. */
export type Owner = { readonly issuer: string; readonly subject: string };

/** A key without its scope, which may be long. Lists of keys are filtered and sorted by it. */
export type KeyOutline = Pick<Key, 'id' | 'createdAt'> & {
  readonly creator: { readonly issuer: string; readonly subject: string; readonly name: string };
};

/** The maximum number of keys: `perSubject` for one creator, `capacity` for all. An administrator has a reserve above `capacity`. */
export type KeyLimits = { readonly capacity: number; readonly perSubject: number; readonly isAdmin: boolean };

/**
 * The store of the keys of one kind, by public id.
 *
 * Every store passes `tests/contract/api-keys.ts` and `s3-keys.ts`. Every method throws `state_unavailable` when the state database fails.
 */
export interface KeyStore {
  /**
   * Stores a new key, which is suspended when its creator is. When there is no room, the key that expired first is removed.
   *
   * @throws {SvcError} `api_key_capacity` when the registry is full of unexpired keys, or the creator has the maximum number of keys.
   */
  insert(stored: Pick<StoredKey, 'key' | 'verifier'>, limits: KeyLimits, now: number): Promise<void>;
  /**
   * Finds a key, expired or not. An unchanged key is always the same object. Every use of a key calls this, so a store that has cached the key returns it
   * without a promise.
   */
  find(id: string): StoredKey | undefined | Promise<StoredKey | undefined>;
  /** Every key, the newest first. */
  list(): Promise<Key[]>;
  /** The outline of every key, unordered. */
  outlines(): Promise<KeyOutline[]>;
  /** The keys with these ids that still exist, in the same order. */
  read(ids: readonly string[]): Promise<Key[]>;
  /** Returns the changed key; undefined when it does not exist. So do the next two methods. */
  replaceVerifier(id: string, verifier: Uint8Array, rotatedAt: number): Promise<Key | undefined>;
  replaceScope(id: string, scope: KeyScope): Promise<Key | undefined>;
  remove(id: string): Promise<Key | undefined>;
  /** Notes that the person has signed in, at each of their keys for which the last noted time is before `unless`. */
  noteSignIn(owner: Owner, at: number, unless: number): Promise<void>;
  /**
   * Suspends every key of the person when the person is suspended, and resumes them when not.
   *
   * @returns the ids of the keys that changed.
   */
  followSuspension(owner: Owner): Promise<string[]>;
  /** Records times of last use by id. An id that no longer exists is skipped, and an earlier time does not replace a later one. */
  recordUses(uses: ReadonlyMap<string, number>): Promise<void>;
  /** Calls back, within a second, when another process has changed the key with this id. Without an id, any key may have changed. */
  onChangedElsewhere(listener: (id?: string) => void): void;
}
