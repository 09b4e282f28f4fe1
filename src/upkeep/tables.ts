import { createHash, type Hash } from 'node:crypto';

/** What is kept of a state database: all that outlasts a restart. The columns are in the order of the digest, the key first. */
export const TABLES = {
  sessions: ['digest', 'id', 'kind', 'issuer', 'subject', 'groups', 'name', 'id_token', 'started_at', 'expires_at', 'address', 'last_used_at', 'login_sub', 'login_sid'],
  api_keys: [
    'id', 'verifier', 'revision', 'description', 'scope', 'expires_at', 'creator_issuer', 'creator_subject', 'creator_groups', 'creator_name', 'created_at', 'rotated_at', 'last_used_at',
  ],
} as const;

/** Columns that came after the first dumps. They count only where they hold something, so that the sums of older dumps still hold. */
const LATER: ReadonlySet<string> = new Set(['login_sub', 'login_sid']);

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** A row as it is written down: bytes are hexadecimal. */
export type KeptRow = Readonly<Record<string, string | number | null>>;

/** How many rows a table has, and the SHA-256 of all of them in the order of their keys. */
export type TableSummary = { readonly count: number; readonly digest: string };
export type Summary = Readonly<Record<TableName, TableSummary>>;

/** The state database of one kind, seen as rows. Each use is one transaction: what is read stands still meanwhile, and what is added appears whole or not at all. */
export interface StateRows {
  read<T>(work: (reader: RowReader) => Promise<T>): Promise<T>;
  write<T>(work: (writer: RowWriter) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface RowReader {
  /** Rows by byte order of their keys, some at a time. */
  rows(table: TableName): AsyncIterable<readonly KeptRow[]>;
}

export interface RowWriter extends RowReader {
  add(table: TableName, rows: readonly KeptRow[]): Promise<void>;
}

/** Sums rows up while they pass. */
export class Tally {
  readonly #hash: Hash = createHash('sha256');
  readonly #columns: readonly string[];
  #count = 0;

  constructor(table: TableName) {
    this.#columns = TABLES[table];
  }

  add(rows: readonly KeptRow[]): void {
    this.#count += rows.length;
    for (const row of rows) {
      const counted = this.#columns.filter((column) => !LATER.has(column) || (row[column] ?? null) !== null);
      this.#hash.update(`${JSON.stringify(counted.map((column) => (LATER.has(column) ? { [column]: row[column] } : (row[column] ?? null))))}\n`);
    }
  }

  get summary(): TableSummary {
    return { count: this.#count, digest: this.#hash.digest('hex') };
  }
}

export async function summarize(reader: RowReader): Promise<Summary> {
  const of = async (table: TableName): Promise<TableSummary> => {
    const tally = new Tally(table);
    for await (const rows of reader.rows(table)) tally.add(rows);
    return tally.summary;
  };
  return { sessions: await of('sessions'), api_keys: await of('api_keys') };
}
