import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../state/redis-connection.ts';
import type { Admission, SessionStore } from './session-store.ts';
import type { LoginName, Session, SessionOfLogin, StoredSession } from './session.ts';
import { digestOf } from '../secret/secret.ts';
import { sessionOfLogin, loginDigest } from './login-name.ts';

/** `<digest>` -> the session as JSON. A request reads only this key. */
const SESSION = 'session:';
/** `<digest>` -> the ID token, which is read once, when the session ends. */
const ID_TOKEN = 'id-token:';
/** `<public id>` -> the digest. */
const DIGEST = 'session-digest:';
/** Sorted set of digests by expiry, for the list of sessions. */
const INDEX = 'sessions';
/** `<digest of issuer and subject>` -> sorted set of the digests of the person's sessions by start. */
const PERSON = 'sessions-of:';
/** `<digest of a login's name>` -> sorted set of the digests of the sessions that began with the login, by expiry. */
const LOGIN = 'sessions-by-login:';
/** Channel for messages `<instance> <public id>` about removed sessions. */
const REMOVED = 'session-removed';

const LIST_CHUNK = 1_000;

export type RedisSessionStoreOptions = {
  readonly connection: RedisConnection;
  /** Maximum number of active sessions of one person. */
  readonly perSubject: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Keeps sessions in Redis, for any number of instances. Redis removes them when they expire; there is no capacity limit. */
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
    this.#keys = {
      session: prefix + SESSION,
      idToken: prefix + ID_TOKEN,
      digest: prefix + DIGEST,
      index: prefix + INDEX,
      person: prefix + PERSON,
      login: prefix + LOGIN,
      removed: prefix + REMOVED,
    };
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
      // The set may contain sessions that live longer, from before the configured lifetime was reduced.
      const left = await Promise.all(named.map((key) => client.pTTL(key)));
      const inserted = await client.set(this.#keys.session + digest, JSON.stringify(session), {
        condition: 'NX',
        expiration,
      });
      if (inserted === null) throw new Error('a session with this digest exists already');
      const adding = client
        .multi()
        .set(this.#keys.idToken + digest, idToken, { expiration })
        .set(this.#keys.digest + session.id, digest, { expiration })
        .zAdd(this.#keys.index, { score: session.expiresAt, value: digest })
        .zRemRangeByScore(this.#keys.index, '-inf', now)
        .zAdd(person, { score: session.startedAt, value: digest });
      for (const login of this.#loginsOf(session))
        adding.zAdd(login, { score: session.expiresAt, value: digest }).zRemRangeByScore(login, '-inf', now);
      for (const [i, key] of named.entries()) adding.pExpire(key, Math.max(expiration.value, left[i]!));
      await adding.exec();
    });
    await this.#endTooOld(person);
    await this.#connection.replicated();
  }

  /** Runs after the new session was added, so that instances on which one person signs in at the same time see each other's sessions. */
  async #endTooOld(person: string): Promise<void> {
    const count = await this.#connection.run((client) => client.zCard(person));
    if (count <= this.#perSubject) return;
    const digests = await this.#connection.run((client) => client.zRange(person, 0, -1));
    const texts = await this.#connection.run((client) =>
      client.mGet(digests.map((digest) => this.#keys.session + digest)),
    );
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
    // Without a transaction, because a Redis that is full accepts none. The commands are sent at once.
    const [idToken, deleted] = await this.#connection.run((client) =>
      Promise.all([
        client.get(this.#keys.idToken + digest),
        client.del([this.#keys.session + digest, this.#keys.idToken + digest, this.#keys.digest + session.id]),
        client.publish(this.#keys.removed, `${this.#instance} ${session.id}`),
        ...[this.#keys.index, this.#personOf(session), ...this.#loginsOf(session)].map((set) =>
          client.zRem(set, digest),
        ),
      ]),
    );
    // Another caller has removed the session first.
    if (deleted === 0) return undefined;
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

  async ofLogin(login: LoginName): Promise<SessionOfLogin[]> {
    const found = await this.#connection.run((client) =>
      Promise.all(this.#loginKeys(login).map((key) => client.zRange(key, 0, -1))),
    );
    const digests = [...new Set(found.flat())];
    if (digests.length === 0) return [];
    const texts = await this.#connection.run((client) =>
      client.mGet(digests.map((digest) => this.#keys.session + digest)),
    );
    return texts.flatMap((text) => {
      const session = this.#active(text);
      return session === undefined ? [] : sessionOfLogin(login, session);
    });
  }

  async list(): Promise<Session[]> {
    const [, digests] = await this.#connection.run((client) =>
      Promise.all([
        client.zRemRangeByScore(this.#keys.index, '-inf', this.#now()),
        client.zRange(this.#keys.index, 0, -1),
      ]),
    );
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
    for (let from = 0; from < all.length; from += LIST_CHUNK)
      await this.#recordSome(all.slice(from, from + LIST_CHUNK));
  }

  /** Overwrites only sessions that exist and keeps their expiry, so that a session that was removed in the meantime does not come back. */
  async #recordSome(uses: readonly (readonly [id: string, at: number])[]): Promise<void> {
    const digests = await this.#connection.run((client) => client.mGet(uses.map(([id]) => this.#keys.digest + id)));
    const texts = await this.#connection.run((client) =>
      client.mGet(digests.map((digest) => this.#keys.session + (digest ?? ''))),
    );
    const used = uses.flatMap(([, at], i) => {
      const session = this.#active(texts[i] ?? null);
      return session === undefined || (session.lastUsedAt ?? 0) >= at
        ? []
        : [{ key: this.#keys.session + digests[i]!, text: JSON.stringify({ ...session, lastUsedAt: at }) }];
    });
    await this.#connection.run((client) =>
      Promise.all(used.map(({ key, text }) => client.set(key, text, { condition: 'XX', expiration: 'KEEPTTL' }))),
    );
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
    return login === undefined ? [] : this.#loginKeys({ issuer, ...login });
  }

  #loginKeys({ issuer, sub, sid }: LoginName): string[] {
    const names: readonly LoginName[] = [
      ...(sub === undefined ? [] : [{ issuer, sub }]),
      ...(sid === undefined ? [] : [{ issuer, sid }]),
    ];
    return names.map((name) => this.#keys.login + loginDigest(name));
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}
