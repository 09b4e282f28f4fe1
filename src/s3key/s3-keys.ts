import { randomBytes } from 'node:crypto';
import { isPromise } from 'node:util/types';
import { LRUCache } from 'lru-cache';
import type { Key, KeyKind } from '../key/key.ts';
import type { Owner, StoredKey } from '../key/key-store.ts';
import { invalid } from '../key/key-request.ts';
import { Keys, type KeysOptions, type NewCredential } from '../key/keys.ts';
import { isGenuine, newAccessKeyId, secretAccessKeyOf } from './s3-key-credential.ts';

export const S3_KEYS: KeyKind = {
  table: 's3_keys',
  name: 'S3 key',
  limits: { capacity: 's3.key_capacity', perSubject: undefined },
};

/** A key of the S3 endpoint. Its `id` is the access key id. */
export type S3Key = Key & { readonly provider: string };

/** A key and the secrets with which its requests may be signed: one for each secret of the service. */
export type S3KeySecrets = { readonly key: S3Key; readonly secretAccessKeys: readonly string[] };

export type S3KeysOptions = Omit<KeysOptions, 'perSubject'> & {
  /** The first one is for new keys; keys of every one verify. */
  readonly secrets: readonly string[];
  readonly maxLifetimeDays: number;
  /** 0 when keys do not rest. */
  readonly maxDaysSinceSignIn: number;
};

const PER_SUBJECT = 64;
const DAY_MS = 86_400_000;
const REVISION_BYTES = 16;
const MAX_GENUINE = 4_096;
/** A sign-in is noted again after this time. */
const SIGN_IN_RESOLUTION_MS = 3_600_000;

/**
 * The keys of the S3 endpoint, whose secrets sign requests.
 *
 * A secret is derived from the service's own secret, the access key id and a random revision, so the state database contains none.
 */
export class S3Keys extends Keys {
  readonly #maxLifetimeDays: number;
  readonly #maxDaysSinceSignIn: number;
  #secrets: readonly string[];
  /** Access key ids that were made with one of the secrets. */
  readonly #genuine = new LRUCache<string, true>({ max: MAX_GENUINE });
  /** The secrets of each stored key, which is the same object until it changes. */
  #derived = new WeakMap<StoredKey, S3KeySecrets>();

  constructor(options: S3KeysOptions) {
    super(S3_KEYS, { ...options, perSubject: PER_SUBJECT });
    this.#secrets = options.secrets;
    this.#maxLifetimeDays = options.maxLifetimeDays;
    this.#maxDaysSinceSignIn = options.maxDaysSinceSignIn;
  }

  /** Replaces the secrets from which those of the keys are derived. */
  replaceSecrets(secrets: readonly string[]): void {
    this.#secrets = secrets;
    this.#genuine.clear();
    this.#derived = new WeakMap();
  }

  /**
   * The key of an access key id with its secrets; undefined when the id is malformed, forged, unknown or revoked, or the key has expired or rests, without
   * telling which. There is no promise when the store has the key in memory.
   */
  secretsOf(accessKeyId: string): S3KeySecrets | undefined | Promise<S3KeySecrets | undefined> {
    if (!this.#genuine.has(accessKeyId)) {
      if (!isGenuine(accessKeyId, this.#secrets)) return undefined;
      this.#genuine.set(accessKeyId, true);
    }
    const found = this.store.find(accessKeyId);
    return isPromise(found) ? found.then((stored) => this.#secretsOf(stored)) : this.#secretsOf(found);
  }

  /** Notes a sign-in of a person, whose keys no longer rest. */
  async noteSignIn(owner: Owner): Promise<void> {
    const now = this.now();
    await this.store.noteSignIn(owner, now, now - SIGN_IN_RESOLUTION_MS);
  }

  protected newId(): string {
    return newAccessKeyId(this.#secrets[0]!);
  }

  protected newCredential(id: string): NewCredential {
    const verifier = randomBytes(REVISION_BYTES);
    return { credential: secretAccessKeyOf(id, verifier, this.#secrets[0]!), verifier };
  }

  /** @throws {SvcError} `invalid_request` */
  protected override expiryOf(expiresAt: number | null, now: number): number {
    const latest = now + this.#maxLifetimeDays * DAY_MS;
    const asked = super.expiryOf(expiresAt, now) ?? latest;
    if (asked > latest) throw invalid('expiresAt', `give a time within ${this.#maxLifetimeDays} days`);
    return asked;
  }

  protected override isActive(stored: StoredKey): boolean {
    return super.isActive(stored) && !this.#rests(stored);
  }

  #rests({ key, signedInAt }: StoredKey): boolean {
    const last = Math.max(key.createdAt, signedInAt ?? 0);
    return this.#maxDaysSinceSignIn > 0 && last + this.#maxDaysSinceSignIn * DAY_MS <= this.now();
  }

  #secretsOf(stored: StoredKey | undefined): S3KeySecrets | undefined {
    if (stored === undefined || !isS3Key(stored.key) || !this.isActive(stored)) return undefined;
    const known = this.#derived.get(stored);
    if (known !== undefined) return known;
    const { key, verifier } = stored;
    const secretAccessKeys = this.#secrets.map((secret) => secretAccessKeyOf(key.id, verifier, secret));
    const derived = { key, secretAccessKeys };
    this.#derived.set(stored, derived);
    return derived;
  }
}

function isS3Key(key: Key): key is S3Key {
  return key.provider !== undefined;
}
