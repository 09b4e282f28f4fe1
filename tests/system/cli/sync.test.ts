import { chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

const files = { provider: 'main', bucket: 'files' } as const;
/** With nanoseconds as rclone writes them. */
const TIME = '2020-02-03T04:05:06.789Z';

let app: TestApp;
let machine: Machine;
let eve: RpcClient;
let run = 0;
/** A folder in storage for each test. */
let place = '';
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  machine = await Machine.make();
  const session = (await signInDesktop(app, 'eve')).access_token;
  eve = RpcClient.bearer(app.origin, session);
  Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: session });
  place = `sync-${(run += 1)}`;
});
afterEach(async () => {
  app.storageCalls.before = undefined;
  app.storageCalls.loses = undefined;
  app.storageCalls.spoil = undefined;
  await machine.remove();
});

const at = (...parts: string[]) => join(machine.home, ...parts);
async function put(path: string, content: string, time?: string): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), content);
  if (time !== undefined) await utimes(at(path), new Date(), new Date(time));
}
const remote = () => `svc:main/files/${place}`;
async function keys(folder = place): Promise<string[]> {
  const { objects } = await eve.call('object/list', { ...files, prefix: `${folder}/` });
  return objects.map(({ key }) => key.slice(folder.length + 1));
}
async function store(key: string, content: string, stored: Record<string, string> = {}): Promise<void> {
  const { url } = await eve.call('transfer/create', { ...files, direction: 'upload', key: `${place}/${key}`, stored });
  expect((await fetch(url, { method: 'PUT', body: content })).status).toBe(200);
}
async function sync(...args: string[]) {
  const { status, stdout, stderr } = await machine.svc('sync', '--json', ...args);
  const { changes = [], ...counts } = JSON.parse(stdout || '{}') as Record<string, unknown> & {
    changes?: { action: string; to?: string; path?: string }[];
  };
  const done = changes.map(({ action, to, path }) => `${action} ${(to ?? path ?? '').split(`${place}/`).pop()}`).sort();
  return { status, stderr, done, counts };
}

it('svc sync and svc cp move no more bytes a second than --bwlimit, in both directions', async () => {
  await put('a/x', 'x'.repeat(60_000));
  await put('a/y', 'y'.repeat(60_000));
  const timed = async (...args: string[]): Promise<number> => {
    const begun = performance.now();
    expect(await machine.svc(...args)).toMatchObject({ status: 0 });
    return performance.now() - begun;
  };
  // All but the last piece of 16 KiB, or the last small file, have their time.
  expect(await timed('sync', '--bwlimit', '50k', 'a', remote())).toBeGreaterThan(1_000);
  expect(await timed('cp', '-r', '--bwlimit', '50k', remote(), 'b')).toBeGreaterThan(1_900);
  expect(await readFile(at('b/y'), 'utf8')).toBe('y'.repeat(60_000));
  expect(await machine.svc('sync', '--bwlimit', '1', 'a', remote())).toMatchObject({ status: 2 });
});

describe('svc sync FOLDER svc:…', () => {
  it('uploads what is new or different, keeps the times as rclone does, and then leaves everything out', async () => {
    await put('a/one.txt', 'one', TIME);
    await put('a/deep/two.txt', 'two');
    const first = await sync('a', remote());
    expect(first).toMatchObject({
      status: 0,
      stderr: '',
      done: ['upload deep/two.txt', 'upload one.txt'],
      counts: { copied: 2, skipped: 0, guessed: 0, bytes: 6, failed: [], deleted: 0, dryRun: false },
    });
    const head = await machine.svc('stat', '--json', `main/files/${place}/one.txt`);
    expect((JSON.parse(head.stdout) as { metadata: object }).metadata).toEqual({
      mtime: expect.stringMatching(/^1580702706\.789/),
    });
    expect(await sync('a', remote())).toMatchObject({ done: [], counts: { copied: 0, skipped: 2, guessed: 0 } });

    // The same size, and a time before that of the object.
    await put('a/one.txt', 'ONE', '2019-01-01T00:00:00Z');
    expect(await sync('a', remote(), '--size-only')).toMatchObject({ done: [] });
    expect(await sync('a', remote())).toMatchObject({ done: ['upload one.txt'] });
  });

  it.each([
    ['1969-12-31T23:59:59.500Z', '-0.5'],
    ['1969-12-31T23:59:58.250Z', '-1.75'],
  ])('keeps a time before 1970 as rclone does, and gives it back: %s', async (time, kept) => {
    await put('a/early.txt', 'early', time);
    expect(await sync('a', remote())).toMatchObject({ counts: { copied: 1 } });
    const head = await machine.svc('stat', '--json', `main/files/${place}/early.txt`);
    expect(JSON.parse(head.stdout)).toMatchObject({ metadata: { mtime: kept } });
    expect(await sync(remote(), 'b')).toMatchObject({ counts: { copied: 1 } });
    expect((await stat(at('b/early.txt'))).mtimeMs).toBe(Date.parse(time));
  });

  it('asks about a large file by its time alone, and reads it with --checksum', async () => {
    const content = 'x'.repeat(1_100_000);
    await put('a/large.bin', content, TIME);
    await sync('a', remote());
    await put('a/large.bin', `${content.slice(1)}y`, TIME);
    expect(await sync('a', remote())).toMatchObject({ done: [], counts: { skipped: 1, guessed: 0 } });
    expect(await sync('a', remote(), '--checksum')).toMatchObject({ done: ['upload large.bin'] });
  });

  it('deletes only with --delete, only beneath the target, and prints the same lines with --dry-run', async () => {
    await put('a/new.txt', 'new');
    await store('old.txt', 'old');
    await store('folder/old.txt', 'old');
    await store('marker/', '');
    const beside = `${place}-beside`;
    await machine.svc('cp', 'a/new.txt', `svc:main/files/${beside}/old.txt`);
    expect((await sync('a', remote())).done).toEqual(['upload new.txt']);
    await put('a/new.txt', 'newer');
    const expected = [
      `upload: a/new.txt -> main/files/${place}/new.txt`,
      `delete: main/files/${place}/folder/old.txt`,
      `delete: main/files/${place}/old.txt`,
    ].sort();
    const changes = ({ stdout }: { readonly stdout: string }) =>
      stdout
        .split('\n')
        .filter((line) => / ?(?:upload|delete): /.test(line))
        .sort();
    const dry = await machine.svc('sync', '--delete', '--dry-run', 'a', remote());
    expect([changes(dry), dry.stdout]).toEqual([
      expected,
      expect.stringMatching(/\nwould copy 1 file \(5 B\), delete 2 files\n$/),
    ]);
    expect(await keys()).toEqual(['folder/old.txt', 'marker/', 'new.txt', 'old.txt']);
    const real = await machine.svc('sync', '--delete', 'a', remote());
    expect([changes(real), real.stdout]).toEqual([
      expected,
      expect.stringMatching(/\ncopied 1 file \(5 B\), deleted 2 files\n$/),
    ]);
    expect([await keys(), await keys(beside)]).toEqual([['marker/', 'new.txt'], ['old.txt']]);
  });

  it('deletes nothing after a failure, from an empty folder, or in place of a link', async () => {
    await store('old.txt', 'old');
    await store('linked/x.txt', 'x');
    await mkdir(at('empty'));
    expect(await sync('--delete', 'empty', remote())).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is empty; nothing was deleted'),
      counts: { deleted: 0 },
    });
    expect((await sync('--delete', 'missing', remote())).status).toBe(1);
    expect(await sync('empty', remote())).toMatchObject({ status: 0, done: [] });
    await put('a/x.txt', 'x');
    await mkdir(at('elsewhere'));
    await symlink(at('elsewhere'), at('a/linked'));
    await mkdir(at('a/closed'));
    await chmod(at('a/closed'), 0);
    // Root may read every folder.
    if (process.getuid?.() !== 0)
      expect(await sync('--delete', 'a', remote())).toMatchObject({ status: 1, counts: { deleted: 0 } });
    await rm(at('a/closed'), { recursive: true });
    app.storageCalls.spoil = (call) =>
      /^PUT .*fails/.test(call) ? { status: 400, code: 'InvalidArgument' } : undefined;
    await put('a/fails.txt', 'x');
    expect(await sync('--delete', 'a', remote())).toMatchObject({ status: 1, counts: { deleted: 0 } });
    expect(await keys()).toContain('old.txt');
    app.storageCalls.spoil = undefined;
    expect(await sync('--delete', 'a', remote())).toMatchObject({ status: 0, counts: { deleted: 1 } });
    expect(await keys()).toEqual(['fails.txt', 'linked/x.txt', 'x.txt']);
  });

  it('replaces and deletes nothing that changed after it was compared', async () => {
    await store('there.txt', 'there');
    await store('old.txt', 'old');
    await put('a/there.txt', 'mine.');
    await put('a/new.txt', 'mine');
    app.storageCalls.loses = (call) => {
      if (call.includes('list-type=2')) plantKeys(app.s3.server.store, 'files', [`${place}/new.txt`]);
      return false;
    };
    let isChanged = false;
    app.storageCalls.before = async (call) => {
      if (isChanged || !/^HEAD .*\/there\.txt/.test(call)) return;
      isChanged = true;
      await store('there.txt', 'THEIR');
    };
    const { status, stderr, counts } = await sync('a', remote());
    expect([isChanged, status, counts['copied'], stderr.match(/txt: a precondition/gi)?.length]).toEqual([
      true,
      1,
      0,
      2,
    ]);
    const content = (await machine.svc('cat', `main/files/${place}/there.txt`, `main/files/${place}/new.txt`)).stdout;
    expect(content).not.toContain('mine');
  });

  it('transfers and deletes only what the globs choose', async () => {
    for (const name of ['a.jpg', 'b.txt', 'in/c.jpg', 'in/drafts/d.jpg']) await put(`a/${name}`, name);
    await store('old.jpg', 'old');
    await store('old.txt', 'old');
    const { done } = await sync('--delete', 'a', remote(), '--include', '*.jpg', '--exclude', 'in/drafts/**');
    expect(done).toEqual(['delete old.jpg', 'upload a.jpg', 'upload in/c.jpg']);
  });
});

describe('svc sync svc:… FOLDER', () => {
  it('downloads what is new or different with its time, then leaves it out, and deletes the rest', async () => {
    await store('kept.txt', 'kept', { 'x-amz-meta-mtime': '1580702706.789000001' });
    await store('written.txt', 'written');
    await put('b/old.txt', 'old');
    await put('b/written.txt', 'WRITTEN');
    const first = await sync('--delete', remote(), 'b');
    expect(first.done).toEqual(['delete b/old.txt', 'download b/kept.txt', 'download b/written.txt']);
    expect((await stat(at('b/kept.txt'))).mtimeMs).toBeCloseTo(Date.parse(TIME), 1);
    expect([await readdir(at('b')), await readFile(at('b/written.txt'), 'utf8')]).toEqual([
      ['kept.txt', 'written.txt'],
      'written',
    ]);
    expect(await sync('--delete', remote(), 'b')).toMatchObject({ status: 0, done: [], counts: { skipped: 2 } });
  });

  it('replaces no file that changed meanwhile, and no link, and deletes nothing through a link', async () => {
    await store('changes.txt', 'theirs');
    await store('link.txt', 'theirs');
    await put('b/changes.txt', 'before');
    await put('outside.txt', 'outside');
    await symlink(at('outside.txt'), at('b/link.txt'));
    app.storageCalls.before = async (call) => {
      if (/^GET .*changes\.txt/.test(call)) await put('b/changes.txt', 'changed meanwhile');
    };
    const { status, counts } = await sync('--delete', remote(), 'b');
    expect([status, counts['copied'], counts['failed']]).toEqual([
      1,
      0,
      expect.arrayContaining([expect.objectContaining({ code: 'file_changed' })]),
    ]);
    expect([await readFile(at('b/changes.txt'), 'utf8'), await readFile(at('outside.txt'), 'utf8')]).toEqual([
      'changed meanwhile',
      'outside',
    ]);
  });

  it('deletes nothing that the source may hide', async () => {
    Object.assign(machine.env, { SVC_CREDENTIAL: (await signInDesktop(app, 'dan')).access_token });
    await put('b/secret/mine.txt', 'mine');
    await store('seen.txt', 'seen');
    const { stderr, status } = await sync(
      '--delete',
      'svc:main/files',
      'b',
      '--include',
      'secret/**',
      '--include',
      '*.md',
    );
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringMatching(/^main\/files\/secret\/mine\.txt: you may not list this, .*nothing was deleted\n/),
    });
    expect(await readdir(at('b/secret'))).toEqual(['mine.txt']);
  });
});

describe('svc sync svc:… svc:…', () => {
  it('copies within the service what is new or different, and deletes the rest', async () => {
    await store('from/a.txt', 'a');
    await store('from/b.txt', 'b');
    await store('to/b.txt', 'B');
    await store('to/old.txt', 'old');
    const [from, to] = [`${remote()}/from`, `${remote()}/to`];
    expect((await sync('--delete', from, to)).done).toEqual(['copy to/a.txt', 'copy to/b.txt', 'delete to/old.txt']);
    expect(await keys(`${place}/to`)).toEqual(['a.txt', 'b.txt']);
    expect(await sync('--delete', from, to)).toMatchObject({ done: [], counts: { skipped: 2 } });
  });
});

it.each([
  [['a', 'b'], 'both sides are local'],
  [['svc:main/files/a', 'svc:main/files/a/b'], 'within each other'],
  [['svc:main/files', 'svc:main/files/b'], 'within each other'],
  [['--size-only', '--checksum', 'a', 'svc:main/files/b'], 'either'],
  [['file.txt', 'svc:main/files/b'], 'not a folder'],
  [['a', 'svc:main/files/b', '--exclude', ''], 'a glob is empty'],
])('svc sync refuses %j', async (args, why) => {
  await put('file.txt', 'x');
  expect(await machine.svc('sync', ...args)).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(why) });
});
