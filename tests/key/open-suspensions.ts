import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_KEYS } from '../../src/apikey/api-key.ts';
import { ApiKeys } from '../../src/apikey/api-keys.ts';
import type { KeyStore } from '../../src/key/key-store.ts';
import { PostgresKeyStore } from '../../src/key/postgres-store.ts';
import { PostgresSuspensionStore } from '../../src/key/postgres-suspensions.ts';
import { SqliteKeyStore } from '../../src/key/sqlite-store.ts';
import { SqliteSuspensionStore } from '../../src/key/sqlite-suspensions.ts';
import { Suspensions, type SuspensionStore } from '../../src/key/suspensions.ts';
import { S3_KEYS, S3Keys } from '../../src/s3key/s3-keys.ts';
import { StateDatabase } from '../../src/state/database.ts';
import type { PostgresOptions } from '../../src/state/postgres-database.ts';
import { LIMITS } from '../contract/s3-keys.ts';
import type { OpenSuspensions, Process } from '../contract/suspensions.ts';
import { Clock } from '../support/clock.ts';
import { openPostgres } from '../support/postgres-server.ts';

type Stores = { readonly store: SuspensionStore; readonly apiKeyStore: KeyStore; readonly s3KeyStore: KeyStore };

function processOn({ store, apiKeyStore, s3KeyStore }: Stores, now: () => number): Process {
  const apiKeys = new ApiKeys({ store: apiKeyStore, capacity: 10, perSubject: 10, now });
  const s3Keys = new S3Keys({ ...LIMITS, store: s3KeyStore, now });
  return { apiKeys, s3Keys, suspensions: new Suspensions({ store, keys: [apiKeys, s3Keys], now }) };
}

export async function openOnSqlite(): Promise<OpenSuspensions> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-suspensions-'));
  const clock = new Clock();
  const opened: StateDatabase[] = [];
  const open = () => {
    const database = StateDatabase.open(join(directory, 'state.db'));
    opened.push(database);
    return processOn(
      {
        store: new SqliteSuspensionStore(database),
        apiKeyStore: new SqliteKeyStore(database, API_KEYS),
        s3KeyStore: new SqliteKeyStore(database, S3_KEYS),
      },
      clock.now,
    );
  };
  return {
    clock,
    here: open(),
    elsewhere: async () => open(),
    toldWithinMs: 0,
    close: async () => {
      for (const database of opened) database.close();
      await rm(directory, { recursive: true });
    },
  };
}

export async function openOnPostgres(options: PostgresOptions): Promise<OpenSuspensions> {
  const clock = new Clock();
  const closers: (() => Promise<void>)[] = [];
  const open = async () => {
    const { database, changes, close } = await openPostgres(options);
    closers.push(close);
    return processOn(
      {
        store: new PostgresSuspensionStore(database),
        apiKeyStore: new PostgresKeyStore({ database, changes }, API_KEYS),
        s3KeyStore: new PostgresKeyStore({ database, changes }, S3_KEYS),
      },
      clock.now,
    );
  };
  return {
    clock,
    here: await open(),
    elsewhere: open,
    toldWithinMs: 1_000,
    close: async () => {
      for (const close of closers) await close();
    },
  };
}
