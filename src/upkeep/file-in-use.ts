import { DatabaseSync } from 'node:sqlite';
import { isBusy, stateUnavailable } from '../state/sqlite-fault.ts';

/** Whether another connection uses an SQLite file, such as that of a running service. */
export function isFileInUse(path: string): boolean {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // In WAL mode, a connection that has read from the file keeps a shared lock until it is closed.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw stateUnavailable(error);
  } finally {
    database.close();
  }
}
