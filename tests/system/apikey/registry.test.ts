import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { PostgresOptions } from '../../../src/state/postgres-database.ts';
import { apiKeysContract } from '../../contract/api-keys.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { openPostgresKeys } from '../../apikey/open-keys.ts';

describePostgres('on PostgreSQL', () => {
  let postgres: PostgresServer;
  let options: PostgresOptions;

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    options = await postgres.database();
  }, 60_000);
  afterAll(() => postgres.stop());
  afterEach(() => postgres.empty(options));

  apiKeysContract({ name: 'ApiKeys on PostgreSQL', open: (...limits) => openPostgresKeys(options, ...limits) });
});
