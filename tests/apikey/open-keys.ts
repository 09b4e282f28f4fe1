import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresApiKeyStore } from '../../src/apikey/postgres-store.ts';
import { ApiKeys } from '../../src/apikey/registry.ts';
import { SqliteApiKeyStore } from '../../src/apikey/sqlite-store.ts';
import { StateDatabase } from '../../src/state/database.ts';
import type { PostgresOptions } from '../../src/state/postgres-database.ts';
import { Clock } from '../support/clock.ts';
import { openPostgres } from '../support/postgres-server.ts';

export type OpenKeys = {
  readonly clock: Clock;
  readonly keys: ApiKeys;
  /** The same database through a connection of its own, as another process has it. */
  readonly elsewhere: () => Promise<ApiKeys>;
  /** A change of another process counts after so many milliseconds. */
  readonly toldWithinMs: number;
  readonly close: () => Promise<void>;
};

export type OpenSqliteKeys = OpenKeys & { readonly path: string; readonly database: StateDatabase };

/** A registry on a real SQLite database in a folder of its own. */
export async function openKeys(capacity = 10, perSubject = capacity): Promise<OpenSqliteKeys> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-keys-'));
  const path = join(directory, 'state.db');
  const clock = new Clock();
  const opened: { readonly database: StateDatabase; readonly keys: ApiKeys }[] = [];
  const open = () => {
    const database = StateDatabase.open(path);
    const keys = new ApiKeys({ store: new SqliteApiKeyStore(database), capacity, perSubject, now: clock.now });
    opened.push({ database, keys });
    return { database, keys };
  };
  return {
    path,
    clock,
    ...open(),
    elsewhere: async () => open().keys,
    toldWithinMs: 0,
    close: async () => {
      for (const { database, keys } of opened) {
        await keys.close();
        database.close();
      }
      await rm(directory, { recursive: true });
    },
  };
}

/** A registry on PostgreSQL. */
export async function openPostgresKeys(
  options: PostgresOptions,
  capacity = 10,
  perSubject = capacity,
): Promise<OpenKeys> {
  const clock = new Clock();
  const closers: (() => Promise<void>)[] = [];
  const open = async () => {
    const { database, changes, close } = await openPostgres(options);
    const keys = new ApiKeys({
      store: new PostgresApiKeyStore({ database, changes }),
      capacity,
      perSubject,
      now: clock.now,
    });
    closers.push(() => keys.close(), close);
    return keys;
  };
  return {
    clock,
    keys: await open(),
    elsewhere: open,
    toldWithinMs: 1_000,
    close: async () => {
      for (const close of closers) await close();
    },
  };
}
