import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { StateDatabase } from '../../src/state/database.ts';
import { MIGRATIONS } from '../../src/state/migrations.ts';
import { lockFromElsewhere } from './lock-holder.ts';

const INSERT =
  "INSERT INTO sessions (digest, id, kind, issuer, subject, groups, name, id_token, started_at, expires_at) VALUES (?, ?, 'web', 'i', 's', '[]', 'n', ?, 0, 1)";

let directory: string;
let path: string;
const opened: StateDatabase[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-state-'));
  path = join(directory, 'deep', 'state.db');
});

afterEach(async () => {
  for (const database of opened.splice(0)) database.close();
  await rm(directory, { recursive: true });
});

function open(): StateDatabase {
  const database = StateDatabase.open(path);
  opened.push(database);
  return database;
}

function countOf(database: StateDatabase): number {
  return Number(database.prepare('SELECT count(*) AS n FROM sessions').get()?.['n']);
}

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777;
}

describe('StateDatabase.open', () => {
  it('makes folder and file, for nobody else to read', async () => {
    const database = open();
    await database.check();
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(join(directory, 'deep'))).toBe(0o700);
    expect(await modeOf(`${path}-wal`)).toBe(0o600);
  });

  it('keeps others out of a file that they could read', async () => {
    open().close();
    await chmod(path, 0o644);
    open();
    expect(await modeOf(path)).toBe(0o600);
  });

  it('writes ahead and waits for the disk', () => {
    const database = open();
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    expect(database.prepare('PRAGMA busy_timeout').get()).toMatchObject({ timeout: 0 });
  });

  it('finds what was written before', async () => {
    const first = open();
    await first.write(() => first.prepare(INSERT).run('d', 'i', 't'));
    first.close();
    expect(countOf(open())).toBe(1);
  });

  it('brings a database of an older program along, with all that stands in it', () => {
    open().close();
    const older = join(directory, 'deep', 'older.db');
    const file = new DatabaseSync(older);
    for (const migration of MIGRATIONS.slice(0, 3)) file.exec(migration);
    file.exec('PRAGMA user_version = 3');
    file.prepare(INSERT).run('d', 'i', 't');
    file.exec(
      `INSERT INTO api_keys (id, verifier, revision, description, scope, creator_issuer, creator_subject, creator_groups, creator_name, created_at)
         VALUES ('k', x'0102', 7, 'a key', '{"rules":[]}', 'i', 's', '["g"]', 'n', 5)`,
    );
    const [sessions, keys] = [
      file.prepare('SELECT * FROM sessions').all(),
      file.prepare('SELECT * FROM api_keys').all(),
    ];
    file.close();
    const database = StateDatabase.open(older);
    opened.push(database);
    expect(database.prepare('SELECT * FROM sessions').all()).toEqual(
      sessions.map((session) => ({ ...session, login_sub: null, login_sid: null })),
    );
    expect(database.prepare('SELECT * FROM api_keys').all()).toEqual(
      keys.map((key) => ({ ...key, provider: null, signed_in_at: null, suspended_at: null })),
    );
    expect(database.prepare('SELECT name, count FROM tallies').all()).toEqual([{ name: 'sessions', count: 1 }]);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length });
  });

  it('refuses a database of a newer program', () => {
    const first = open();
    first.prepare('PRAGMA user_version = 99').get();
    first.close();
    expect(open).toThrow(
      expect.objectContaining({ code: 'state_unavailable', message: expect.stringContaining('has version 99') }),
    );
  });

  it('refuses a database of another program', () => {
    const first = open();
    first.prepare('PRAGMA user_version = 0').get();
    first.close();
    expect(open).toThrow(
      expect.objectContaining({ code: 'state_unavailable', message: expect.stringContaining('another program') }),
    );
  });

  it('refuses a file that is not a database, and leaves it alone', async () => {
    open().close();
    await writeFile(path, 'something else, and long enough to be looked at\n'.repeat(40));
    expect(open).toThrow(
      expect.objectContaining({ code: 'state_unavailable', message: expect.stringContaining('is damaged') }),
    );
    expect(await readFile(path, 'utf8')).toMatch(/^something else/);
  });

  it('refuses a damaged database', async () => {
    const first = open();
    await first.write(() => {
      for (let i = 0; i < 500; i++) first.prepare(INSERT).run(`digest ${i}`, `id ${i}`, 'x'.repeat(500));
    });
    first.close();
    const bytes = await readFile(path);
    bytes.fill(0xee, 4096 * 20, 4096 * 24);
    await writeFile(path, bytes);
    expect(open).toThrow(
      expect.objectContaining({ code: 'state_unavailable', message: expect.stringContaining('is damaged') }),
    );
  });

  it('says which path cannot be opened', async () => {
    await writeFile(join(directory, 'deep'), 'a file where the folder should be');
    expect(open).toThrow(
      expect.objectContaining({ code: 'state_unavailable', message: expect.stringContaining(path) }),
    );
  });
});

describe('StateDatabase.write', () => {
  it('does all of it or nothing', async () => {
    const database = open();
    const insert = database.prepare(INSERT);
    await expect(
      database.write(() => {
        insert.run('d', 'i', 't');
        throw new Error('in the middle');
      }),
    ).rejects.toThrow('in the middle');
    expect(countOf(database)).toBe(0);
    await database.write(() => insert.run('d', 'i', 't'));
    expect(countOf(database)).toBe(1);
  });

  it('takes writers from two connections at once', async () => {
    const [one, two] = [open(), open()];
    await Promise.all(
      [one, two].flatMap((database, i) =>
        Array.from({ length: 50 }, (_, j) =>
          database.write(() => database.prepare(INSERT).run(`d${i}-${j}`, `i${i}-${j}`, 't')),
        ),
      ),
    );
    expect(countOf(one)).toBe(100);
  });
});

describe('StateDatabase while another process holds it', () => {
  it('answers reads, gives writes up within two seconds, and never stops the process', async () => {
    const database = open();
    await database.write(() => database.prepare(INSERT).run('d', 'i', 't'));
    const unlock = await lockFromElsewhere(path);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const start = performance.now();
    const writes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => database.write(() => database.prepare(INSERT).run(`d${i}`, `i${i}`, 't'))),
    );
    const ms = performance.now() - start;
    delay.disable();
    for (const write of writes) {
      expect(write).toMatchObject({
        status: 'rejected',
        reason: { code: 'state_unavailable', message: expect.stringContaining('locked by another process') },
      });
    }
    expect(ms).toBeGreaterThan(1_000);
    expect(ms).toBeLessThan(10_000);
    expect(delay.max / 1e6).toBeLessThan(1_000);
    expect(await database.read(() => countOf(database))).toBe(1);
    await expect(database.check()).rejects.toMatchObject({ code: 'state_unavailable' });
    await unlock();
    await database.check();
  });

  it('is opened meanwhile, because a database of the current version has nothing to be changed', async () => {
    const before = open();
    await before.write(() => before.prepare(INSERT).run('d', 'i', 't'));
    const unlock = await lockFromElsewhere(path);
    try {
      expect(countOf(open())).toBe(1);
    } finally {
      await unlock();
    }
  });

  it('writes as soon as it is let go', async () => {
    const database = open();
    const unlock = await lockFromElsewhere(path);
    const write = database.write(() => database.prepare(INSERT).run('d', 'i', 't'));
    await wait(300);
    await unlock();
    await write;
    expect(countOf(database)).toBe(1);
  });
});

describe('StateDatabase on a full disk', () => {
  it('refuses what does not fit, keeps what was there, and goes on when there is room', async () => {
    const database = open();
    const insert = database.prepare(INSERT);
    await database.write(() => insert.run('before', 'before', 't'));
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    database.prepare(`PRAGMA max_page_count = ${pages}`).get();
    await expect(database.write(() => insert.run('big', 'big', 'x'.repeat(100_000)))).rejects.toMatchObject({
      code: 'state_unavailable',
      message: expect.stringContaining('is full'),
    });
    expect(countOf(database)).toBe(1);
    database.prepare('PRAGMA max_page_count = 100000').get();
    await database.write(() => insert.run('big', 'big', 'x'.repeat(100_000)));
    expect(countOf(database)).toBe(2);
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });
});

describe('StateDatabase.check', () => {
  it('writes, so that it fails where a write would', async () => {
    const database = open();
    await expect(database.check()).resolves.toBeUndefined();
    const other = new DatabaseSync(path);
    const version = () => other.prepare('PRAGMA data_version').get()?.['data_version'];
    const before = version();
    await database.check();
    expect(version()).not.toBe(before);
    other.close();
    database.prepare('PRAGMA query_only = 1').get();
    await expect(database.check()).rejects.toMatchObject({ code: 'state_unavailable' });
  });
});

describe('StateDatabase that cannot be written to', () => {
  it('says so', async () => {
    const database = open();
    database.prepare('PRAGMA query_only = 1').get();
    await expect(database.write(() => database.prepare(INSERT).run('d', 'i', 't'))).rejects.toMatchObject({
      code: 'state_unavailable',
      message: expect.stringContaining('cannot be written to'),
    });
  });
});

describe('StateDatabase.onChangedElsewhere', () => {
  it("tells of another connection's change within a second, and not of its own", async () => {
    const database = open();
    let told = 0;
    database.onChangedElsewhere(() => told++);
    await database.write(() => database.prepare(INSERT).run('own', 'own', 't'));
    await wait(700);
    expect(told).toBe(0);
    const other = new DatabaseSync(path);
    other.exec("DELETE FROM sessions WHERE digest = 'own'");
    other.close();
    await wait(700);
    expect(told).toBe(1);
  });
});
