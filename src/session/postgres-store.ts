import { LRUCache } from 'lru-cache';
import { placesFor } from '../state/places.ts';
import type { PostgresChanges } from '../state/postgres-changes.ts';
import type { Ask } from '../state/postgres-ask.ts';
import type { PostgresDatabase } from '../state/postgres-database.ts';
import { sessionCapacity } from './session-capacity.ts';
import { SESSION_COLUMNS, sessionOf } from './session-row.ts';
import type { Admission, SessionStore } from './session-store.ts';
import type { LoginName, Session, SessionOfLogin, StoredSession } from './session.ts';

export type PostgresSessionStoreOptions = {
  readonly database: PostgresDatabase;
  readonly changes: PostgresChanges;
  /** Maximum number of active sessions, over all instances. */
  readonly capacity: number;
  /** Maximum number of active sessions of one person. */
  readonly perSubject: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** How many sessions one instance keeps in memory. */
const KEPT = 50_000;
/** How many expired sessions a sign-in removes, unless more room is needed. */
const DROPPED = 1_000;

const FIND = `SELECT ${SESSION_COLUMNS} FROM svc.sessions WHERE digest = $1 AND expires_at > $2`;
const REMOVE = `DELETE FROM svc.sessions WHERE digest = $1 RETURNING digest, ${SESSION_COLUMNS}, id_token`;
const REMOVE_BY_ID = `DELETE FROM svc.sessions WHERE id = $1 RETURNING digest, ${SESSION_COLUMNS}, id_token`;
const OF_LOGIN =
  'SELECT id, login_sub FROM svc.sessions WHERE issuer = $1 AND (login_sid = $2 OR login_sub = $3 AND ($2::text IS NULL OR login_sid IS NULL))';
const DROP_EXPIRED =
  'DELETE FROM svc.sessions WHERE digest IN (SELECT digest FROM svc.sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2) RETURNING digest';
const DROP_OLDEST = `DELETE FROM svc.sessions WHERE digest IN (
    SELECT digest FROM svc.sessions WHERE issuer = $1 AND subject = $2 AND expires_at > $3 ORDER BY started_at DESC, id OFFSET $4
  ) RETURNING digest, id`;

/** Keeps sessions in PostgreSQL, for any number of instances. A session that was found stays in memory as long as the changes of all instances are known. */
export class PostgresSessionStore implements SessionStore {
  readonly #db: PostgresDatabase;
  readonly #changes: PostgresChanges;
  readonly #options: PostgresSessionStoreOptions;
  readonly #found = new LRUCache<string, Session>({ max: KEPT, dispose: ({ id }) => void this.#digests.delete(id) });
  /** Digests of the sessions in memory, by public id. */
  readonly #digests = new Map<string, string>();
  readonly #removedListeners: ((id: string) => void)[] = [];
  readonly #missedListeners: (() => void)[] = [];

  constructor(options: PostgresSessionStoreOptions) {
    this.#db = options.database;
    this.#changes = options.changes;
    this.#options = options;
    this.#changes.on('session', {
      changed: (id) => this.#tell(id),
      missed: () => this.#forget(),
    });
  }

  async insert(digest: string, session: StoredSession, admission: Admission): Promise<void> {
    const { issuer, subject, groups } = session.identity;
    const inserting = this.#db.transaction(async (ask) => {
      const ids = await this.#makeRoom(ask, session, admission);
      await ask(
        `INSERT INTO svc.sessions (digest, ${SESSION_COLUMNS}, id_token) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
        [
          digest,
          session.id,
          session.kind,
          issuer,
          subject,
          JSON.stringify(groups),
          session.name,
          session.startedAt,
          session.expiresAt,
          session.address ?? null,
          session.lastUsedAt ?? null,
          session.login?.sub ?? null,
          session.login?.sid ?? null,
          session.idToken,
        ],
      );
      await this.#changes.note(ask, 'session', ids);
      return ids;
    });
    const ended = await inserting.catch((error: unknown) => this.#doubtAll(error));
    this.#tellOwn(ended);
    if (ended.length > 0) await this.#changes.noticed();
  }

  find(digest: string): Session | undefined | Promise<Session | undefined> {
    const found = this.#found.get(digest);
    if (found === undefined || !this.#changes.areKnown) return this.#read(digest);
    return found.expiresAt > this.#options.now() ? found : undefined;
  }

  async remove(digest: string): Promise<StoredSession | undefined> {
    return this.#remove(REMOVE, digest);
  }

  async removeById(id: string): Promise<Session | undefined> {
    const removed = await this.#remove(REMOVE_BY_ID, id);
    if (removed === undefined) return undefined;
    const { idToken: _, ...session } = removed;
    return session;
  }

  async ofLogin({ issuer, sid, sub }: LoginName): Promise<SessionOfLogin[]> {
    const rows = await this.#db.query(OF_LOGIN, [issuer, sid ?? null, sub ?? null]);
    return rows.map(({ id, login_sub: person }) => ({ id: String(id), sub: String(person) }));
  }

  async list(): Promise<Session[]> {
    const rows = await this.#db.query(
      `SELECT ${SESSION_COLUMNS} FROM svc.sessions WHERE expires_at > $1 ORDER BY started_at DESC, id`,
      [this.#options.now()],
    );
    return rows.map(sessionOf);
  }

  /** Subtracts the expired sessions from the total. They are few, because each sign-in removes some. */
  async count(): Promise<number> {
    const [row] = await this.#db.query(
      `SELECT count - (SELECT count(*) FROM svc.sessions WHERE expires_at <= $1) AS active FROM svc.tallies WHERE name = 'sessions'`,
      [this.#options.now()],
    );
    return Number(row?.['active']);
  }

  recordUses(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.#db.transaction(async (ask) => {
      await ask(
        'UPDATE svc.sessions SET last_used_at = greatest(last_used_at, used.at) FROM unnest($1::text[], $2::bigint[]) AS used (id, at) WHERE sessions.id = used.id',
        [[...uses.keys()], [...uses.values()]],
      );
    });
  }

  onRemoved(listener: (id: string) => void): void {
    this.#removedListeners.push(listener);
  }

  onRemovalsMissed(listener: () => void): void {
    this.#missedListeners.push(listener);
  }

  check(): Promise<void> {
    return this.#db.check();
  }

  async close(): Promise<void> {
    // The owner of the database closes it.
  }

  /** Makes room for one more session, and returns the public ids of the person's sessions that end for it. */
  async #makeRoom(ask: Ask, { identity: { issuer, subject } }: StoredSession, admission: Admission): Promise<string[]> {
    const { capacity, perSubject, now } = this.#options;
    const [tally] = await ask(`SELECT count FROM svc.tallies WHERE name = 'sessions' FOR UPDATE`);
    const places = placesFor(admission, capacity);
    const oldest = await ask(DROP_OLDEST, [issuer, subject, now(), perSubject - 1]);
    let standing = Number(tally?.['count']) - oldest.length;
    standing -= (await ask(DROP_EXPIRED, [now(), Math.max(DROPPED, standing + 1 - places)])).length;
    if (standing >= places) throw sessionCapacity(capacity);
    return oldest.map(({ id }) => String(id));
  }

  async #read(digest: string): Promise<Session | undefined> {
    const { areKnown, turn } = this.#changes;
    const [row] = await this.#db.query(FIND, [digest, this.#options.now()]);
    if (row === undefined) return undefined;
    const session = sessionOf(row);
    // Does not keep a session that may have been removed in the meantime, or whose removal would not be noticed, because the changes have not been read yet.
    if (areKnown && turn === this.#changes.turn) {
      this.#found.set(digest, session);
      this.#digests.set(session.id, digest);
    }
    return session;
  }

  /** Removes the session and returns it, unless it had expired. */
  async #remove(sql: string, name: string): Promise<StoredSession | undefined> {
    const removing = this.#db.transaction(async (ask) => {
      const removed = await ask(sql, [name]);
      const active = removed.filter((row) => Number(row['expires_at']) > this.#options.now());
      await this.#changes.note(
        ask,
        'session',
        active.map(({ id }) => String(id)),
      );
      return active;
    });
    const [row] = await removing.catch((error: unknown) => this.#doubtAll(error));
    if (row === undefined) {
      // The session has ended already, and whoever ended it may have failed before announcing it.
      this.#found.delete(this.#digests.get(name) ?? name);
      return undefined;
    }
    this.#tellOwn([String(row['id'])]);
    await this.#changes.noticed();
    return { ...sessionOf(row), idToken: String(row['id_token']) };
  }

  /** After a lost connection it is unknown whether sessions have ended. */
  #doubtAll(error: unknown): never {
    this.#forget();
    throw error;
  }

  #tellOwn(ids: readonly string[]): void {
    if (ids.length > 0) this.#changes.passOn();
    for (const id of ids) this.#tell(id);
  }

  /** Drops every session from memory, so that each is looked up again. */
  #forget(): void {
    this.#changes.passOn();
    this.#found.clear();
    for (const listener of this.#missedListeners) listener();
  }

  #tell(id: string): void {
    const digest = this.#digests.get(id);
    if (digest !== undefined) this.#found.delete(digest);
    for (const listener of this.#removedListeners) listener(id);
  }
}
