import type { PostgresDatabase } from '../state/postgres-database.ts';
import type { Owner } from './key-store.ts';
import { suspensionId, suspensionOf, type Suspended, type Suspension, type SuspensionStore } from './suspensions.ts';

/** The suspended people in PostgreSQL. */
export class PostgresSuspensionStore implements SuspensionStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async add(person: Suspended, at: number): Promise<void> {
    const { issuer, subject, name = null } = person;
    await this.#db.transaction((ask) =>
      ask(
        'INSERT INTO svc.suspensions (id, issuer, subject, suspended_at, person_name) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
        [suspensionId(person), issuer, subject, at, name],
      ),
    );
  }

  async remove(owner: Owner): Promise<boolean> {
    const removed = await this.#db.transaction((ask) =>
      ask('DELETE FROM svc.suspensions WHERE id = $1 RETURNING id', [suspensionId(owner)]),
    );
    return removed.length > 0;
  }

  async includes(owner: Owner): Promise<boolean> {
    return (await this.#db.query('SELECT 1 FROM svc.suspensions WHERE id = $1', [suspensionId(owner)])).length > 0;
  }

  async list(): Promise<Suspension[]> {
    return (await this.#db.query('SELECT issuer, subject, suspended_at, person_name FROM svc.suspensions')).map(
      suspensionOf,
    );
  }
}
