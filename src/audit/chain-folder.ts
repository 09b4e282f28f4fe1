import { closeSync, lstatSync, mkdirSync, openSync, statSync, type Stats } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../errors/svc-error.ts';
import { LOCK_FILE } from './chain-files.ts';

/** How many processes of one instance may write at the same time, each into a separate folder: all workers, also twice during an upgrade, and some to spare. */
const MAX_PROCESSES = 144;

/** A folder that only this process writes to, until it calls `release` or ends. */
export type OwnFolder = { readonly folder: string; readonly release: () => void };

/**
 * Takes the first folder of this instance that no other process writes to.
 *
 * The lock is a lock of SQLite, so the operating system releases it when the process ends in any way.
 *
 * @param instance - name of the folder; the host name by default.
 * @throws {SvcError} `audit_unavailable`.
 */
export function takeFolder(root: string, instance: string = safeName(hostname())): OwnFolder {
  refuseOpen(root, statSync(root));
  for (let i = 1; i <= MAX_PROCESSES; i += 1) {
    const folder = join(root, i === 1 ? instance : `${instance}.${i}`);
    const release = lockFolder(folder);
    if (release !== undefined) return { folder, release };
  }
  throw new SvcError('audit_unavailable', {
    detail: `audit.path: ${MAX_PROCESSES} processes write to \`${join(root, instance)}\` and beside it; give each instance its own \`audit.instance\``,
  });
}

/**
 * Locks a folder. This process must not hold the lock already.
 *
 * @returns undefined when another process holds the lock.
 */
export function lockFolder(folder: string): (() => void) | undefined {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    refuseOpen(folder, lstatSync(folder));
    // SQLite would create the file readable for everybody.
    closeSync(openSync(join(folder, LOCK_FILE), 'a', 0o600));
    database = new DatabaseSync(join(folder, LOCK_FILE), { timeout: 0 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    const held = database;
    return () => held.close();
  } catch (error) {
    database?.close();
    if (isLocked(error)) return undefined;
    if (error instanceof SvcError) throw error;
    throw notWritable(folder, error);
  }
}

export function notWritable(folder: string, cause: unknown): SvcError {
  return new SvcError('audit_unavailable', {
    detail: `audit.path: \`${folder}\` cannot be written to; check the permissions of the folder, and the room on the disk`,
    cause,
  });
}

const WRITABLE_BY_OTHERS = 0o022;

/** @throws {SvcError} `audit_unavailable` for a folder that others can write to, or that is a link. */
export function refuseOpen(folder: string, stats: Stats): void {
  if (!stats.isDirectory())
    throw new SvcError('audit_unavailable', {
      detail: `audit.path: \`${folder}\` is a link or a file; it has to be a folder`,
    });
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0)
    throw new SvcError('audit_unavailable', {
      detail: `audit.path: others can write to \`${folder}\`; take that from them with \`chmod go-w\``,
    });
}

const SQLITE_BUSY = 5;

function isLocked(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'errcode' in error &&
    ((error.errcode as number) & 0xff) === SQLITE_BUSY
  );
}

function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^\.+/, '') || 'svc';
}
