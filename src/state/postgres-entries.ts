import type { EntryOwner, ExpiringEntries } from './expiring-entries.ts';
import type { PostgresDatabase } from './postgres-database.ts';

const SWEEP_MS = 60_000;
/** How many expired rows one sweep removes from each table. */
const SWEPT = 10_000;

/** Expiring entries that all instances on the same PostgreSQL share. The total number is not limited. */
export class PostgresEntries implements ExpiringEntries {
  readonly #database: PostgresDatabase;
  readonly #now: () => number;
  readonly #sweeping: NodeJS.Timeout;

  constructor(options: { readonly database: PostgresDatabase; readonly now: () => number }) {
    this.#database = options.database;
    this.#now = options.now;
    this.#sweeping = setInterval(() => void this.#sweep().catch(() => undefined), SWEEP_MS).unref();
  }

  async put(id: string, value: string, expiresAt: number, owner?: EntryOwner): Promise<void> {
    await this.#database.query(
      `INSERT INTO svc.entries (id, value, expires_at, owner) VALUES ($1, $2, $3, $4)
       ON CONFLICT (id) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, owner = excluded.owner, made = DEFAULT`,
      [id, value, Math.ceil(expiresAt), owner?.id ?? null],
    );
    if (owner === undefined) return;
    // Runs after the new entry was added, so that of several instances that add entries at once, each sees the others or is seen by them.
    await this.#database.query(
      `DELETE FROM svc.entries WHERE id IN (SELECT id FROM svc.entries WHERE owner = $1 AND expires_at > $2 ORDER BY made DESC OFFSET $3)`,
      [owner.id, this.#now(), owner.limit],
    );
  }

  async get(id: string): Promise<string | undefined> {
    const [row] = await this.#database.query('SELECT value FROM svc.entries WHERE id = $1 AND expires_at > $2', [
      id,
      this.#now(),
    ]);
    return row === undefined ? undefined : String(row['value']);
  }

  async take(id: string): Promise<string | undefined> {
    const [row] = await this.#database.query('DELETE FROM svc.entries WHERE id = $1 RETURNING value, expires_at', [id]);
    return row === undefined || Number(row['expires_at']) <= this.#now() ? undefined : String(row['value']);
  }

  async consume(id: string, expiresAt: number): Promise<'first' | 'replayed'> {
    const marked = await this.#database.query(
      `INSERT INTO svc.used (id, expires_at) VALUES ($1, $2)
       ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at WHERE used.expires_at <= $3 RETURNING id`,
      [id, Math.ceil(expiresAt), this.#now()],
    );
    return marked.length === 0 ? 'replayed' : 'first';
  }

  async remove(id: string): Promise<void> {
    await this.take(id);
  }

  async raise(id: string, number: number, expiresAt: number): Promise<void> {
    await this.#database.query(
      `INSERT INTO svc.entries (id, value, expires_at) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET value = greatest(entries.value::numeric, excluded.value::numeric)::text, expires_at = excluded.expires_at`,
      [id, String(number), Math.ceil(expiresAt)],
    );
  }

  async largest(id: string): Promise<number | undefined> {
    const value = await this.get(id);
    return value === undefined ? undefined : Number(value);
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  async #sweep(): Promise<void> {
    for (const [table, end] of [
      ['entries', 'expires_at'],
      ['used', 'expires_at'],
      ['counts', 'resets_at'],
    ] as const) {
      await this.#database.query(
        `DELETE FROM svc.${table} WHERE id IN (SELECT id FROM svc.${table} WHERE ${end} <= $1 LIMIT ${SWEPT})`,
        [this.#now()],
      );
    }
  }
}
