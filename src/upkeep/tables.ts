import { createHash, type Hash } from 'node:crypto';

const KEY_COLUMNS = [
  'id',
  'verifier',
  'revision',
  'description',
  'scope',
  'expires_at',
  'creator_issuer',
  'creator_subject',
  'creator_groups',
  'creator_name',
  'created_at',
  'rotated_at',
  'last_used_at',
  'provider',
  'signed_in_at',
  'suspended_at',
] as const;

/** The tables that a dump contains: everything that outlasts a restart. The columns are in the order of the digest, the key first. */
export const TABLES = {
  sessions: [
    'digest',
    'id',
    'kind',
    'issuer',
    'subject',
    'groups',
    'name',
    'id_token',
    'started_at',
    'expires_at',
    'address',
    'last_used_at',
    'login_sub',
    'login_sid',
  ],
  api_keys: KEY_COLUMNS,
  s3_keys: KEY_COLUMNS,
  suspensions: ['id', 'issuer', 'subject', 'suspended_at', 'person_name'],
  kept_places: ['id', 'places', 'changed_at'],
} as const;

/** Columns that are newer than the first dumps. An empty one is left out of the digest, so that the digests of older dumps remain valid. */
const LATER: ReadonlySet<string> = new Set([
  'login_sub',
  'login_sid',
  'provider',
  'signed_in_at',
  'suspended_at',
  'person_name',
]);

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** A row of a dump. Bytes are written in hexadecimal. */
export type KeptRow = Readonly<Record<string, string | number | null>>;

/** The number of rows of a table, and the SHA-256 of all rows in key order. */
export type TableSummary = { readonly count: number; readonly digest: string };
export type Summary = Readonly<Record<TableName, TableSummary>>;

/** The rows of a state database. `read` and `write` each run in one transaction: reads see one snapshot, and rows are added all or not at all. */
export interface StateRows {
  read<T>(work: (reader: RowReader) => Promise<T>): Promise<T>;
  write<T>(work: (writer: RowWriter) => Promise<T>): Promise<T>;
  /** Whether a running service is connected. Absent for SQLite, where `isFileInUse` checks the file before it is opened. */
  readonly isListenedTo?: () => Promise<boolean>;
  close(): Promise<void>;
}

export interface RowReader {
  /** Batches of rows, in the byte order of their keys. */
  rows(table: TableName): AsyncIterable<readonly KeptRow[]>;
}

export interface RowWriter extends RowReader {
  add(table: TableName, rows: readonly KeptRow[]): Promise<void>;
}

/** Counts rows and computes their digest. */
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
      this.#hash.update(
        `${JSON.stringify(counted.map((column) => (LATER.has(column) ? { [column]: row[column] } : (row[column] ?? null))))}\n`,
      );
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
  return {
    sessions: await of('sessions'),
    api_keys: await of('api_keys'),
    s3_keys: await of('s3_keys'),
    suspensions: await of('suspensions'),
    kept_places: await of('kept_places'),
  };
}
