export type Row = Readonly<Record<string, unknown>>;

/** Runs a statement in PostgreSQL and gives its rows. `bigint` comes as a number. */
export type Ask = (sql: string, values?: readonly unknown[]) => Promise<Row[]>;
