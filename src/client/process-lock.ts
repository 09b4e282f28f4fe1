import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ClientFailure } from './client-failure.ts';

const WAIT_MS = 60_000;

/**
 * Does the work while no other process does any under the same file. A process that ends in the middle leaves nothing locked.
 *
 * @throws {ClientFailure} when another process takes too long.
 */
export async function oneAtATime<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file, { timeout: WAIT_MS });
  try {
    lock(database);
    return await work();
  } finally {
    database.close();
  }
}

function lock(database: DatabaseSync): void {
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch {
    throw new ClientFailure('another `svc` has been doing the same for a minute; try again');
  }
}
