import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { S3_KEYS, S3Keys } from '../../../src/s3key/s3-keys.ts';
import type { PostgresOptions } from '../../../src/state/postgres-database.ts';
import { openOnPostgres } from '../../apikey/open-keys.ts';
import { LIMITS, s3KeysContract } from '../../contract/s3-keys.ts';
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

  s3KeysContract('S3Keys on PostgreSQL', () =>
    openOnPostgres(options, { kind: S3_KEYS, on: (given) => new S3Keys({ ...LIMITS, ...given }) }),
  );
});
