import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { SqliteSessionStore } from '../../../src/session/sqlite-store.ts';
import { StateDatabase } from '../../../src/state/database.ts';
import { Machine } from '../../cli/svc-process.ts';

const ROUNDS = 12;
const SECRET = { SVC_SESSION_SECRET: 'a-session-secret-of-enough-bytes-for-tests' };
/** Longer than a backup takes here, so that some are killed and some are not. */
const LONGEST_LIFE_MS = 900;

let machine: Machine;
let writer: ChildProcessByStdio<null, Readable, null> | undefined;
beforeAll(async () => {
  machine = await Machine.make();
});
afterEach(() => void writer?.kill('SIGKILL'));
afterAll(() => machine.remove());

const at = (name: string) => join(machine.home, name);

/** Whether the restored database has every session. */
function holds(path: string, digests: readonly string[]): boolean {
  const database = StateDatabase.open(path);
  const store = new SqliteSessionStore({ database, capacity: 1_000_000, perSubject: 1_000_000, now: Date.now });
  const found = digests.map((digest) => store.find(digest));
  database.close();
  return found.every((session) => session !== undefined);
}

it('svc state backup, while what writes is killed and while it is killed itself, leaves copies that are whole or none, with every session that was acknowledged before', async () => {
  await writeFile(at('svc.yaml'), JSON.stringify({ providers: [], state: { path: 'state.db' } }));
  await writeFile(at('restored.yaml'), JSON.stringify({ providers: [], state: { path: 'restored.db' } }));
  const acknowledged: string[] = [];
  const outcomes = { whole: 0, none: 0 };
  for (let round = 1; round <= ROUNDS; round += 1) {
    writer = spawn(process.execPath, [join(import.meta.dirname, '../../cli/session-writer.ts'), at('state.db')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface(writer.stdout).on('line', (digest) => acknowledged.push(digest));
    const [ended, read] = [once(writer, 'exit'), once(lines, 'close')];
    for (const before = acknowledged.length; acknowledged.length < before + 20;) await wait(5);
    const known = [...acknowledged];
    const copy = at(`copy ${round}.db`);
    const backup = machine.start(['state', 'backup', '--config', at('svc.yaml'), copy], SECRET);
    await wait(Math.random() * LONGEST_LIFE_MS);
    writer.kill('SIGKILL');
    if (round % 2 === 0) backup.child.kill('SIGKILL');
    const { status, stderr } = await backup.ended;
    await Promise.all([ended, read]);
    if (round % 2 === 1) expect([round, status, stderr]).toEqual([round, 0, '']);
    outcomes[existsSync(copy) ? 'whole' : 'none'] += 1;
    if (!existsSync(copy)) continue;
    await copyFile(copy, at('restored.db'));
    expect([
      round,
      (await machine.start(['state', 'check', '--config', at('restored.yaml')], SECRET).ended).status,
    ]).toEqual([round, 0]);
    expect([round, holds(at('restored.db'), known)]).toEqual([round, true]);
  }
  expect(outcomes.whole).toBeGreaterThanOrEqual(ROUNDS / 2);
  expect(outcomes.whole + outcomes.none).toBe(ROUNDS);
  expect(
    (await readdir(machine.home)).filter(
      (name) => /^copy \d+\.db.+/.test(name) && !name.endsWith('.part') && !/\.part-(?:wal|shm|journal)$/.test(name),
    ),
  ).toEqual([]);
});
