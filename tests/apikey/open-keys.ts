import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiKeyStore } from '../../src/apikey/api-key-store.ts';
import { ApiKeys } from '../../src/apikey/registry.ts';
import { StateDatabase } from '../../src/state/database.ts';
import { Clock } from '../support/clock.ts';

export type OpenKeys = {
  readonly path: string;
  readonly clock: Clock;
  readonly database: StateDatabase;
  readonly keys: ApiKeys;
  /** The same database through a connection of its own, as another process has it. */
  readonly elsewhere: () => ApiKeys;
  readonly close: () => Promise<void>;
};

/** A registry on a real state database in a folder of its own. */
export async function openKeys(capacity = 10, perSubject = capacity): Promise<OpenKeys> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-keys-'));
  const path = join(directory, 'state.db');
  const clock = new Clock();
  const opened: { readonly database: StateDatabase; readonly keys: ApiKeys }[] = [];
  const open = () => {
    const database = StateDatabase.open(path);
    const keys = new ApiKeys({ store: new ApiKeyStore(database), capacity, perSubject, now: clock.now });
    opened.push({ database, keys });
    return { database, keys };
  };
  return {
    path,
    clock,
    ...open(),
    elsewhere: () => open().keys,
    close: async () => {
      for (const { database, keys } of opened) {
        await keys.close();
        database.close();
      }
      await rm(directory, { recursive: true });
    },
  };
}
