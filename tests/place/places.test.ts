import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlitePlaces } from '../../src/place/sqlite-places.ts';
import { StateDatabase } from '../../src/state/database.ts';
import { placesContract } from '../contract/places.ts';

placesContract('Places in SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-places-'));
  const databases = [1, 2].map(() => StateDatabase.open(join(directory, 'state.db')));
  const [here, elsewhere] = databases.map((database) => sqlitePlaces(database, 2));
  return {
    here: here!,
    elsewhere: elsewhere!,
    close: async () => {
      for (const database of databases) database.close();
      await rm(directory, { recursive: true });
    },
  };
});
