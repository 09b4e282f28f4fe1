import type { StatementSync } from 'node:sqlite';
import type { StateDatabase } from '../state/database.ts';
import type { Owner } from './key-store.ts';
import { suspensionId, suspensionOf, type Suspended, type Suspension, type SuspensionStore } from './suspensions.ts';

/** The suspended people in SQLite. */
export class SqliteSuspensionStore implements SuspensionStore {
  readonly #db: StateDatabase;
  readonly #add: StatementSync;
  readonly #remove: StatementSync;
  readonly #find: StatementSync;
  readonly #list: StatementSync;

  constructor(db: StateDatabase) {
    this.#db = db;
    this.#add = db.prepare(
      'INSERT INTO suspensions (id, issuer, subject, suspended_at, person_name) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#remove = db.prepare('DELETE FROM suspensions WHERE id = ?');
    this.#find = db.prepare('SELECT 1 FROM suspensions WHERE id = ?');
    this.#list = db.prepare('SELECT issuer, subject, suspended_at, person_name FROM suspensions');
  }

  async add(person: Suspended, at: number): Promise<void> {
    const { issuer, subject, name = null } = person;
    await this.#db.write(() => this.#add.run(suspensionId(person), issuer, subject, at, name));
  }

  async remove(owner: Owner): Promise<boolean> {
    return (await this.#db.write(() => this.#remove.run(suspensionId(owner)))).changes !== 0;
  }

  async includes(owner: Owner): Promise<boolean> {
    return (await this.#db.read(() => this.#find.get(suspensionId(owner)))) !== undefined;
  }

  async list(): Promise<Suspension[]> {
    return (await this.#db.read(() => this.#list.all())).map(suspensionOf);
  }
}
