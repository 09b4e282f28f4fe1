import { postgresPlaces } from '../../../src/place/postgres-places.ts';
import { placesContract } from '../../contract/places.ts';
import { describeOnPostgres } from '../../support/describe-postgres.ts';
import { openPostgres } from '../../support/postgres-server.ts';

describeOnPostgres((options) => {
  placesContract('Places in PostgreSQL', async () => {
    const [here, elsewhere] = await Promise.all([openPostgres(options()), openPostgres(options())]);
    await here.database.transaction((ask) => ask('DELETE FROM svc.kept_places'));
    return {
      here: postgresPlaces(here.database, 2),
      elsewhere: postgresPlaces(elsewhere.database, 2),
      close: async () => {
        await here.close();
        await elsewhere.close();
      },
    };
  });
});
