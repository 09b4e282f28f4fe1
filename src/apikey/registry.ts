import { SvcError } from '../errors/svc-error.ts';
import type { Identity } from '../policy/model/identity.ts';
import { newPublicId, newSecret } from '../secret/secret.ts';
import {
  formatApiKeyCredential,
  matchesVerifier,
  parseApiKeyCredential,
  verifierOf,
  type ApiKey,
  type ApiKeyScope,
} from './api-key.ts';
import type { ApiKeyOutline, ApiKeyStore } from './api-key-store.ts';
import { LastUse } from '../state/last-use.ts';
import { checkScope } from './scope.ts';

export type ApiKeysOptions = {
  readonly store: ApiKeyStore;
  /** The maximum number of keys of all creators. */
  readonly capacity: number;
  /** The maximum number of keys of one creator. */
  readonly perSubject: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** The person who manages keys in an interactive session. The operations make sure that an API key never manages keys. */
export type ApiKeyActor = { readonly identity: Identity; readonly name: string; readonly isAdmin: boolean };

export type ApiKeyRequest = {
  readonly description: string;
  readonly scope: ApiKeyScope;
  /** Milliseconds since the epoch; null for a key that does not expire. */
  readonly expiresAt: number | null;
};

/** A key with its credential, which is never shown again. */
export type IssuedApiKey = { readonly credential: string; readonly key: ApiKey };

export type ApiKeyChange = 'rotated' | 'scopeReplaced' | 'revoked';

const MAX_DESCRIPTION_CHARACTERS = 200;

/**
 * Creates, manages and authenticates API keys.
 *
 * People manage the keys that they created, recognized by issuer and subject; an administrator may also list and revoke every key. Another person's key is
 * treated like a key that does not exist.
 *
 * Every method throws `state_unavailable` when the state database fails.
 *
 * @see spec "API key"
 */
export class ApiKeys {
  readonly #store: ApiKeyStore;
  readonly #capacity: number;
  readonly #perSubject: number;
  readonly #now: () => number;
  readonly #lastUse: LastUse;
  readonly #listeners: ((id: string, change: ApiKeyChange) => void)[] = [];

  constructor(options: ApiKeysOptions) {
    this.#store = options.store;
    this.#capacity = options.capacity;
    this.#perSubject = options.perSubject;
    this.#now = options.now;
    this.#lastUse = new LastUse((uses) => this.#store.recordUses(uses), options.now);
  }

  /**
   * @throws {SvcError} `invalid_request`: the description, scope or expiry is not valid. `api_key_capacity`: the registry is full, or the actor has the maximum
   *   number of keys.
   */
  async create(request: ApiKeyRequest, actor: ApiKeyActor): Promise<IssuedApiKey> {
    const now = this.#now();
    const description = checkDescription(request.description);
    checkScope(request.scope);
    checkExpiry(request.expiresAt, now);
    const { issuer, subject, groups } = actor.identity;
    const key: ApiKey = {
      id: newPublicId(),
      description,
      scope: request.scope,
      expiresAt: request.expiresAt,
      creator: { issuer, subject, groups: [...groups], name: actor.name },
      createdAt: now,
      rotatedAt: null,
      lastUsedAt: null,
    };
    const secret = newSecret();
    await this.#store.insert(
      { key, verifier: verifierOf(secret) },
      { capacity: this.#capacity, perSubject: this.#perSubject, isAdmin: actor.isAdmin },
      now,
    );
    return { credential: formatApiKeyCredential({ id: key.id, secret }), key };
  }

  /** The actor's keys, or everybody's for an administrator: expired ones included, the newest first. */
  async list(actor: ApiKeyActor): Promise<ApiKey[]> {
    const keys = await this.#store.list();
    return keys.filter((key) => actor.isAdmin || isCreator(key, actor)).map((key) => this.#withLastUse(key));
  }

  /** The outlines of all keys, expired ones included, unordered. For administrators. */
  outlines(): Promise<ApiKeyOutline[]> {
    return this.#store.outlines();
  }

  /** The keys with these ids that still exist, of any creator. For administrators. */
  async read(ids: readonly string[]): Promise<ApiKey[]> {
    return (await this.#store.read(ids)).map((key) => this.#withLastUse(key));
  }

  /**
   * Gives a key a new secret and keeps its id, description, scope and expiry. The old credential stops working at once.
   *
   * @throws {SvcError} `not_found`. `conflict`: the key has expired.
   */
  async rotate(id: string, actor: ApiKeyActor): Promise<IssuedApiKey> {
    await this.#ownActive(id, actor);
    const secret = newSecret();
    const key = await this.#store.replaceVerifier(id, verifierOf(secret), this.#now());
    if (key === undefined) throw notFound(id);
    this.#tell(id, 'rotated');
    return { credential: formatApiKeyCredential({ id, secret }), key };
  }

  /**
   * Replaces the scope of a key from the next request on. The credential stays.
   *
   * @throws {SvcError} `not_found`. `invalid_request`. `conflict`: the key has expired.
   */
  async replaceScope(id: string, scope: ApiKeyScope, actor: ApiKeyActor): Promise<ApiKey> {
    checkScope(scope);
    await this.#ownActive(id, actor);
    const key = await this.#store.replaceScope(id, scope);
    if (key === undefined) throw notFound(id);
    this.#tell(id, 'scopeReplaced');
    return key;
  }

  /**
   * Deletes a key. It stops authenticating at once.
   *
   * @throws {SvcError} `not_found`.
   */
  async revoke(id: string, actor: ApiKeyActor): Promise<ApiKey> {
    const stored = await this.#store.find(id);
    if (stored === undefined || !(actor.isAdmin || isCreator(stored.key, actor))) throw notFound(id);
    const key = await this.#store.remove(id);
    if (key === undefined) throw notFound(id);
    this.#lastUse.forget(id);
    this.#tell(id, 'revoked');
    return key;
  }

  /**
   * The key of a credential; undefined when the credential is malformed, unknown, rotated, revoked or expired, without telling which. It is looked up in the
   * store each time, so that a change by another process takes effect at once.
   */
  async authenticate(credential: string): Promise<ApiKey | undefined> {
    const parts = parseApiKeyCredential(credential);
    if (parts === undefined) return undefined;
    const stored = await this.#store.find(parts.id);
    if (stored === undefined || !matchesVerifier(parts.secret, stored.verifier) || this.#hasExpired(stored.key))
      return undefined;
    this.#lastUse.note(stored.key.id, stored.key.lastUsedAt ?? 0);
    return stored.key;
  }

  /** The active key with this id, for tickets and connections that end with their key. */
  async find(id: string): Promise<ApiKey | undefined> {
    const stored = await this.#store.find(id);
    return stored === undefined || this.#hasExpired(stored.key) ? undefined : stored.key;
  }

  /** Calls back after each change that this process makes to a key. */
  onChanged(listener: (id: string, change: ApiKeyChange) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Calls back, within a second, when another process has changed the key with this id. Without an id, any key may have changed. Look up again the keys of open
   * sockets and transfers.
   */
  onChangesMissed(listener: (id?: string) => void): void {
    this.#store.onChangedElsewhere(listener);
  }

  /** Writes the noted times of last use. Does not close the state database. */
  close(): Promise<void> {
    return this.#lastUse.close();
  }

  async #ownActive(id: string, actor: ApiKeyActor): Promise<void> {
    const stored = await this.#store.find(id);
    if (stored === undefined || !isCreator(stored.key, actor)) throw notFound(id);
    if (this.#hasExpired(stored.key))
      throw new SvcError('conflict', { detail: `the API key \`${id}\` has expired; create a new one` });
  }

  #withLastUse(key: ApiKey): ApiKey {
    return { ...key, lastUsedAt: this.#lastUse.latest(key.id, key.lastUsedAt) };
  }

  #hasExpired(key: ApiKey): boolean {
    return key.expiresAt !== null && key.expiresAt <= this.#now();
  }

  #tell(id: string, change: ApiKeyChange): void {
    for (const listener of this.#listeners) listener(id, change);
  }
}

function isCreator(key: ApiKey, { identity }: ApiKeyActor): boolean {
  return key.creator.issuer === identity.issuer && key.creator.subject === identity.subject;
}

function checkDescription(description: string): string {
  const trimmed = description.trim();
  if (trimmed !== '' && trimmed.length <= MAX_DESCRIPTION_CHARACTERS) return trimmed;
  throw invalid('description', `say in 1 to ${MAX_DESCRIPTION_CHARACTERS} characters what the key is for`);
}

function checkExpiry(expiresAt: number | null, now: number): void {
  if (expiresAt === null || (Number.isSafeInteger(expiresAt) && expiresAt > now)) return;
  throw invalid('expiresAt', 'give a time in the future, or null for a key that does not expire');
}

function invalid(path: string, message: string): SvcError {
  return new SvcError('invalid_request', { detail: `${path}: ${message}`, members: { errors: [{ path, message }] } });
}

function notFound(id: string): SvcError {
  return new SvcError('not_found', { detail: `there is no API key \`${id}\` of yours` });
}
