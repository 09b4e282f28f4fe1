import type { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../errors/svc-error.ts';
import { MIGRATIONS } from './migrations.ts';

/**
 * Checks that the database is undamaged and belongs to this program, and migrates it to the current version.
 *
 * It uses one transaction, so that a crash or a second instance in the middle sees all of it or nothing.
 *
 * @throws {SvcError} `state_unavailable`: the database is damaged, newer than this program, or belongs to another program.
 */
export function migrate(db: DatabaseSync, path: string): void {
  const damage = pragma(db, 'quick_check');
  if (damage !== 'ok') throw refusal(path, 'is damaged; restore it from a backup', damage);
  // Nobody waits for a service that writes all the time.
  if (versionOf(db) === MIGRATIONS.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(db);
    if (version > MIGRATIONS.length) {
      throw refusal(
        path,
        `has version ${version}, and this program knows ${MIGRATIONS.length}; start the newer program, or use another file`,
      );
    }
    if (version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined) {
      throw refusal(path, 'belongs to another program; use another file');
    }
    for (const migration of MIGRATIONS.slice(version)) db.exec(migration);
    if (version < MIGRATIONS.length) db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(db: DatabaseSync): number {
  return Number(pragma(db, 'user_version'));
}

function pragma(db: DatabaseSync, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function refusal(path: string, detail: string, cause?: unknown): SvcError {
  return new SvcError('state_unavailable', { detail: `state.path: \`${path}\` ${detail}`, cause });
}
