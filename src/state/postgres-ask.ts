export type Row = Readonly<Record<string, unknown>>;

/** Runs a statement in PostgreSQL and returns its rows. `bigint` values are returned as numbers. */
export type Ask = (sql: string, values?: readonly unknown[]) => Promise<Row[]>;
