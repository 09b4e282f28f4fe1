import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import type { StateDatabase } from '../state/database.ts';
import { sessionCapacity } from './session-capacity.ts';
import type { SessionStore } from './session-store.ts';
import type { Session, SessionKind, StoredSession } from './session.ts';

type Row = Record<string, SQLOutputValue>;

export type SqliteSessionStoreOptions = {
  readonly database: StateDatabase;
  /** Active sessions at most. */
  readonly capacity: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

const COLUMNS = 'id, kind, issuer, subject, groups, name, started_at, expires_at';

/** Sessions in the state database: for one instance, and kept over a restart. */
export class SqliteSessionStore implements SessionStore {
  readonly #db: StateDatabase;
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #listeners: ((id: string) => void)[] = [];
  readonly #insert: StatementSync;
  readonly #find: StatementSync;
  readonly #remove: StatementSync;
  readonly #removeById: StatementSync;
  readonly #list: StatementSync;
  readonly #count: StatementSync;
  readonly #dropExpired: StatementSync;

  constructor(options: SqliteSessionStoreOptions) {
    const db = options.database;
    this.#db = db;
    this.#capacity = options.capacity;
    this.#now = options.now;
    this.#insert = db.prepare(`INSERT INTO sessions (digest, ${COLUMNS}, id_token) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#find = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE digest = ? AND expires_at > ?`);
    this.#remove = db.prepare(`DELETE FROM sessions WHERE digest = ? RETURNING ${COLUMNS}, id_token`);
    this.#removeById = db.prepare(`DELETE FROM sessions WHERE id = ? RETURNING ${COLUMNS}`);
    this.#list = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE expires_at > ? ORDER BY started_at DESC, id`);
    this.#count = db.prepare('SELECT count(*) AS count FROM sessions');
    this.#dropExpired = db.prepare('DELETE FROM sessions WHERE expires_at <= ?');
  }

  insert(digest: string, session: StoredSession): Promise<void> {
    return this.#db.write(() => {
      this.#dropExpired.run(this.#now());
      if (Number(this.#count.get()?.['count']) >= this.#capacity) throw sessionCapacity(this.#capacity);
      const { issuer, subject, groups } = session.identity;
      this.#insert.run(
        digest, session.id, session.kind, issuer, subject, JSON.stringify(groups), session.name, session.startedAt, session.expiresAt, session.idToken,
      );
    });
  }

  find(digest: string): Session | undefined | Promise<Session | undefined> {
    return this.#db.read(() => {
      const row = this.#find.get(digest, this.#now());
      return row === undefined ? undefined : sessionOf(row);
    });
  }

  async remove(digest: string): Promise<StoredSession | undefined> {
    const row = await this.#db.write(() => this.#remove.get(digest));
    const session = this.#removed(row);
    return session === undefined ? undefined : { ...session, idToken: String(row?.['id_token']) };
  }

  async removeById(id: string): Promise<Session | undefined> {
    return this.#removed(await this.#db.write(() => this.#removeById.get(id)));
  }

  async list(): Promise<Session[]> {
    return this.#db.read(() => this.#list.all(this.#now()).map(sessionOf));
  }

  onRemoved(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  onRemovalsMissed(_listener: () => void): void {
    // One instance alone uses this store.
  }

  check(): Promise<void> {
    return this.#db.check();
  }

  async close(): Promise<void> {
    // The database belongs to whoever opened it.
  }

  #removed(row: Row | undefined): Session | undefined {
    if (row === undefined || Number(row['expires_at']) <= this.#now()) return undefined;
    const session = sessionOf(row);
    for (const listener of this.#listeners) listener(session.id);
    return session;
  }
}

function sessionOf(row: Row): Session {
  return {
    id: row['id'] as string,
    kind: row['kind'] as SessionKind,
    identity: { issuer: row['issuer'] as string, subject: row['subject'] as string, groups: JSON.parse(row['groups'] as string) as string[] },
    name: row['name'] as string,
    startedAt: row['started_at'] as number,
    expiresAt: row['expires_at'] as number,
  };
}
