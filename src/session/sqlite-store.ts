import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { StateDatabase } from '../state/database.ts';
import type { Notices } from '../state/notices.ts';
import { placesFor } from '../state/places.ts';
import { EndedRows } from './ended-rows.ts';
import { sessionCapacity } from './session-capacity.ts';
import { SESSION_COLUMNS, sessionOf } from './session-row.ts';
import type { Admission, SessionStore } from './session-store.ts';
import type { LoginName, Session, SessionOfLogin, StoredSession } from './session.ts';

type Row = Record<string, SQLOutputValue>;

export type SqliteSessionStoreOptions = {
  readonly database: StateDatabase;
  /** Maximum number of active sessions. */
  readonly capacity: number;
  /** Maximum number of active sessions of one person. */
  readonly perSubject: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Set when several processes of this service use the database. */
  readonly notices?: Notices | undefined;
};

/** How many sessions are kept in memory. */
const KEPT = 50_000;

/**
 * Keeps sessions in the state database: for the processes of one machine; they survive a restart.
 *
 * A session that was found stays in memory, because reading the file costs more than the rest of the request. Removals by this process and by those that tell it
 * take effect at once, changes by another process after half a second.
 */
export class SqliteSessionStore implements SessionStore {
  readonly #db: StateDatabase;
  readonly #capacity: number;
  readonly #perSubject: number;
  readonly #now: () => number;
  readonly #found: LRUCache<string, Session>;
  readonly #notices: Notices | undefined;
  readonly #listeners: ((id: string) => void)[] = [];
  readonly #insert: StatementSync;
  readonly #find: StatementSync;
  readonly #remove: StatementSync;
  readonly #removeById: StatementSync;
  readonly #list: StatementSync;
  readonly #ofLogin: StatementSync;
  readonly #count: StatementSync;
  readonly #countActive: StatementSync;
  readonly #dropExpired: StatementSync;
  readonly #dropOldest: StatementSync;
  readonly #named: StatementSync;
  readonly #recordUse: StatementSync;
  readonly #ended: EndedRows;

  constructor(options: SqliteSessionStoreOptions) {
    const db = options.database;
    this.#db = db;
    this.#ended = new EndedRows(db);
    this.#capacity = options.capacity;
    this.#found = new LRUCache({ max: Math.min(options.capacity, KEPT) });
    this.#perSubject = options.perSubject;
    this.#now = options.now;
    this.#insert = db.prepare(
      `INSERT INTO sessions (digest, ${SESSION_COLUMNS}, id_token) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#find = db.prepare(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE digest = ? AND expires_at > ?`);
    this.#remove = db.prepare(`DELETE FROM sessions WHERE digest = ? RETURNING digest, ${SESSION_COLUMNS}, id_token`);
    this.#removeById = db.prepare(`DELETE FROM sessions WHERE id = ? RETURNING digest, ${SESSION_COLUMNS}`);
    this.#list = db.prepare(
      `SELECT ${SESSION_COLUMNS} FROM sessions WHERE expires_at > ? ORDER BY started_at DESC, id`,
    );
    this.#ofLogin = db.prepare(
      'SELECT id, login_sub FROM sessions WHERE issuer = ?1 AND (login_sid = ?2 OR login_sub = ?3 AND (?2 IS NULL OR login_sid IS NULL))',
    );
    this.#count = db.prepare(`SELECT count FROM tallies WHERE name = 'sessions'`);
    this.#countActive = db.prepare(
      `SELECT count - (SELECT count(*) FROM sessions WHERE expires_at <= ?) AS count FROM tallies WHERE name = 'sessions'`,
    );
    this.#dropExpired = db.prepare('DELETE FROM sessions WHERE expires_at <= ?');
    // Removes the person's oldest sessions, so that the new one is within their limit.
    this.#dropOldest = db.prepare(
      `DELETE FROM sessions WHERE digest IN (SELECT digest FROM sessions WHERE issuer = ? AND subject = ? ORDER BY started_at DESC, id LIMIT -1 OFFSET ?) RETURNING digest, id`,
    );
    this.#named = db.prepare('SELECT digest, id FROM sessions WHERE digest = ? OR id = ?');
    this.#recordUse = db.prepare('UPDATE sessions SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?');
    db.onChangedElsewhere(() => this.#found.clear());
    this.#notices = options.notices;
    this.#notices?.on('session', ([digest = '', id = '']) => {
      this.#forget(digest);
      for (const listener of this.#listeners) listener(id);
    });
  }

  async insert(digest: string, session: StoredSession, admission: Admission): Promise<void> {
    await this.#ended.remove();
    const ended = await this.#db.write(() => {
      this.#dropExpired.run(this.#now());
      const { issuer, subject, groups } = session.identity;
      const oldest = this.#dropOldest.all(issuer, subject, this.#perSubject - 1);
      if (Number(this.#count.get()?.['count']) >= placesFor(admission, this.#capacity))
        throw sessionCapacity(this.#capacity);
      this.#insert.run(
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
      );
      return oldest;
    });
    for (const row of ended) this.#found.delete(row['digest'] as string);
    await this.#tell(...ended);
  }

  find(digest: string): Session | undefined | Promise<Session | undefined> {
    if (this.#ended.has(digest)) return undefined;
    const found = this.#db.areChangesKnown() ? this.#found.get(digest) : undefined;
    if (found !== undefined && found.expiresAt > this.#now()) return found;
    return this.#db.read(() => this.#read(digest));
  }

  async remove(digest: string): Promise<StoredSession | undefined> {
    const row = await this.#delete(this.#remove, digest);
    return row === undefined ? undefined : { ...sessionOf(row), idToken: row['id_token'] as string };
  }

  async removeById(id: string): Promise<Session | undefined> {
    const row = await this.#delete(this.#removeById, id);
    return row === undefined ? undefined : sessionOf(row);
  }

  async ofLogin({ issuer, sid, sub }: LoginName): Promise<SessionOfLogin[]> {
    return this.#db.read(() =>
      this.#ofLogin
        .all(issuer, sid ?? null, sub ?? null)
        .map(({ id, login_sub: person }) => ({ id: String(id), sub: String(person) })),
    );
  }

  async list(): Promise<Session[]> {
    return this.#db.read(() => this.#list.all(this.#now()).map(sessionOf));
  }

  async count(): Promise<number> {
    return this.#db.read(() => Number(this.#countActive.get(this.#now())?.['count']));
  }

  /** Sessions in memory keep their old time; {@link Sessions} knows the later one. */
  recordUses(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.#db.write(() => {
      for (const [id, at] of uses) this.#recordUse.run(at, id);
    });
  }

  onRemoved(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  onRemovalsMissed(listener: () => void): void {
    this.#db.onChangedElsewhere(listener);
  }

  check(): Promise<void> {
    return this.#db.check();
  }

  /** The owner of the database closes it. */
  async close(): Promise<void> {
    await this.#ended.remove().catch(() => undefined);
  }

  #read(digest: string): Session | undefined {
    this.#found.delete(digest);
    const row = this.#find.get(digest, this.#now());
    if (row === undefined) return undefined;
    const session = sessionOf(row);
    this.#found.set(digest, session);
    return session;
  }

  /** Deletes the row and returns it, unless its session had expired. */
  async #delete(statement: StatementSync, name: string): Promise<Row | undefined> {
    const deleting = this.#db.write(() => {
      const deleted = statement.get(name);
      // This runs before the transaction ends, so that no request comes in between.
      if (deleted !== undefined) this.#found.delete(deleted['digest'] as string);
      return deleted;
    });
    const row = await deleting.catch(async (error: unknown) => {
      await this.#endHere(name);
      throw error;
    });
    if (row === undefined || (row['expires_at'] as number) <= this.#now()) return undefined;
    await this.#tell(row);
    return row;
  }

  /**
   * Ends a session whose row cannot be removed. The session ends in this service at once, and the row is removed later.
   */
  async #endHere(name: string): Promise<void> {
    const row = this.#named.get(name, name);
    if (row === undefined) return;
    this.#forget(row['digest'] as string);
    await this.#tell(row);
  }

  #forget(digest: string): void {
    this.#found.delete(digest);
    this.#ended.add(digest);
  }

  /** Resolves when no process of this service accepts the sessions any more. */
  async #tell(...rows: readonly Row[]): Promise<void> {
    const ended = rows.map((row): [string, string] => [row['digest'] as string, row['id'] as string]);
    for (const [, id] of ended) for (const listener of this.#listeners) listener(id);
    await Promise.all(ended.map(async (names) => this.#notices?.tell('session', names)));
  }
}
