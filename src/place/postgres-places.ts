import type { PostgresDatabase } from '../state/postgres-database.ts';
import { keptOf, marked, MOST_PEOPLE, rowId, type PlaceStore } from './kept-places.ts';

/** The places of people in PostgreSQL. @param mostPeople - see {@link MOST_PEOPLE}. */
export function postgresPlaces(db: PostgresDatabase, mostPeople = MOST_PEOPLE): PlaceStore {
  return {
    read: async (person) =>
      keptOf((await db.query('SELECT places FROM svc.kept_places WHERE id = $1', [rowId(person)]))[0]),
    mark: (person, mark, places, at) =>
      db.transaction(async (ask) => {
        const id = rowId(person);
        // The row is there before it is locked, so that two first marks of a person wait for each other.
        const added = await ask(
          'INSERT INTO svc.kept_places (id, places, changed_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
          [id, JSON.stringify(keptOf(undefined)), at],
        );
        const [row] = await ask('SELECT places FROM svc.kept_places WHERE id = $1 FOR UPDATE', [id]);
        const kept = marked(keptOf(row), mark, places);
        await ask('UPDATE svc.kept_places SET places = $2, changed_at = $3 WHERE id = $1', [
          id,
          JSON.stringify(kept),
          at,
        ]);
        if (added.length > 0)
          await ask(
            'DELETE FROM svc.kept_places WHERE id IN (SELECT id FROM svc.kept_places ORDER BY changed_at DESC, id OFFSET $1)',
            [mostPeople],
          );
        return kept;
      }),
  };
}
