import { randomUUID } from 'node:crypto';
import type { ObjectNotices } from './notices.ts';
import { ofOthers, writeNotice } from './object-notice.ts';
import type { PostgresChanges } from './postgres-changes.ts';
import type { PostgresDatabase } from './postgres-database.ts';

const CHANNEL = 'svc_objects';

/** Tells all instances on the same database which objects changed. Nothing is stored. */
export class PostgresObjectNotices implements ObjectNotices {
  readonly #database: PostgresDatabase;
  readonly #changes: PostgresChanges;
  readonly #instance = randomUUID();

  constructor(database: PostgresDatabase, changes: PostgresChanges) {
    this.#database = database;
    this.#changes = changes;
  }

  async tell(names: readonly string[]): Promise<void> {
    await this.#database.query('SELECT pg_notify($1, $2)', [CHANNEL, writeNotice(this.#instance, names)]);
  }

  on(listener: (names: unknown) => void): void {
    this.#changes.hear(CHANNEL, ofOthers(this.#instance, listener));
  }
}
