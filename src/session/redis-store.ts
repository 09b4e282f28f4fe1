import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../state/redis-connection.ts';
import type { Admission, SessionStore } from './session-store.ts';
import type { LoginName, Session, StoredSession } from './session.ts';
import { digestOf } from '../secret/secret.ts';
import { loginColumnOf } from './session-row.ts';

/** `<digest>` -> the session as JSON. All that a request reads. */
const SESSION = 'session:';
/** `<digest>` -> the ID Token, read once, when the session ends. */
const ID_TOKEN = 'id-token:';
/** `<public id>` -> the digest. */
const DIGEST = 'session-digest:';
/** Sorted set of digests by expiry, for the list. */
const INDEX = 'sessions';
/** `<digest of issuer and subject>` -> sorted set of the digests of the person's sessions by start. */
const PERSON = 'sessions-of:';
/** `<digest of a login's name>` -> sorted set of the digests of the sessions that began with it, by expiry. */
const LOGIN = 'sessions-by-login:';
/** Messages `<instance> <public id>` about sessions that were removed. */
const REMOVED = 'session-removed';

const LIST_CHUNK = 1_000;

export type RedisSessionStoreOptions = {
  readonly connection: RedisConnection;
  /** Active sessions of one person at most. */
  readonly perSubject: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Sessions in Redis, for any number of instances. Redis drops them when they expire; there is no capacity of ours. */
export class RedisSessionStore implements SessionStore {
  readonly #connection: RedisConnection;
  readonly #perSubject: number;
  readonly #now: () => number;
  readonly #instance = randomUUID();
  readonly #keys: Record<'session' | 'idToken' | 'digest' | 'index' | 'person' | 'login' | 'removed', string>;
  readonly #listeners: ((id: string) => void)[] = [];

  constructor(options: RedisSessionStoreOptions) {
    this.#connection = options.connection;
    this.#perSubject = options.perSubject;
    this.#now = options.now;
    const { prefix } = options.connection;
    this.#keys = { session: prefix + SESSION, idToken: prefix + ID_TOKEN, digest: prefix + DIGEST, index: prefix + INDEX, person: prefix + PERSON, login: prefix + LOGIN, removed: prefix + REMOVED };
    this.#connection.subscribe(this.#keys.removed, (message) => {
      const [instance, id] = message.split(' ', 2);
      if (instance !== this.#instance && id !== undefined) this.#tell(id);
    });
  }

  async insert(digest: string, { idToken, ...session }: StoredSession, _admission: Admission): Promise<void> {
    const now = this.#now();
    const person = this.#personOf(session);
    const expiration = { type: 'PX', value: Math.max(1, Math.ceil(session.expiresAt - now)) } as const;
    await this.#connection.run(async (client) => {
      const named = [person, ...this.#loginsOf(session)];
      // Sessions that live longer may stand there, from when the configuration let them.
      const left = await Promise.all(named.map((key) => client.pTTL(key)));
      const inserted = await client.set(this.#keys.session + digest, JSON.stringify(session), { condition: 'NX', expiration });
      if (inserted === null) throw new Error('a session with this digest exists already');
      const adding = client
        .multi()
        .set(this.#keys.idToken + digest, idToken, { expiration })
        .set(this.#keys.digest + session.id, digest, { expiration })
        .zAdd(this.#keys.index, { score: session.expiresAt, value: digest })
        .zRemRangeByScore(this.#keys.index, '-inf', now)
        .zAdd(person, { score: session.startedAt, value: digest });
      for (const login of this.#loginsOf(session)) adding.zAdd(login, { score: session.expiresAt, value: digest }).zRemRangeByScore(login, '-inf', now);
      for (const [i, key] of named.entries()) adding.pExpire(key, Math.max(expiration.value, left[i]!));
      await adding.exec();
    });
    await this.#endTooOld(person);
    await this.#connection.replicated();
  }

  /** Runs after the new session was added, so that instances where one person signs in at the same time see each other's sessions. */
  async #endTooOld(person: string): Promise<void> {
    const count = await this.#connection.run((client) => client.zCard(person));
    if (count <= this.#perSubject) return;
    const digests = await this.#connection.run((client) => client.zRange(person, 0, -1));
    const texts = await this.#connection.run((client) => client.mGet(digests.map((digest) => this.#keys.session + digest)));
    const gone = digests.filter((_digest, i) => this.#active(texts[i] ?? null) === undefined);
    if (gone.length > 0) await this.#connection.run((client) => client.zRem(person, gone));
    const active = digests.filter((digest) => !gone.includes(digest));
    for (const digest of active.slice(0, Math.max(0, active.length - this.#perSubject))) await this.remove(digest);
  }

  async find(digest: string): Promise<Session | undefined> {
    return this.#active(await this.#connection.run((client) => client.get(this.#keys.session + digest)));
  }

  async remove(digest: string): Promise<StoredSession | undefined> {
    const session = await this.find(digest);
    if (session === undefined) return undefined;
    const [found, idToken] = await this.#connection.run((client) => {
      const removing = client
        .multi()
        .get(this.#keys.session + digest)
        .get(this.#keys.idToken + digest)
        .del([this.#keys.session + digest, this.#keys.idToken + digest, this.#keys.digest + session.id])
        .zRem(this.#keys.index, digest)
        .zRem(this.#personOf(session), digest)
        .publish(this.#keys.removed, `${this.#instance} ${session.id}`);
      for (const login of this.#loginsOf(session)) removing.zRem(login, digest);
      return removing.execTyped();
    });
    // Another caller has removed the session first.
    if (found === null) return undefined;
    this.#tell(session.id);
    await this.#connection.replicated();
    return { ...session, idToken: idToken ?? '' };
  }

  async removeById(id: string): Promise<Session | undefined> {
    const digest = await this.#connection.run((client) => client.get(this.#keys.digest + id));
    const removed = digest === null ? undefined : await this.remove(digest);
    if (removed === undefined) return undefined;
    const { idToken: _, ...session } = removed;
    return session;
  }

  async idsOf(login: LoginName): Promise<string[]> {
    const digests = await this.#connection.run((client) => client.zRange(this.#loginKey(login), 0, -1));
    if (digests.length === 0) return [];
    const texts = await this.#connection.run((client) => client.mGet(digests.map((digest) => this.#keys.session + digest)));
    return texts.flatMap((text) => this.#active(text)?.id ?? []);
  }

  async list(): Promise<Session[]> {
    const [, digests] = await this.#connection.run((client) => client.multi().zRemRangeByScore(this.#keys.index, '-inf', this.#now()).zRange(this.#keys.index, 0, -1).execTyped());
    const sessions: Session[] = [];
    for (let from = 0; from < digests.length; from += LIST_CHUNK) {
      const keys = digests.slice(from, from + LIST_CHUNK).map((digest) => this.#keys.session + digest);
      for (const text of await this.#connection.run((client) => client.mGet(keys))) {
        const session = this.#active(text);
        if (session !== undefined) sessions.push(session);
      }
    }
    return sessions.sort((a, b) => b.startedAt - a.startedAt);
  }

  count(): Promise<number> {
    return this.#connection.run((client) => client.zCount(this.#keys.index, `(${this.#now()}`, '+inf'));
  }

  async recordUses(uses: ReadonlyMap<string, number>): Promise<void> {
    const all = [...uses];
    for (let from = 0; from < all.length; from += LIST_CHUNK) await this.#recordSome(all.slice(from, from + LIST_CHUNK));
  }

  /** A session is written over where it stands and keeps its expiry, so that one that was removed meanwhile does not come back. */
  async #recordSome(uses: readonly (readonly [id: string, at: number])[]): Promise<void> {
    const digests = await this.#connection.run((client) => client.mGet(uses.map(([id]) => this.#keys.digest + id)));
    const texts = await this.#connection.run((client) => client.mGet(digests.map((digest) => this.#keys.session + (digest ?? ''))));
    const used = uses.flatMap(([, at], i) => {
      const session = this.#active(texts[i] ?? null);
      return session === undefined || (session.lastUsedAt ?? 0) >= at ? [] : [{ key: this.#keys.session + digests[i]!, text: JSON.stringify({ ...session, lastUsedAt: at }) }];
    });
    await this.#connection.run((client) => Promise.all(used.map(({ key, text }) => client.set(key, text, { condition: 'XX', expiration: 'KEEPTTL' }))));
  }

  onRemoved(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  onRemovalsMissed(listener: () => void): void {
    this.#connection.onGap(listener);
  }

  check(): Promise<void> {
    return this.#connection.check();
  }

  /** Closes the connection too. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  #active(text: string | null): Session | undefined {
    if (text === null) return undefined;
    const session = JSON.parse(text) as Session;
    return session.expiresAt > this.#now() ? session : undefined;
  }

  #personOf({ identity: { issuer, subject } }: Session): string {
    return this.#keys.person + digestOf(JSON.stringify([issuer, subject]));
  }

  /** The keys under which the session is found when its provider ends the login. */
  #loginsOf({ identity: { issuer }, login }: Session): string[] {
    if (login === undefined) return [];
    const { sub, sid } = login;
    return [this.#loginKey({ issuer, sub }), ...(sid === undefined ? [] : [this.#loginKey({ issuer, sid })])];
  }

  #loginKey(login: LoginName): string {
    return this.#keys.login + digestOf(JSON.stringify([login.issuer, ...loginColumnOf(login)]));
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}
