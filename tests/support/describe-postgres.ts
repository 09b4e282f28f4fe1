import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import type { PostgresOptions } from '../../src/state/postgres-database.ts';
import { missingForPostgres, PostgresServer } from './postgres-server.ts';

/** Says what is missing where PostgreSQL cannot run, and skips. */
export function describePostgres(name: string, tests: () => void): void {
  if (missingForPostgres.length === 0) describe(name, tests);
  else describe.skip(`${name} (missing here: ${missingForPostgres.join(', ')}; install postgresql)`, tests);
}

/** Runs tests on one server of PostgreSQL, with a database that is emptied after each. */
export function describeOnPostgres(tests: (options: () => PostgresOptions) => void): void {
  describePostgres('on PostgreSQL', () => {
    let postgres: PostgresServer;
    let options: PostgresOptions;

    beforeAll(async () => {
      postgres = await PostgresServer.start();
      options = await postgres.database();
    });
    afterAll(() => postgres.stop());
    afterEach(() => postgres.empty(options));

    tests(() => options);
  });
}
