import { describe } from '@jest/globals';
import { missingForPostgres } from './postgres-server.ts';

/** Says what is missing where PostgreSQL cannot run, and skips. */
export function describePostgres(name: string, tests: () => void): void {
  if (missingForPostgres.length === 0) describe(name, tests);
  else describe.skip(`${name} (missing here: ${missingForPostgres.join(', ')}; install postgresql)`, tests);
}
