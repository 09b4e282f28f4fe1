import type { StateDatabase } from '../state/database.ts';
import { keptOf, marked, MOST_PEOPLE, rowId, type PlaceStore } from './kept-places.ts';

/** The places of people in SQLite. @param mostPeople - see {@link MOST_PEOPLE}. */
export function sqlitePlaces(db: StateDatabase, mostPeople = MOST_PEOPLE): PlaceStore {
  const find = db.prepare('SELECT places FROM kept_places WHERE id = ?');
  const put = db.prepare(
    'INSERT INTO kept_places (id, places, changed_at) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET places = ?2, changed_at = ?3',
  );
  const dropOldest = db.prepare(
    'DELETE FROM kept_places WHERE id IN (SELECT id FROM kept_places ORDER BY changed_at DESC, id LIMIT -1 OFFSET ?)',
  );
  return {
    read: async (person) => keptOf(await db.read(() => find.get(rowId(person)))),
    mark: (person, mark, places, at) =>
      db.write(() => {
        const row = find.get(rowId(person));
        const kept = marked(keptOf(row), mark, places);
        put.run(rowId(person), JSON.stringify(kept), at);
        if (row === undefined) dropOldest.run(mostPeople);
        return kept;
      }),
  };
}
