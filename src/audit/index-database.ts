import { chmodSync, closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Increased when the tables change. An index of another version is rebuilt. */
const VERSION = 4;

const TABLES = `
  CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, instance TEXT NOT NULL, segment INTEGER NOT NULL, bytes INTEGER NOT NULL, tip TEXT NOT NULL, UNIQUE (instance, segment));
  CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
  CREATE TABLE lines (id INTEGER PRIMARY KEY AUTOINCREMENT, segment INTEGER NOT NULL, at INTEGER NOT NULL, length INTEGER NOT NULL, time INTEGER NOT NULL, person INTEGER NOT NULL, operation INTEGER NOT NULL, outcome INTEGER NOT NULL);
  CREATE INDEX lines_by_time ON lines (time, id, operation, outcome);
  CREATE INDEX lines_by_person ON lines (person, time, id, operation, outcome);
  CREATE TABLE objects (object INTEGER NOT NULL, time INTEGER NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (object, time, line)) WITHOUT ROWID;
  CREATE TABLE intents (instance TEXT NOT NULL, seq INTEGER NOT NULL, line INTEGER NOT NULL, segment INTEGER NOT NULL, at INTEGER NOT NULL, length INTEGER NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (instance, seq)) WITHOUT ROWID;
  PRAGMA user_version = ${VERSION};`;

/** The file of the index, in SQLite. Texts that many lines have are stored once, and lines have their numbers. */
export class IndexDatabase {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #names = new Map<string, number>();

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Opens the file, and begins a new one when it is damaged. */
  static open(file: string): IndexDatabase {
    try {
      return new IndexDatabase(openDatabase(file));
    } catch (error) {
      if (!isDamage(error)) throw error;
      IndexDatabase.remove(file);
      return new IndexDatabase(openDatabase(file));
    }
  }

  static remove(file: string): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  }

  close(): void {
    this.#db.close();
  }

  transact<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#names.clear();
      throw error;
    }
  }

  /** The number of a text; undefined when no line has it. */
  idOf(text: string): number | undefined {
    return (this.all('SELECT id FROM names WHERE text = ?', text)[0] as { id: number } | undefined)?.id;
  }

  /** The number of a text, which is added when it is new. */
  nameId(text: string): number {
    let id = this.#names.get(text) ?? this.idOf(text);
    id ??= Number(this.run('INSERT INTO names (text) VALUES (?)', text).lastInsertRowid);
    if (this.#names.size > 10_000) this.#names.clear();
    this.#names.set(text, id);
    return id;
  }

  run(sql: string, ...values: readonly (string | number | bigint)[]) {
    return this.#prepared(sql).run(...values);
  }

  all(sql: string, ...values: readonly (string | number)[]): unknown[] {
    return this.#prepared(sql).all(...values);
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}

/** Whether the index file is unusable and has to be rebuilt. */
export function isDamage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { errcode, code } = error as { readonly errcode?: number; readonly code?: string };
  // Another user made the file: somebody asked the audit as root before the service did.
  if (code === 'EACCES') return true;
  return error instanceof OtherVersion || (errcode !== undefined && DAMAGED.has(errcode & 0xff));
}

/** `SQLITE_ERROR` is reported for a missing table; the others are `CORRUPT`, `SCHEMA`, `NOTADB`, and `IOERR` for a truncated file. */
const DAMAGED: ReadonlySet<number> = new Set([1, 10, 11, 17, 26]);

class OtherVersion extends Error {}

function openDatabase(file: string): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const db = new DatabaseSync(file, { timeout: 10_000 });
  try {
    // Data lost in a power cut is rebuilt.
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824;',
    );
    const version = db.prepare('PRAGMA user_version').get()?.['user_version'];
    if (version === 0) db.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT;`);
    else if (version !== VERSION) throw new OtherVersion();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
