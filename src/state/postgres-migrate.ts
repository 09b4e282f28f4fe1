import { hash } from 'node:crypto';
import { SvcError } from '../errors/svc-error.ts';
import type { Ask } from './postgres-ask.ts';
import { POSTGRES_MIGRATIONS, type PostgresMigration } from './postgres-migrations.ts';

/** An arbitrary number that no other program should use. */
const LOCK = 7_362_019_554;

/**
 * Migrates the schema `svc` to the version of this program, inside the transaction of `ask`. Instances that start at once do so one after another.
 *
 * @throws {SvcError} `state_unavailable`: the schema belongs to another program, or is not compatible with this program.
 */
export async function migratePostgres(
  ask: Ask,
  migrations: readonly PostgresMigration[] = POSTGRES_MIGRATIONS,
): Promise<void> {
  // At most starts everything is done, and nothing has to be locked.
  if (await isDone(ask, migrations)) return;
  await ask('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  if (await isDone(ask, migrations)) return;
  // `IF NOT EXISTS` would require a right that is not needed when an administrator has created the schema.
  if ((await ask(`SELECT 1 FROM pg_namespace WHERE nspname = 'svc'`)).length === 0) await ask('CREATE SCHEMA svc');
  await ask(
    'CREATE TABLE IF NOT EXISTS svc.migrations (version integer PRIMARY KEY, digest text NOT NULL, needs integer NOT NULL)',
  );
  const [{ present } = { present: 0 }] = await ask('SELECT count(*)::int AS present FROM svc.migrations');
  for (const [i, { sql, needs }] of migrations.entries()) {
    if (i < Number(present)) continue;
    await ask(sql);
    await ask('INSERT INTO svc.migrations VALUES ($1, $2, $3)', [i + 1, hash('sha256', sql), needs]);
  }
}

/** Whether every migration has run, and no migration is incompatible with this program. */
async function isDone(ask: Ask, migrations: readonly PostgresMigration[]): Promise<boolean> {
  // One statement, so that tables that another instance creates at this moment are not taken for those of another program.
  const [found] = await ask(
    `SELECT to_regclass('svc.migrations') IS NOT NULL AS ours, EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('svc')) AS any`,
  );
  if (found?.['ours'] !== true) {
    if (found?.['any'] === true)
      throw refusal('holds tables of another program in its schema `svc`; use another database');
    return false;
  }
  const rows = await ask('SELECT digest, needs FROM svc.migrations ORDER BY version');
  const needed = Math.max(0, ...rows.map(({ needs }) => Number(needs)));
  if (needed > migrations.length)
    throw refusal(
      `has version ${rows.length}, which a program that knows version ${needed} can use, and this one knows ${migrations.length}; start the newer program`,
    );
  const foreign = rows
    .slice(0, migrations.length)
    .findIndex(({ digest }, i) => digest !== hash('sha256', migrations[i]!.sql));
  if (foreign !== -1)
    throw refusal(`was brought to version ${foreign + 1} by another program than this one; use another database`);
  return rows.length >= migrations.length;
}

function refusal(detail: string): SvcError {
  return new SvcError('state_unavailable', { detail: `state.url: the database ${detail}` });
}
