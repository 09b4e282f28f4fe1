import type { PostgresDatabase } from './postgres-database.ts';
import type { RecentTexts } from './recent-texts.ts';

/** Lists that all instances on the same PostgreSQL share. */
export class PostgresRecentTexts implements RecentTexts {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async add(list: string, text: string, keep: number): Promise<void> {
    await this.#database.query('INSERT INTO svc.recent (list, text) VALUES ($1, $2)', [list, text]);
    await this.#database.query(
      'DELETE FROM svc.recent WHERE list = $1 AND made <= (SELECT made FROM svc.recent WHERE list = $1 ORDER BY made DESC OFFSET $2 LIMIT 1)',
      [list, keep],
    );
  }

  async read(list: string): Promise<string[]> {
    const rows = await this.#database.query('SELECT text FROM svc.recent WHERE list = $1 ORDER BY made DESC', [list]);
    return rows.map(({ text }) => String(text));
  }
}
