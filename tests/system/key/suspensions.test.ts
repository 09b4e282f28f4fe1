import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { PostgresOptions } from '../../../src/state/postgres-database.ts';
import { suspensionsContract } from '../../contract/suspensions.ts';
import { openOnPostgres } from '../../key/open-suspensions.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { PostgresServer } from '../../support/postgres-server.ts';

describePostgres('on PostgreSQL', () => {
  let postgres: PostgresServer;
  let options: PostgresOptions;

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    options = await postgres.database();
  }, 60_000);
  afterAll(() => postgres.stop());
  afterEach(() => postgres.empty(options));

  suspensionsContract('Suspensions on PostgreSQL', () => openOnPostgres(options));
});
