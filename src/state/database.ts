import { chmodSync, closeSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { SvcError } from '../errors/svc-error.ts';
import { migrate } from './migrate.ts';
import { isBusy, stateUnavailable } from './sqlite-fault.ts';

/** How long a locked database is retried. This is less than the deadline of a session store, so that the log shows the cause. */
const LOCK_WAIT_MS = 1_800;
const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 50;
/** At the start SQLite itself may wait for a lock, because there are no requests yet. */
const OPEN_LOCK_WAIT_MS = 5_000;
const WATCH_MS = 500;
/** Less than {@link NOTICED_MS}. */
const TRUSTED_MS = 900;

/**
 * The state database: one SQLite file, private to the service.
 *
 * `node:sqlite` is synchronous and a wait for a lock would block the whole process, so SQLite itself never waits here. A locked database is retried from a
 * timer, for {@link LOCK_WAIT_MS}. When `write` resolves, the data is on the disk (WAL, `synchronous=FULL`).
 */
export class StateDatabase {
  readonly #db: DatabaseSync;
  readonly #dataVersion: StatementSync;
  readonly #watchers: (() => void)[] = [];
  #watch: NodeJS.Timeout | undefined;
  #seenVersion: unknown;
  #lookedAt = Number.NEGATIVE_INFINITY;

  private constructor(db: DatabaseSync) {
    this.#db = db;
    this.#dataVersion = db.prepare('PRAGMA data_version');
  }

  /**
   * Opens the database, creates it when it is missing, and migrates it to the current version.
   *
   * @throws {SvcError} `state_unavailable`, with a detail that says what to do.
   */
  static open(path: string): StateDatabase {
    makePrivate(path);
    let db: DatabaseSync | undefined;
    try {
      db = new DatabaseSync(path, { timeout: OPEN_LOCK_WAIT_MS, enableForeignKeyConstraints: true });
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;');
      migrate(db, path);
      db.exec('PRAGMA busy_timeout = 0');
      return new StateDatabase(db);
    } catch (error) {
      db?.close();
      throw stateUnavailable(error);
    }
  }

  /** Prepares a statement, to run inside `read` or `write`. */
  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql);
  }

  /**
   * Runs `work`, which must only read. Returns its result, or a promise of it while the database is locked.
   *
   * @throws {SvcError} `state_unavailable`.
   */
  read<T>(work: () => T): T | Promise<T> {
    try {
      return work();
    } catch (error) {
      if (isBusy(error)) return this.#retry(work);
      throw stateUnavailable(error);
    }
  }

  /**
   * Runs `work` in a transaction: when this resolves, all of it is on the disk; when this rejects, none of it happened.
   *
   * @throws {SvcError} `state_unavailable`; whatever `work` throws.
   */
  async write<T>(work: () => T): Promise<T> {
    return this.#retry(() => this.#transaction(work));
  }

  /**
   * Runs long `work` in one transaction. This is for maintenance of a database, not while requests are served, because they would be part of the same
   * transaction.
   *
   * @param kind - `DEFERRED` to read a consistent state, `IMMEDIATE` to write.
   * @throws {SvcError} `state_unavailable`; whatever `work` throws.
   */
  async hold<T>(kind: 'DEFERRED' | 'IMMEDIATE', work: () => Promise<T>): Promise<T> {
    await this.#retry(() => this.#db.exec(`BEGIN ${kind}`));
    try {
      const result = await work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw stateUnavailable(error);
    }
  }

  /** Resolves when the database is writable. */
  async check(): Promise<void> {
    // Writes a value, because an empty transaction also succeeds on a full disk.
    await this.write(() =>
      this.#db.exec(`PRAGMA user_version = ${String(this.#db.prepare('PRAGMA user_version').get()?.['user_version'])}`),
    );
  }

  /** Calls `listener` within half a second after another connection changed the database. */
  onChangedElsewhere(listener: () => void): void {
    this.#watchers.push(listener);
    if (this.#watch !== undefined) return;
    this.#seenVersion = this.#readVersion();
    this.#watch = setInterval(() => this.#lookForChange(), WATCH_MS).unref();
  }

  /**
   * Whether the changes by other connections are known up to a short time ago. Looks for them when the last look is too long ago, because this process was busy or
   * stood still.
   */
  areChangesKnown(): boolean {
    const areKnown = () => performance.now() - this.#lookedAt < TRUSTED_MS;
    if (!areKnown()) this.#lookForChange();
    return areKnown();
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  close(): void {
    clearInterval(this.#watch);
    if (this.#db.isOpen) this.#db.close();
  }

  #transaction<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  async #retry<T>(attempt: () => T): Promise<T> {
    const end = performance.now() + LOCK_WAIT_MS;
    for (let pause = FIRST_RETRY_MS; ; pause = Math.min(pause * 2, LAST_RETRY_MS)) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error) || performance.now() + pause > end) throw stateUnavailable(error);
      }
      await wait(pause);
    }
  }

  #lookForChange(): void {
    const lookedAt = performance.now();
    const version = this.#readVersion();
    if (version === undefined) return;
    this.#lookedAt = lookedAt;
    if (version === this.#seenVersion) return;
    this.#seenVersion = version;
    for (const watcher of this.#watchers) watcher();
  }

  #readVersion(): unknown {
    try {
      return this.#dataVersion.get()?.['data_version'];
    } catch {
      return undefined;
    }
  }
}

/** Creates the folder and the file when they are missing, and removes everybody else's access to the file. SQLite gives its side files the same mode. */
function makePrivate(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = openSync(path, 'a', 0o600);
    const { mode } = fstatSync(file);
    closeSync(file);
    if ((mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch (error) {
    throw new SvcError('state_unavailable', {
      detail: `state.path: \`${path}\` cannot be opened; check the permissions of the file and its folder`,
      cause: error,
    });
  }
}
