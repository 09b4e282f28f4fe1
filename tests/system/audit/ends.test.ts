import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { latestLines } from '../../../src/audit/audit-lines.ts';
import { headFile, segmentFile, type Head } from '../../../src/audit/chain-files.ts';
import type { Intent } from '../../../src/audit/record.ts';
import { Machine } from '../../cli/svc-process.ts';
import { startApp } from '../../support/app.ts';
import { diskCalls } from '../../audit/support/disk-calls.ts';
import { until } from '../../audit/support/until.ts';
import { AUDIT_SECRET, AuditFolder, change, read } from '../../audit/support/audit-folder.ts';

let folder: AuditFolder;
beforeEach(() => {
  folder = new AuditFolder();
});
afterEach(() => folder.remove());

const intentOf = (keys: readonly string[]): Intent => ({
  operation: 'object/delete',
  who: change('').who,
  requestId: 'r',
  address: '127.0.0.1',
  face: 'http',
  resources: keys.map((key) => ({ provider: 'main', bucket: 'files', key, action: 'objects:delete' })),
});
const text = () =>
  readdirSync(folder.chain)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder.chain, name), 'utf8'))
    .join('');

describe('the end of the audit', () => {
  it('comes after that of what was intended', async () => {
    const store = await folder.open();
    const intent = await store.intend(intentOf(['a']));
    const closed = store.close();
    await wait(100);
    await store.write(change('a', { operation: 'object/delete', intent }));
    await closed;
    expect(folder.verify()).toMatchObject([{ lines: 3, faults: [] }]);
  });

  it('comes after that of what is being intended', async () => {
    const store = await folder.open();
    const intended = store.intend(intentOf(['a']));
    const closed = store.close();
    await store.write(change('a', { operation: 'object/delete', intent: await intended }));
    await closed;
    expect(folder.verify()).toMatchObject([{ lines: 3, faults: [] }]);
  });

  it('comes after that of storage, when the service stops', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'svc-audit-stop-')), 'audit');
    const app = await startApp({
      config: (config) => ({ ...config, audit: { path, instance: 'one', signing_secret: AUDIT_SECRET } }),
    });
    const cookie = `svc_session=${(await app.signIn('dan')).cookie(app.origin, 'svc_session')!}`;
    app.storageCalls.spoil = () => 'hold';
    const req = http.request(`${app.origin}/api/providers/main/buckets/files/object?key=open/a`, {
      method: 'DELETE',
      headers: { cookie, origin: app.origin },
    });
    req.on('error', () => undefined);
    req.end();
    await wait(500);
    req.destroy();
    app.storageCalls.spoil = undefined;
    await app.close();
    const { lines } = latestLines(path, { operation: 'object/delete', limit: 10 });
    expect(lines.map(({ kind, outcome }) => [kind, outcome])).toEqual([['outcome', 'failed']]);
    rmSync(join(path, '..'), { recursive: true });
  });
});

describe('an audit that was closed', () => {
  it('takes no line', async () => {
    const store = await folder.open();
    await store.write(change('before'));
    await store.close();
    const files = readdirSync(folder.chain);
    void store.write(read('after'));
    await expect(Promise.resolve(store.write(change('after')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    await wait(200);
    expect(readdirSync(folder.chain)).toEqual(files);
  });
});

describe('a bulk deletion without a known end', () => {
  it('is found by each of its keys, until its end is known', async () => {
    const keys = Array.from({ length: 250 }, (_, i) => `k${i}`);
    const store = await folder.open();
    const intent = await store.intend(intentOf(keys));
    const found = (key: string) =>
      latestLines(folder.path, { resource: `main/files/${key}`, limit: 10 }).lines.map(
        ({ outcome = 'unknown' }) => outcome,
      );
    expect(['k5', 'k99', 'k100', 'k249'].map(found)).toEqual([['unknown'], ['unknown'], ['unknown'], ['unknown']]);
    await store.intend(intentOf(['other']));
    await store.write(change('k0', { operation: 'object/delete', intent }));
    expect(['k0', 'k100', 'k249', 'other'].map(found)).toEqual([['done'], [], [], ['unknown']]);
  });
});

describe('a disk that fails', () => {
  type Disk = {
    datasync: () => Promise<void>;
    sync: () => Promise<void>;
    write: (...args: never[]) => Promise<unknown>;
  };
  let disk: Disk;
  let real: Disk['datasync'];
  let realWrite: Disk['write'];
  beforeEach(async () => {
    disk = await diskCalls();
    real = disk.datasync;
    realWrite = disk.write;
  });
  afterEach(() => {
    disk.datasync = real;
    disk.write = realWrite;
  });
  const keysRead = () => folder.lines().flatMap((line) => /"key":"(r\d+)"/.exec(line)?.[1] ?? []);
  const isSegment = ({ fd }: FileHandle) => readlinkSync(`/proc/self/fd/${fd}`).endsWith('.jsonl');

  it.each([
    ['behind lines that are on the disk', true],
    ['at the first of a segment', false],
  ])('for lines that were written already, %s, has each of them once, in their order', async (_where, hasBefore) => {
    const store = await folder.open();
    if (hasBefore) await store.write(change('before'));
    let failures = 0;
    disk.datasync = function (this: FileHandle) {
      return isSegment(this) ? Promise.reject(new Error(`EIO ${(failures += 1)}`)) : real.call(this);
    };
    const keys = Array.from({ length: 9 }, (_, i) => `r${i}`);
    for (const [i, key] of keys.entries()) {
      void store.write(read(key));
      if (i % 3 === 2) await until(() => keysRead().length === i + 1, 'three lines written');
    }
    expect(keysRead()).toEqual(keys);
    await until(() => failures === 2, 'two failures');
    disk.datasync = real;
    await until(() => store.lagSeconds === 0, 'all lines written');
    expect(keysRead()).toEqual(keys);
    expect(folder.lines().filter((line) => line.includes('"kind":"segment"'))).toHaveLength(1);
    await store.close();
    expect(folder.verify()).toMatchObject([{ faults: [] }]);
  });

  it('at the beginning of a segment, has the lines of the one before once', async () => {
    const store = await folder.open({ segmentBytes: 2_000 });
    const keys = Array.from({ length: 9 }, (_, i) => `r${i}`);
    for (const key of keys.slice(0, 8)) void store.write(read(key));
    await until(() => keysRead().length === 8, 'eight lines written');
    disk.write = () => Promise.reject(new Error('EIO'));
    void store.write(read(keys[8]!));
    await until(() => readdirSync(folder.chain).includes('00000002.jsonl'), 'a second segment');
    disk.write = realWrite;
    await until(() => store.lagSeconds === 0, 'all lines written');
    expect(keysRead()).toEqual(keys);
    await store.close();
    expect(folder.verify()).toMatchObject([{ faults: [] }]);
  });

  it('closes no segment of which it has not taken every line', async () => {
    const store = await folder.open({ segmentBytes: 2_000 });
    await store.write(change('before'));
    disk.datasync = function (this: FileHandle) {
      return isSegment(this) ? Promise.reject(new Error('EIO')) : real.call(this);
    };
    const keys = Array.from({ length: 9 }, (_, i) => `r${i}`);
    for (const key of keys.slice(0, 8)) void store.write(read(key));
    await until(() => keysRead().length >= 8, 'eight lines written');
    void store.write(read(keys[8]!));
    await wait(200);
    expect(readdirSync(folder.chain)).not.toContain('00000002.jsonl');
    disk.datasync = real;
    await until(() => store.lagSeconds === 0, 'all lines written');
    expect(keysRead()).toEqual(keys);
    await store.close();
  });

  it('has the name of the last head of a segment before the next segment begins', async () => {
    const isClosed: boolean[] = [];
    const sync = disk.sync;
    disk.sync = function (this: FileHandle) {
      const head = JSON.parse(readFileSync(headFile(folder.chain, 1), 'utf8')) as Head;
      isClosed.push(head.closed);
      return sync.call(this);
    };
    const store = await folder.open();
    await store.write(change('only'));
    await store.close();
    disk.sync = sync;
    expect(isClosed).toEqual([false, true]);
  });

  it('that does not answer lets nobody wait for more than ten seconds', async () => {
    const store = await folder.open();
    await store.write(change('before'));
    const hung = Promise.withResolvers<undefined>();
    disk.datasync = async function (this: FileHandle) {
      await hung.promise;
      return real.call(this);
    };
    const since = performance.now();
    await expect(Promise.resolve(store.write(change('late')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    expect(performance.now() - since).toBeGreaterThan(9_900);
    hung.resolve(undefined);
    await store.close();
  });

  it('while a segment is begun and then taken back, is written to afterwards', async () => {
    const store = await folder.open();
    // Neither can be put in its place nor removed.
    mkdirSync(headFile(folder.chain, 1));
    await expect(Promise.resolve(store.write(change('refused')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    rmSync(headFile(folder.chain, 1), { recursive: true });
    await store.write(change('after'));
    await store.close();
    expect(text()).not.toContain('refused');
    expect(folder.verify()).toMatchObject([{ faults: [] }]);
  });

  it('when the audit is closed, is not written to later: another process may have the folder by then', async () => {
    const store = await folder.open();
    await store.write(change('before'));
    void store.write(read('lost'));
    disk.datasync = () => Promise.reject(new Error('EIO'));
    await store.close();
    disk.datasync = real;
    const files = readdirSync(folder.chain);
    await wait(1_200);
    expect(readdirSync(folder.chain)).toEqual(files);
  });

  it('once, has each line once', async () => {
    const store = await folder.open();
    await store.write(change('before'));
    let failures = 1;
    disk.datasync = function (this: FileHandle) {
      failures -= 1;
      return failures === 0 ? Promise.reject(new Error('EIO')) : real.call(this);
    };
    void store.write(read('once'));
    await expect(Promise.resolve(store.write(change('refused')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    await wait(1_000);
    await store.close();
    expect(text().match(/"key":"once"/g)).toHaveLength(1);
    expect(text()).not.toContain('refused');
  });

  it('lets lines wait, which tells for how long, and none once it does not fail any more', async () => {
    const store = await folder.open();
    await store.write(change('before'));
    expect(store.lagSeconds).toBe(0);
    disk.datasync = () => Promise.reject(new Error('EIO'));
    void store.write(read('waits'));
    await wait(1_200);
    expect(store.lagSeconds).toBeGreaterThan(1);
    disk.datasync = real;
    await until(() => store.lagSeconds === 0, 'all lines written');
    expect(text()).toContain('"key":"waits"');
  });

  it('while only changes were refused, counts the time since', async () => {
    const store = await folder.open();
    disk.datasync = () => Promise.reject(new Error('EIO'));
    await expect(Promise.resolve(store.write(change('refused')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    await wait(300);
    expect(store.lagSeconds).toBeGreaterThan(0.25);
  });

  it('drops what no answer waits for when too much of it waits, and counts it', async () => {
    const store = await folder.open();
    disk.datasync = () => Promise.reject(new Error('EIO'));
    await expect(Promise.resolve(store.write(change('refused')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    const long = 'x'.repeat(1_000);
    for (let i = 0; i < 20_000; i += 1) void store.write(read(long));
    expect(store.lostLines).toBeGreaterThan(0);
    const lost = store.lostLines;
    disk.datasync = real;
    await until(() => store.lagSeconds === 0, 'all lines written');
    expect(store.lostLines).toBe(lost);
    await store.write(change('after'));
    const resumed = folder
      .lines()
      .map((line) => JSON.parse(line) as { kind: string; lost?: number })
      .filter(({ kind }) => kind === 'resumed');
    expect(resumed.map((line) => line.lost)).toEqual([lost]);
  });
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('a start on a full disk: skipped, because only root can mount one');

(isRoot ? describe : describe.skip)('a full disk', () => {
  beforeEach(() => {
    mkdirSync(folder.chain, { recursive: true, mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=0700', 'svc-test', folder.chain]);
  });
  afterEach(() => void execFileSync('umount', ['--lazy', folder.chain]));

  it('does not keep what was cut off anew at each start', async () => {
    const store = await folder.open();
    await store.write(change('a'));
    const [head, lines] = [readFileSync(headFile(folder.chain, 1)), readFileSync(segmentFile(folder.chain, 1), 'utf8')];
    await store.close();
    writeFileSync(headFile(folder.chain, 1), head);
    writeFileSync(segmentFile(folder.chain, 1), `${lines}{"seq":3,"${'x'.repeat(20_000)}`);
    const ballast = join(folder.chain, 'ballast');
    const { bfree, bsize } = statfsSync(folder.chain);
    writeFileSync(ballast, Buffer.alloc((bfree - 2) * bsize));
    for (let i = 0; i < 3; i += 1) await expect(folder.open()).rejects.toThrow();
    rmSync(ballast);
    await (await folder.open()).close();
    expect(readdirSync(folder.chain).filter((name) => name.includes('.cut'))).toEqual(['00000001.jsonl.cut']);
    expect(statSync(`${segmentFile(folder.chain, 1)}.cut`).size).toBe(20_010);
    expect(folder.verify()).toMatchObject([{ faults: [] }]);
  });

  it('on which the service is killed later looks like no forgery, and no line that counts is left out', async () => {
    let now = Date.now();
    const store = await folder.open({}, () => now);
    // The second line comes too soon to be signed.
    for (const key of ['a', 'b']) await store.write(change(key));
    const ballast = join(folder.chain, 'ballast');
    const { bfree, bsize } = statfsSync(folder.chain);
    writeFileSync(ballast, Buffer.alloc(bfree * bsize));
    now += 60_000;
    await wait(1_500);
    await expect(Promise.resolve(store.write(change('refused')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    const files = [headFile(folder.chain, 1), segmentFile(folder.chain, 1)].map(
      (file) => [file, readFileSync(file)] as const,
    );
    rmSync(ballast);
    await store.close();
    for (const [file, content] of files) writeFileSync(file, content);
    const next = await folder.open();
    await next.write(change('c'));
    await next.close();
    expect(folder.verify()).toMatchObject([{ faults: [] }]);
    expect(
      folder
        .lines()
        .map((line) => /"key":"(\w+)"/.exec(line)?.[1])
        .filter((key) => key !== undefined),
    ).toEqual(['a', 'b', 'c']);
  });
});

describe('svc audit export', () => {
  it('shows no control characters to a terminal as CSV either', async () => {
    const store = await folder.open();
    await store.write(change('a\u001b[2Jb'));
    await store.close();
    const machine = await Machine.make();
    const { screen } = await machine.onTerminal(['audit', 'export', folder.path, '--format', 'csv']);
    await machine.remove();
    expect(screen).toContain('main/files/a');
    expect(screen).not.toContain('\u001b[2J');
  });
});
