import { endOfWindow, type Count, type Counts } from './counts.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** Counts in PostgreSQL. */
export class PostgresCounts implements Counts {
  readonly #database: PostgresDatabase;
  readonly #now: () => number;

  constructor(options: { readonly database: PostgresDatabase; readonly now: () => number }) {
    this.#database = options.database;
    this.#now = options.now;
  }

  async add(id: string, windowMs: number): Promise<Count> {
    const resetsAt = endOfWindow(this.#now(), windowMs);
    const [row] = await this.#database.query(
      'INSERT INTO svc.counts AS present (id, count, resets_at) VALUES ($1, 1, $2) ON CONFLICT (id) DO UPDATE SET count = present.count + 1 RETURNING count',
      [`${id} ${resetsAt}`, resetsAt],
    );
    return { count: Number(row?.['count']), resetsAt };
  }
}
