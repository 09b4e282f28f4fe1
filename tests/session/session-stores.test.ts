import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemorySessionStore } from '../../src/session/memory-store.ts';
import { SqliteSessionStore } from '../../src/session/sqlite-store.ts';
import { StateDatabase } from '../../src/state/database.ts';
import { sessionStoreContract } from '../contract/session-store.ts';

sessionStoreContract({
  name: 'MemorySessionStore',
  isBounded: true,
  open: async (options) => {
    const store = new MemorySessionStore(options);
    return { store, close: () => store.close() };
  },
});

sessionStoreContract({
  name: 'SqliteSessionStore',
  isBounded: true,
  open: async (options) => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-state-'));
    const database = StateDatabase.open(join(directory, 'state.db'));
    return {
      store: new SqliteSessionStore({ database, ...options }),
      close: async () => {
        database.close();
        await rm(directory, { recursive: true });
      },
    };
  },
});
