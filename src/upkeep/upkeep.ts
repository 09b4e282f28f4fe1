import { DatabaseSync } from 'node:sqlite';
import { createReadStream, existsSync, openSync, closeSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StateSettings } from '../config/read/settings.ts';
import { SvcError } from '../errors/svc-error.ts';
import { dumpOf, loadDump } from './dump.ts';
import { isSealed, seal, unseal } from './dump-seal.ts';
import { SqliteRows } from './sqlite-rows.ts';
import { summarize, type StateRows, type Summary } from './tables.ts';
import { isBusy, stateUnavailable } from '../state/sqlite-fault.ts';

const PRIVATE = 0o600;
const START_BYTES = 64;

/** Opens the state database and returns its summary. An SQLite file is checked for damage. */
export async function check(state: StateSettings): Promise<Summary> {
  return withRows(existing(state), (rows) => rows.read(summarize));
}

/** Copies all rows into an empty database of either kind. */
export async function migrate(
  from: StateSettings,
  to: StateSettings,
  warn: (message: string) => void,
): Promise<Summary> {
  const isUsed = from.type === 'sqlite' && existsSync(from.path) && isFileInUse(from.path);
  return withRows(existing(from), async (source) => {
    if (isUsed || (await source.isListenedTo?.()) === true)
      warn(
        'another process, such as the running service, uses the first database: what it changes from now on is not copied',
      );
    return withRows(to, (target) =>
      source.read((reader) => target.write((writer) => loadDump(dumpOf(reader), writer))),
    );
  });
}

/** Writes a dump. @param passphrase - encrypts the dump; without one it is plain text. @returns the summary of the dump. */
export async function exportTo(
  state: StateSettings,
  target: NodeJS.WritableStream,
  passphrase: string | undefined,
): Promise<Summary> {
  return withRows(existing(state), (rows) =>
    rows.read(async (reader) => {
      let summary: Summary | undefined;
      const lines = async function* (): AsyncGenerator<string> {
        summary = yield* dumpOf(reader);
      };
      await pipeline(Readable.from(passphrase === undefined ? lines() : seal(lines(), passphrase)), target, {
        end: target !== process.stdout,
      });
      return summary!;
    }),
  );
}

/** Loads a dump into an empty database. */
export async function importFrom(state: StateSettings, file: string, passphrase: string | undefined): Promise<Summary> {
  const start = await startOf(file);
  if (isSealed(start) && passphrase === undefined)
    throw new SvcError('state_unavailable', {
      detail: `\`${file}\` is sealed; name its passphrase with \`--passphrase-file\``,
    });
  const opened = () => unseal(createReadStream(file) as AsyncIterable<Buffer>, passphrase!);
  // Only the end of a sealed dump tells whether the passphrase is right. What a wrong one opens is not taken for a dump that is damaged.
  if (isSealed(start)) for await (const _ of opened());
  const content = isSealed(start) ? Readable.from(opened(), { objectMode: false }) : createReadStream(file);
  return withRows(state, (rows) => rows.write((writer) => loadDump(linesOf(content), writer)));
}

/**
 * Copies an SQLite file while the service uses it, and checks the copy. `file` appears only when it is complete and flushed to disk; a killed backup leaves at
 * most a `.part` file.
 */
export async function backup(state: StateSettings, file: string): Promise<Summary> {
  if (state.type !== 'sqlite')
    throw new SvcError('state_unavailable', {
      detail: 'a backup is a copy of an SQLite file; use `pg_dump` for PostgreSQL, or `svc state export`',
    });
  existing(state);
  if (existsSync(file))
    throw new SvcError('state_unavailable', { detail: `\`${file}\` is there already; name another file` });
  const part = `${file}.part`;
  removeDatabase(part);
  closeSync(openSync(part, 'wx', PRIVATE));
  try {
    const rows = new SqliteRows(state.path);
    try {
      rows.copyTo(part);
    } finally {
      await rows.close();
    }
    const summary = await check({ type: 'sqlite', path: part });
    await flush(part);
    await rename(part, file);
    await flush(dirname(resolve(file)));
    return summary;
  } finally {
    removeDatabase(part);
  }
}

/** Deletes a database file and the side files of SQLite. */
function removeDatabase(file: string): void {
  for (const side of ['', '-wal', '-shm', '-journal']) rmSync(file + side, { force: true });
}

/** Flushes a file or folder to disk, which SQLite does not do for copies. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Throws when the SQLite file is missing, which opening it would create. */
function existing(state: StateSettings): StateSettings {
  if (state.type === 'sqlite' && !existsSync(state.path))
    throw new SvcError('state_unavailable', { detail: `state.path: there is no file \`${state.path}\`` });
  return state;
}

async function withRows<T>(state: StateSettings, work: (rows: StateRows) => Promise<T>): Promise<T> {
  const said: string[] = [];
  const rows =
    state.type === 'sqlite'
      ? new SqliteRows(state.path)
      : await (
          await import('./postgres-rows.ts')
        ).PostgresRows.open({ ...state, warn: (message) => void said.push(message) });
  try {
    return await work(rows);
  } catch (error) {
    if (said.length > 0) throw new SvcError('state_unavailable', { detail: said.join('; '), cause: error });
    throw error;
  } finally {
    await rows.close();
  }
}

async function startOf(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The lines of a text. `readline` would end a line at U+2028 and U+2029 too, which a name may contain. */
async function* linesOf(content: Readable): AsyncGenerator<string> {
  let line = '';
  for await (const text of content.setEncoding('utf8') as AsyncIterable<string>) {
    const [end = '', ...others] = text.split('\n');
    line += end;
    for (const other of others) {
      if (line.trim() !== '') yield line;
      line = other;
    }
  }
  if (line.trim() !== '') yield line;
}

/** Whether another connection uses an SQLite file, such as that of a running service. */
function isFileInUse(path: string): boolean {
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
