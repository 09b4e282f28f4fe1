import type { SQLOutputValue } from 'node:sqlite';
import { StateDatabase } from '../state/database.ts';
import { TABLES, type KeptRow, type RowReader, type RowWriter, type StateRows, type TableName } from './tables.ts';

const AT_ONCE = 500;

/** The rows of an SQLite file. */
export class SqliteRows implements StateRows {
  readonly #database: StateDatabase;

  constructor(path: string) {
    this.#database = StateDatabase.open(path);
  }

  read<T>(work: (reader: RowReader) => Promise<T>): Promise<T> {
    return this.#database.hold('DEFERRED', () => work(this.#reader()));
  }

  write<T>(work: (writer: RowWriter) => Promise<T>): Promise<T> {
    const add = async (table: TableName, rows: readonly KeptRow[]): Promise<void> => {
      const columns = TABLES[table];
      const statement = this.#database.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
      for (const row of rows)
        statement.run(
          ...columns.map((column) =>
            column === 'verifier' ? Buffer.from(String(row[column]), 'hex') : (row[column] ?? null),
          ),
        );
      return Promise.resolve();
    };
    return this.#database.hold('IMMEDIATE', () => work({ ...this.#reader(), add }));
  }

  /** Writes a consistent copy of the whole file, which other processes may be using. */
  copyTo(file: string): void {
    this.#database.prepare('VACUUM INTO ?').run(file);
  }

  async close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }

  #reader(): RowReader {
    const database = this.#database;
    return {
      rows: async function* (table) {
        const columns = TABLES[table];
        const statement = database.prepare(
          `SELECT ${columns.join(', ')} FROM ${table} WHERE ${columns[0]} > ? ORDER BY ${columns[0]} LIMIT ${AT_ONCE}`,
        );
        for (let last: SQLOutputValue = ''; ;) {
          const rows: Record<string, SQLOutputValue>[] = statement.all(last);
          if (rows.length > 0) yield rows.map((row) => keptOf(row));
          if (rows.length < AT_ONCE) return;
          last = rows.at(-1)![columns[0]]!;
          await Promise.resolve();
        }
      },
    };
  }
}

function keptOf(row: Record<string, SQLOutputValue>): KeptRow {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array
        ? Buffer.from(value).toString('hex')
        : typeof value === 'bigint'
          ? Number(value)
          : value,
    ]),
  );
}
