import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { AuditFolder, change, read } from '../../audit/support/audit-folder.ts';
import { diskCalls } from '../../audit/support/disk-calls.ts';
import { until } from '../../audit/support/until.ts';

type Write = (
  bytes: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ readonly bytesWritten: number }>;
const OTHERS = ['datasync', 'sync', 'truncate', 'writeFile'] as const;
type Disk = { write: Write } & Record<(typeof OTHERS)[number], (...args: unknown[]) => Promise<void>>;

const STORES = 24;
const RUN_MS = 2_000;
/** One call of the disk in so many fails. All stores are used until so many calls failed, because a busy disk takes fewer calls within the time. */
const FAILS = 12;
const FAILURES = 2 * STORES;

let disk: Disk;
let real: Disk;
let fails = false;
let failures = 0;

beforeEach(async () => {
  disk = await diskCalls();
  const { write, datasync, sync, truncate, writeFile } = disk;
  real = { write, datasync, sync, truncate, writeFile };
  const failNow = () => {
    if (!fails || Math.random() * FAILS >= 1) return false;
    failures += 1;
    return true;
  };
  disk.write = async function (bytes, offset, length, position) {
    if (!failNow()) return real.write.call(this, bytes, offset, length, position);
    // A disk that gets full takes a part.
    await real.write.call(this, bytes, offset, Math.floor(length * Math.random()), position);
    throw new Error('ENOSPC');
  };
  for (const name of OTHERS) {
    disk[name] = function (...args) {
      return failNow() ? Promise.reject(new Error('EIO')) : real[name].apply(this, args);
    };
  }
});
afterEach(() => void Object.assign(disk, real));

/** Changes and reads at random. @returns the keys of changes that were acknowledged and refused, and of reads, in their order. */
async function use(folder: AuditFolder) {
  const acknowledged: string[] = [];
  const refused: string[] = [];
  const reads: string[] = [];
  const store = await folder.open({ segmentBytes: 2_000 + Math.floor(Math.random() * 20_000) });
  const changes: Promise<void>[] = [];
  for (const end = performance.now() + RUN_MS; performance.now() < end || failures < FAILURES;) {
    for (let i = Math.floor(Math.random() * 5); i > 0; i -= 1) {
      reads.push(`r${reads.length}`);
      void store.write(read(reads.at(-1)!));
    }
    if (Math.random() < 0.3) {
      const key = `c${changes.length}`;
      changes.push(
        Promise.resolve(store.write(change(key))).then(
          () => void acknowledged.push(key),
          () => void refused.push(key),
        ),
      );
    }
    await wait(Math.random() * 30);
  }
  return { store, acknowledged, refused, reads, changes };
}

it('a disk on which any call may fail has each acknowledged change and each read once, in order, and no refused change', async () => {
  const folders = Array.from({ length: STORES }, () => new AuditFolder());
  fails = true;
  const used = await Promise.all(folders.map(async (folder) => ({ folder, ...(await use(folder)) })));
  fails = false;
  for (const { folder, store, acknowledged, refused, reads, changes } of used) {
    await Promise.all(changes);
    await until(() => store.lagSeconds === 0, 'all lines written');
    await store.close();
    const keys = folder.lines().flatMap((line) => /"key":"(\w+)"/.exec(line)?.[1] ?? []);
    expect(keys.filter((key) => key.startsWith('r'))).toEqual(reads);
    expect(keys.filter((key) => key.startsWith('c')).toSorted()).toEqual(acknowledged.toSorted());
    expect(keys.filter((key) => refused.includes(key))).toEqual([]);
    expect(folder.verify()).toMatchObject([{ faults: [] }]);
    await folder.remove();
  }
  expect(used.some(({ refused }) => refused.length > 0)).toBe(true);
});
