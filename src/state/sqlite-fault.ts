import { SvcError } from '../errors/svc-error.ts';

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CONSTRAINT = 19;
const SQLITE_NOTADB = 26;

/** SQLite's primary result code; undefined when the error is not SQLite's. */
function resultCodeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR')
    return undefined;
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Whether another connection holds the lock, so that trying again can help. */
export function isBusy(error: unknown): boolean {
  const code = resultCodeOf(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

/** Whether the database works and does not take these values. */
export function isConstraint(error: unknown): boolean {
  return resultCodeOf(error) === SQLITE_CONSTRAINT;
}

/** `state_unavailable` for an error of SQLite; any other error unchanged. */
export function stateUnavailable(error: unknown): unknown {
  const code = resultCodeOf(error);
  return code === undefined
    ? error
    : new SvcError('state_unavailable', {
        detail: `the state database ${conditionOf(code)}`,
        retryAfterSeconds: 2,
        cause: error,
      });
}

function conditionOf(code: number): string {
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return 'is locked by another process; try again in a moment';
    case SQLITE_READONLY:
      return 'cannot be written to; check the permissions of its file and folder';
    case SQLITE_FULL:
      return 'is full; make room on its disk';
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return 'is damaged; restore it from a backup';
    default:
      return 'cannot be used; the log has the cause';
  }
}
