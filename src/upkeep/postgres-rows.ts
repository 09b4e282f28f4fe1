import type { Ask } from '../state/postgres-ask.ts';
import { LISTENING, PostgresDatabase, type PostgresOptions } from '../state/postgres-database.ts';
import { TABLES, type KeptRow, type RowReader, type RowWriter, type StateRows } from './tables.ts';

const AT_ONCE = 500;
/** The other end of a copy may be slow. */
const WAIT = 'SET LOCAL idle_in_transaction_session_timeout = 0';

/** The rows of a PostgreSQL database. */
export class PostgresRows implements StateRows {
  readonly #database: PostgresDatabase;

  private constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  static async open(options: PostgresOptions): Promise<PostgresRows> {
    return new PostgresRows(await PostgresDatabase.open(options));
  }

  read<T>(work: (reader: RowReader) => Promise<T>): Promise<T> {
    return this.#database.transaction(async (ask) => {
      await ask('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await ask(WAIT);
      return await work(readerOf(ask));
    });
  }

  write<T>(work: (writer: RowWriter) => Promise<T>): Promise<T> {
    return this.#database.transaction(async (ask) => {
      // Blocks sign-ins and new keys until the transaction ends, so that nothing is added in between.
      await ask('SELECT 1 FROM svc.tallies FOR UPDATE');
      await ask(WAIT);
      return await work({
        ...readerOf(ask),
        add: async (table, rows) => {
          const written = rows.map((row) =>
            'verifier' in row ? { ...row, verifier: `\\x${String(row['verifier'])}` } : row,
          );
          const columns = TABLES[table].join(', ');
          await ask(
            `INSERT INTO svc.${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::svc.${table}, $1)`,
            [JSON.stringify(written)],
          );
        },
      });
    });
  }

  async isListenedTo(): Promise<boolean> {
    return (
      (
        await this.#database.query(
          'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
          [LISTENING],
        )
      ).length > 0
    );
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

function readerOf(ask: Ask): RowReader {
  return {
    rows: async function* (table) {
      const columns = TABLES[table];
      for (let last = ''; ;) {
        const rows = await ask(
          `SELECT ${columns.join(', ')} FROM svc.${table} WHERE ${columns[0]} > $1 ORDER BY ${columns[0]} LIMIT ${AT_ONCE}`,
          [last],
        );
        if (rows.length > 0)
          yield rows.map(
            (row) => Object.fromEntries(columns.map((column) => [column, keptOf(row[column])])) satisfies KeptRow,
          );
        if (rows.length < AT_ONCE) return;
        last = String(rows.at(-1)![columns[0]]);
      }
    },
  };
}

function keptOf(value: unknown): string | number | null {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
