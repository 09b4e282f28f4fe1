import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { verifyAudit } from '../../../src/audit/verify.ts';
import { AuditFolder, change, openAudit, PUBLIC_KEY, read } from '../../audit/support/audit-folder.ts';
import { diskCalls } from '../../audit/support/disk-calls.ts';

type Call = (...args: unknown[]) => Promise<unknown>;
type Disk = Record<'write' | 'datasync' | 'writeFile', Call>;

const BEFORE_MIDNIGHT = Date.parse('2026-01-01T23:59:30Z');

let disk: Disk;
let real: Disk;
let folder: AuditFolder;
beforeEach(async () => {
  folder = new AuditFolder();
  disk = await diskCalls();
  const { write, datasync, writeFile } = disk;
  real = { write, datasync, writeFile };
});
afterEach(async () => {
  Object.assign(disk, real);
  await folder.remove();
});

const full: Call = () => Promise.reject(new Error('ENOSPC'));

it.each<[string, (open: Promise<unknown>) => Partial<Disk>]>([
  ['was full', () => ({ write: full, writeFile: full })],
  [
    'stood still',
    (open) => ({
      async write(this: unknown, ...args) {
        await open;
        return real.write.apply(this, args);
      },
    }),
  ],
])(
  'what was kept while the disk %s for a minute is signed with the lines after it, so that verification takes it for no forgery',
  async (_how, failing) => {
    let now = Date.parse('2026-01-01T12:00:00Z');
    const store = await folder.open({}, () => now);
    const gate = Promise.withResolvers();
    await store.write(change('signed'));
    await store.write(change('not signed yet'));
    Object.assign(disk, failing(gate.promise));
    void store.write(read('kept'));
    await wait(200);
    void store.write(read('kept too'));
    now += 60_000;
    // Longer than a line waits for its signature.
    await wait(1_500);
    Object.assign(disk, real);
    gate.resolve(undefined);
    await store.write(change('after'));
    expect(folder.lines().filter((line) => line.includes('kept'))).toHaveLength(2);
    expect(folder.verify()).toMatchObject([{ faults: [] }]);
  },
);

/** Verifies a copy of the files, as a process that is killed now leaves them, before and after the next start. */
async function verifiedAsKilled() {
  const path = join(folder.path, '../killed');
  cpSync(folder.path, path, { recursive: true });
  const killed = verifyAudit(path, [PUBLIC_KEY]);
  const calls = { ...disk };
  Object.assign(disk, real);
  const again = await openAudit(path);
  await again.write(change('next'));
  await again.close();
  const started = verifyAudit(path, [PUBLIC_KEY]);
  Object.assign(disk, calls);
  return [...killed, ...started].map(({ faults }) => faults);
}

it('a disk that has room for lines and none for a signature leaves nothing that verification takes for a forgery', async () => {
  let now = BEFORE_MIDNIGHT;
  const store = await folder.open({}, () => now);
  await store.write(change('signed'));
  await wait(1_500);
  Object.assign(disk, { writeFile: () => Promise.reject(new Error('ENOSPC')) });
  void store.write(read('kept'));
  await wait(1_500);
  now += 25_000;
  void store.write(read('kept too'));
  await wait(1_500);
  expect(await verifiedAsKilled()).toEqual([[], []]);
  Object.assign(disk, real);
  await store.write(change('after'));
  expect(folder.lines().filter((line) => line.includes('kept'))).toHaveLength(2);
  expect(folder.verify()).toMatchObject([{ faults: [] }]);
});

it.each([
  ['the same', 0],
  ['the next', 60_000],
])(
  'a disk that takes half a minute for each write leaves nothing that verification takes for a forgery, on %s day',
  async (_day, later) => {
    let now = BEFORE_MIDNIGHT;
    const store = await folder.open({}, () => now);
    await store.write(change('signed'));
    let waiting: (() => void)[] = [];
    Object.assign(disk, {
      async datasync(this: unknown, ...args: unknown[]) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return real.datasync.apply(this, args);
      },
    });
    void store.write(read('slow'));
    await wait(700);
    void store.write(read('kept'));
    // Longer than lines of one write may be apart.
    await wait(6_000);
    now += later === 0 ? 25_000 : later;
    void store.write(read('kept too'));
    const found: unknown[] = [];
    for (let i = 0; i < 12; i += 1) {
      await wait(100);
      found.push(folder.verify()[0]!.faults);
      const go = waiting;
      waiting = [];
      for (const one of go) one();
    }
    expect(found).toEqual(found.map(() => []));
    Object.assign(disk, real);
    for (const one of waiting) one();
    await store.write(change('after'));
    expect(folder.lines().filter((line) => line.includes('kept'))).toHaveLength(2);
    expect(folder.verify()).toMatchObject([{ faults: [] }]);
  },
);
