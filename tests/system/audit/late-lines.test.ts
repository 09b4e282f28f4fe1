import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { AuditFolder, change, read } from '../../audit/support/audit-folder.ts';
import { diskCalls } from '../../audit/support/disk-calls.ts';

type Call = (...args: unknown[]) => Promise<unknown>;
type Disk = Record<'write' | 'datasync' | 'writeFile', Call>;

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
