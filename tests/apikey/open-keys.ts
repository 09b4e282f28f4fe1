import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_KEYS } from '../../src/apikey/api-key.ts';
import { ApiKeys } from '../../src/apikey/api-keys.ts';
import type { KeyStore } from '../../src/key/key-store.ts';
import type { KeyKind } from '../../src/key/key.ts';
import type { Keys, KeysOptions } from '../../src/key/keys.ts';
import { PostgresKeyStore } from '../../src/key/postgres-store.ts';
import { SqliteKeyStore } from '../../src/key/sqlite-store.ts';
import { StateDatabase } from '../../src/state/database.ts';
import type { PostgresOptions } from '../../src/state/postgres-database.ts';
import { Clock } from '../support/clock.ts';
import { openPostgres } from '../support/postgres-server.ts';

export type OpenKeys<K extends Keys = ApiKeys> = {
  readonly clock: Clock;
  readonly keys: K;
  /** The same database through a connection of its own, as another process has it. */
  readonly elsewhere: () => Promise<K>;
  /** A change of another process counts after so many milliseconds. */
  readonly toldWithinMs: number;
  readonly close: () => Promise<void>;
};

export type OpenSqliteKeys<K extends Keys = ApiKeys> = OpenKeys<K> & {
  readonly path: string;
  readonly database: StateDatabase;
};

/** A kind of keys, and its registry on a store. */
export type Registry<K extends Keys> = {
  readonly kind: KeyKind;
  readonly on: (given: { readonly store: KeyStore; readonly now: () => number }) => K;
};

const apiKeys = (limits: Pick<KeysOptions, 'capacity' | 'perSubject'>): Registry<ApiKeys> => ({
  kind: API_KEYS,
  on: (given) => new ApiKeys({ ...limits, ...given }),
});

/** A registry of API keys on a real SQLite database in a folder of its own. */
export function openKeys(capacity = 10, perSubject = capacity): Promise<OpenSqliteKeys> {
  return openOnSqlite(apiKeys({ capacity, perSubject }));
}

/** A registry of API keys on PostgreSQL. */
export function openPostgresKeys(options: PostgresOptions, capacity = 10, perSubject = capacity): Promise<OpenKeys> {
  return openOnPostgres(options, apiKeys({ capacity, perSubject }));
}

export async function openOnSqlite<K extends Keys>(registry: Registry<K>): Promise<OpenSqliteKeys<K>> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-keys-'));
  const path = join(directory, 'state.db');
  const clock = new Clock();
  const opened: { readonly database: StateDatabase; readonly keys: K }[] = [];
  const open = () => {
    const database = StateDatabase.open(path);
    const keys = registry.on({ store: new SqliteKeyStore(database, registry.kind), now: clock.now });
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

export async function openOnPostgres<K extends Keys>(
  options: PostgresOptions,
  registry: Registry<K>,
): Promise<OpenKeys<K>> {
  const clock = new Clock();
  const closers: (() => Promise<void>)[] = [];
  const open = async () => {
    const { database, changes, close } = await openPostgres(options);
    const keys = registry.on({ store: new PostgresKeyStore({ database, changes }, registry.kind), now: clock.now });
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
