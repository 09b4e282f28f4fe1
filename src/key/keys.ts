import { SvcError } from '../errors/svc-error.ts';
import type { Identity } from '../policy/model/identity.ts';
import type { KeyScope } from '../policy/model/key-scope.ts';
import { checkDescription, invalid, type KeyRequest } from './key-request.ts';
import type { Key, KeyKind } from './key.ts';
import type { KeyOutline, KeyStore, Owner, StoredKey } from './key-store.ts';
import { LastUse } from '../state/last-use.ts';
import { checkScope } from './scope.ts';

export type KeysOptions = {
  readonly store: KeyStore;
  /** The maximum number of keys of all creators. */
  readonly capacity: number;
  /** The maximum number of keys of one creator. */
  readonly perSubject: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** The person who manages keys in an interactive session. The operations make sure that an API key never manages keys. */
export type KeyActor = { readonly identity: Identity; readonly name: string; readonly isAdmin: boolean };

/** A new credential, and what is stored in its place. */
export type NewCredential = { readonly credential: string; readonly verifier: Uint8Array };

/** A key with its credential, which is never shown again. */
export type IssuedKey = { readonly credential: string; readonly key: Key };

export type KeyChange = 'rotated' | 'scopeReplaced' | 'revoked' | 'suspended or resumed';

/** Scopes may be long. */
const READ_AT_ONCE = 100;

/**
 * Creates and manages the keys of one kind.
 *
 * People manage the keys that they created, recognized by issuer and subject; an administrator may also list and revoke every key. Another person's key is
 * treated like a key that does not exist.
 *
 * Every method throws `state_unavailable` when the state database fails.
 *
 * @see spec "API key"
 */
export abstract class Keys {
  protected readonly store: KeyStore;
  protected readonly now: () => number;
  readonly #kind: KeyKind;
  readonly #capacity: number;
  readonly #perSubject: number;
  readonly #lastUse: LastUse;
  readonly #listeners: ((id: string, change: KeyChange) => void)[] = [];

  constructor(kind: KeyKind, options: KeysOptions) {
    this.#kind = kind;
    this.store = options.store;
    this.#capacity = options.capacity;
    this.#perSubject = options.perSubject;
    this.now = options.now;
    this.#lastUse = new LastUse((uses) => this.store.recordUses(uses), options.now);
  }

  /**
   * @throws {SvcError} `invalid_request`: the description, scope or expiry is not valid. `api_key_capacity`: the registry is full, or the actor has the maximum
   *   number of keys.
   */
  async create(request: KeyRequest, actor: KeyActor): Promise<IssuedKey> {
    const now = this.now();
    const description = checkDescription(request.description);
    checkScope(request.scope, request.provider);
    const expiresAt = this.expiryOf(request.expiresAt, now);
    const { issuer, subject, groups } = actor.identity;
    const key: Key = {
      id: this.newId(),
      description,
      ...(request.provider !== undefined && { provider: request.provider }),
      scope: request.scope,
      expiresAt,
      creator: { issuer, subject, groups: [...groups], name: actor.name },
      createdAt: now,
      rotatedAt: null,
      lastUsedAt: null,
    };
    const { credential, verifier } = this.newCredential(key.id);
    await this.store.insert(
      { key, verifier },
      { capacity: this.#capacity, perSubject: this.#perSubject, isAdmin: actor.isAdmin },
      now,
    );
    return { credential, key };
  }

  /** The actor's keys, or everybody's for an administrator: expired ones included, the newest first. */
  async list(actor: KeyActor): Promise<Key[]> {
    const keys = await this.store.list();
    return keys.filter((key) => actor.isAdmin || isCreator(key, actor)).map((key) => this.#withLastUse(key));
  }

  /** The outlines of all keys, expired ones included, unordered. For administrators. */
  outlines(): Promise<KeyOutline[]> {
    return this.store.outlines();
  }

  /** Every key that has not expired, also of suspended people, the newest first. For administrators. */
  async *unexpired(): AsyncGenerator<Key> {
    const outlines = await this.store.outlines();
    const ids = outlines.toSorted((a, b) => b.createdAt - a.createdAt).map(({ id }) => id);
    for (let at = 0; at < ids.length; at += READ_AT_ONCE)
      for (const key of await this.store.read(ids.slice(at, at + READ_AT_ONCE))) if (!this.#hasExpired(key)) yield key;
  }

  /** The keys with these ids that still exist, of any creator. For administrators. */
  async read(ids: readonly string[]): Promise<Key[]> {
    return (await this.store.read(ids)).map((key) => this.#withLastUse(key));
  }

  /**
   * Gives a key a new secret and keeps its id, description, scope and expiry. The old credential stops working at once.
   *
   * @throws {SvcError} `not_found`. `conflict`: the key has expired.
   */
  async rotate(id: string, actor: KeyActor): Promise<IssuedKey> {
    await this.#ownActive(id, actor);
    const { credential, verifier } = this.newCredential(id);
    const key = await this.store.replaceVerifier(id, verifier, this.now());
    if (key === undefined) throw this.#notFound(id);
    this.#tell(id, 'rotated');
    return { credential, key };
  }

  /**
   * Replaces the scope of a key from the next request on. The credential stays.
   *
   * @throws {SvcError} `not_found`. `invalid_request`. `conflict`: the key has expired.
   */
  async replaceScope(id: string, scope: KeyScope, actor: KeyActor): Promise<Key> {
    // A scope that no key could have is refused before it is told whether there is such a key.
    checkScope(scope);
    const { provider } = await this.#ownActive(id, actor);
    checkScope(scope, provider);
    const key = await this.store.replaceScope(id, scope);
    if (key === undefined) throw this.#notFound(id);
    this.#tell(id, 'scopeReplaced');
    return key;
  }

  /**
   * Deletes a key. It stops authenticating at once.
   *
   * @throws {SvcError} `not_found`.
   */
  async revoke(id: string, actor: KeyActor): Promise<Key> {
    const stored = await this.store.find(id);
    if (stored === undefined || !(actor.isAdmin || isCreator(stored.key, actor))) throw this.#notFound(id);
    const key = await this.store.remove(id);
    if (key === undefined) throw this.#notFound(id);
    this.#lastUse.forget(id);
    this.#tell(id, 'revoked');
    return key;
  }

  /** The active key with this id, for tickets and connections that end with their key. */
  async find(id: string): Promise<Key | undefined> {
    const stored = await this.store.find(id);
    return stored === undefined || !this.isActive(stored) ? undefined : stored.key;
  }

  /** Calls back after each change that this process makes to a key. */
  onChanged(listener: (id: string, change: KeyChange) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Calls back, within a second, when another process has changed the key with this id. Without an id, any key may have changed. Look up again the keys of open
   * sockets and transfers.
   */
  onChangesMissed(listener: (id?: string) => void): void {
    this.store.onChangedElsewhere(listener);
  }

  /** Writes the noted times of last use. Does not close the state database. */
  close(): Promise<void> {
    return this.#lastUse.close();
  }

  /** Notes that a key was used. */
  noteUse({ id, lastUsedAt }: Key): void {
    this.#lastUse.note(id, lastUsedAt ?? 0);
  }

  /** Suspends every key of a person when the person is suspended, and resumes them when not. */
  async followSuspension(owner: Owner): Promise<void> {
    for (const id of await this.store.followSuspension(owner)) this.#tell(id, 'suspended or resumed');
  }

  /** A new public id. */
  protected abstract newId(): string;

  protected abstract newCredential(id: string): NewCredential;

  /**
   * When a new key expires.
   *
   * @throws {SvcError} `invalid_request`
   */
  protected expiryOf(expiresAt: number | null, now: number): number | null {
    if (expiresAt === null || (Number.isSafeInteger(expiresAt) && expiresAt > now)) return expiresAt;
    throw invalid('expiresAt', 'give a time in the future, or null for a key that does not expire');
  }

  /** Whether a key can be used. */
  protected isActive({ key, isSuspended }: StoredKey): boolean {
    return !isSuspended && !this.#hasExpired(key);
  }

  async #ownActive(id: string, actor: KeyActor): Promise<Key> {
    const stored = await this.store.find(id);
    if (stored === undefined || !isCreator(stored.key, actor)) throw this.#notFound(id);
    if (this.#hasExpired(stored.key))
      throw new SvcError('conflict', { detail: `the ${this.#kind.name} \`${id}\` has expired; create a new one` });
    return stored.key;
  }

  #withLastUse(key: Key): Key {
    return { ...key, lastUsedAt: this.#lastUse.latest(key.id, key.lastUsedAt) };
  }

  #hasExpired(key: Key): boolean {
    return key.expiresAt !== null && key.expiresAt <= this.now();
  }

  #notFound(id: string): SvcError {
    return new SvcError('not_found', { detail: `there is no ${this.#kind.name} \`${id}\` of yours` });
  }

  #tell(id: string, change: KeyChange): void {
    for (const listener of this.#listeners) listener(id, change);
  }
}

function isCreator(key: Key, { identity }: KeyActor): boolean {
  return key.creator.issuer === identity.issuer && key.creator.subject === identity.subject;
}
