import { expect, it } from '@jest/globals';
import { API_KEYS } from '../../../src/apikey/api-key.ts';
import { PostgresKeyStore } from '../../../src/key/postgres-store.ts';
import { apiKeysContract } from '../../contract/api-keys.ts';
import { describeOnPostgres } from '../../support/describe-postgres.ts';
import { openPostgres } from '../../support/postgres-server.ts';
import { openPostgresKeys } from '../../apikey/open-keys.ts';
import { until } from '../../audit/support/until.ts';

describeOnPostgres((options) => {
  apiKeysContract({ name: 'ApiKeys on PostgreSQL', open: (...limits) => openPostgresKeys(options(), ...limits) });

  it('PostgresKeyStore.find keeps nothing of a key that changes while it is read', async () => {
    const { clock, keys, close } = await openPostgresKeys(options());
    const here = await openPostgres(options());
    const creator = {
      identity: { issuer: 'https://id.example', subject: 'ada', groups: [] },
      name: 'Ada',
      isAdmin: false,
    };
    const scope = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } as const;
    const { key } = await keys.create({ description: 'x', scope, expiresAt: clock.now() + 60_000 }, creator);
    const told = Promise.withResolvers<undefined>();
    const query = here.database.query.bind(here.database);
    here.database.query = async (...asked) => {
      const rows = await query(...asked);
      if (rows[0]?.['verifier'] !== undefined) {
        await keys.revoke(key.id, creator);
        await told.promise;
      }
      return rows;
    };
    const store = new PostgresKeyStore(here, API_KEYS);
    store.onChangedElsewhere((id) => id === key.id && told.resolve(undefined));
    await until(() => here.changes.areKnown, 'the changes of other instances');
    try {
      expect(await store.find(key.id)).toBeDefined();
      expect(await store.find(key.id)).toBeUndefined();
    } finally {
      await here.close();
      await close();
    }
  });
});
