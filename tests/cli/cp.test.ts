import { execFileSync } from 'node:child_process';
import { link, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { planCopy } from '../../src/cli/objects/copy-plan.ts';
import { nothingCopied, runCopy } from '../../src/cli/objects/copy-run.ts';
import type { CopyTask } from '../../src/cli/objects/copy-task.ts';
import { Connection } from '../../src/client/connection.ts';
import { partPath } from '../../src/client/download.ts';
import { RememberedUploads } from '../../src/client/remembered-uploads.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { Machine } from './svc-process.ts';
import { startStubService } from './stub-service.ts';

let app: TestApp;
let machine: Machine;
let session: string;

const NAMES = [
  'plain.txt',
  'with space.txt',
  '100%.txt',
  '%2F.txt',
  'a+b.txt',
  'q?x=1&y=2#z.txt',
  'ümläut ß.txt',
  '🎉 party.txt',
  'quote\'"<>.txt',
  '-dash.txt',
  'folder/deep/er.txt',
  'line\nbreak.txt',
];

beforeAll(async () => {
  app = await startApp();
  const first = await Machine.make();
  await first.login(app.origin, 'eve');
  session =
    Object.values(
      (
        JSON.parse(await readFile(join(first.home, 'config/svc/credentials.json'), 'utf8')) as {
          credentials: Record<string, string>;
        }
      ).credentials,
    )[0] ?? '';
  await first.remove();
});
afterAll(() => app.close());
beforeEach(async () => {
  machine = await Machine.make();
  Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: session });
});
afterEach(() => machine.remove());

const at = (...parts: string[]) => join(machine.home, ...parts);

async function put(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), content);
}

describe('svc cp -r', () => {
  it('carries every name up and down unchanged, several at once, and says what it did', async () => {
    for (const name of NAMES) await put(`up/${name}`, `content of ${name}`);
    const up = await machine.svc('cp', '-r', '--json', '-j', '3', 'up', 'svc:main/files/odd names');
    expect({ status: up.status, stderr: up.stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(up.stdout)).toMatchObject({ copied: NAMES.length, failed: [] });

    const listed = await machine.svc('ls', '-r', '--json', 'main/files/odd names/');
    const keys = (JSON.parse(listed.stdout) as { key: string }[]).map(({ key }) => key).sort();
    expect(keys).toEqual(NAMES.map((name) => `odd names/${name}`).sort());

    const down = await machine.svc('cp', '-r', 'svc:main/files/odd names', 'down');
    expect({ status: down.status, stdout: down.stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(new RegExp(`^copied ${NAMES.length} files`)),
    });
    for (const name of NAMES) expect(await readFile(at('down', name), 'utf8')).toBe(`content of ${name}`);
  });

  it('with --resume sends only what is missing or has another size', async () => {
    for (const name of ['a', 'b', 'c']) await put(`set/${name}`, name);
    await machine.svc('cp', '-r', 'set', 'svc:main/files/set');
    await put('set/b', 'longer');
    await put('set/d', 'new');
    const again = await machine.svc('cp', '-r', '--resume', '--json', 'set', 'svc:main/files/set');
    expect(JSON.parse(again.stdout)).toMatchObject({ copied: 2, skipped: 2, failed: [] });
    const down = await machine.svc('cp', '-r', 'svc:main/files/set', 'set-down');
    expect(down.status).toBe(0);
    await put('set-down/a', 'changed size');
    expect(
      JSON.parse((await machine.svc('cp', '-r', '--resume', '--json', 'svc:main/files/set', 'set-down')).stdout),
    ).toMatchObject({ copied: 1, skipped: 3 });
  });

  it('with --resume asks for the objects of a folder together', async () => {
    for (let i = 0; i < 20; i += 1) await put(`many/${i}`, 'same');
    await machine.svc('cp', '-r', 'many', 'svc:main/files/many');
    app.storageCalls.reset();
    const again = await machine.svc('cp', '-r', '--resume', '--json', 'many', 'svc:main/files/many');
    expect(JSON.parse(again.stdout)).toMatchObject({ copied: 0, skipped: 20, failed: [] });
    // The first one alone, then the folder.
    expect(app.storageCalls.calls.filter((call) => call.includes('list-type=2'))).toHaveLength(2);
  });

  it('sends no other file than the one that it found, however long the files before it take', async () => {
    await put('secret.txt', 'secret');
    await put('shared/a.txt', 'a');
    const connection = new Connection(app.origin, session);
    async function* swapped(): AsyncGenerator<CopyTask, void, void> {
      const request = { sources: [at('shared')], target: 'svc:main/files/swapped', recursive: true };
      for await (const task of planCopy(connection, request)) {
        await rm(at('shared/a.txt'));
        await symlink(at('secret.txt'), at('shared/a.txt'));
        yield task;
      }
    }
    const outcome = nothingCopied();
    const options = {
      jobs: 1,
      remembered: new RememberedUploads(machine.env, app.origin),
      resume: false,
      move: false,
    };
    const nothing = () => undefined;
    const progress = { plan: nothing, advance: nothing, finish: nothing, say: nothing, print: nothing, stop: nothing };
    await runCopy(connection, swapped(), options, progress, outcome);
    expect(outcome).toMatchObject({ copied: 0, failed: [{ path: at('shared/a.txt'), code: 'file_changed' }] });
    expect((await machine.svc('cat', 'main/files/swapped/a.txt')).stdout).toBe('');
  });

  it('follows no symbolic link, neither up nor down', async () => {
    await put('secret.txt', 'not to be sent');
    await put('linked/x.txt', 'x');
    await symlink(at('secret.txt'), at('linked/link.txt'));
    const up = await machine.svc('cp', '-r', '--json', 'linked', 'svc:main/files/linked');
    expect(JSON.parse(up.stdout)).toMatchObject({ copied: 1, skipped: 1 });
    expect(up.stderr).toContain('a symbolic link');

    await put('deep/sub/evil.txt', 'evil');
    await machine.svc('cp', '-r', 'deep', 'svc:main/files/deep');
    await mkdir(at('outside'));
    await mkdir(at('target'));
    await symlink(at('outside'), at('target/sub'));
    const down = await machine.svc('cp', '-r', 'svc:main/files/deep', 'target');
    expect({ status: down.status, stderr: down.stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('leads out of the target folder'),
    });
    expect(await readdir(at('outside'))).toEqual([]);
  });

  it('refuses keys that would escape the target, names them, and copies the rest', async () => {
    const stub = await startStubService({
      content: Buffer.from('content'),
      keys: ['f/../../evil', 'f//evil', 'f/./evil', 'f/fine.txt'],
    });
    const { status, stdout, stderr } = await machine.start([
      'cp',
      '-r',
      '--json',
      '--server',
      stub.url,
      'svc:main/files/f',
      'target/inner',
    ]).ended;
    await stub.close();
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      copied: 1,
      failed: [
        { path: 'main/files/f/../../evil', code: 'unsafe_name' },
        { code: 'unsafe_name' },
        { code: 'unsafe_name' },
      ],
    });
    expect(stderr).toContain('main/files/f/../../evil');
    expect(await readdir(at('.'))).toEqual(['target']);
    expect(await readdir(at('target'))).toEqual(['inner']);
    expect(await readdir(at('target/inner'))).toEqual(['fine.txt']);
  });

  it('sends as many files at once as -j says, while it asks for the tickets of others', async () => {
    for (let i = 0; i < 12; i += 1) await put(`sent/${i}`, 'x');
    const stub = await startStubService({ content: Buffer.from('{"etag":"x"}'), keys: [], pauseMs: 50 });
    const { status } = await machine.start(['cp', '-r', '-j', '4', 'sent', 'svc:main/files', '--server', stub.url], {
      SVC_CREDENTIAL: 'x',
    }).ended;
    await stub.close();
    expect({ status, atOnce: stub.mostAtOnce, sent: stub.ranges.length }).toEqual({ status: 0, atOnce: 4, sent: 12 });
  });

  it.each([
    ['for the content', 'many', 12],
    ['for copies', 'svc:main/other', 0],
  ])('asks %s of as many objects at once as -j says, while it names other files', async (_, target, files) => {
    await mkdir(at('many'));
    const keys = Array.from({ length: 12 }, (_key, i) => `${i}`);
    const stub = await startStubService({ content: Buffer.from('x'), keys, pauseMs: 50 });
    const { status } = await machine.start(['cp', '-r', '-j', '4', 'svc:main/files', target, '--server', stub.url], {
      SVC_CREDENTIAL: 'x',
    }).ended;
    await stub.close();
    expect({ status, atOnce: stub.mostAtOnce, files: (await readdir(at('many'))).length }).toEqual({
      status: 0,
      atOnce: 4,
      files,
    });
  });
});

describe('svc cp', () => {
  it('moves one file to a name, into a folder, to standard output and between buckets; empty and large ones too', async () => {
    const large = Buffer.alloc(12_000_000, 'svc ');
    await put('large.bin', large);
    await put('empty', '');
    expect(await machine.svc('cp', 'large.bin', 'empty', 'svc:main/files/mixed')).toMatchObject({ status: 0 });
    await mkdir(at('here'));
    expect(await machine.svc('cp', 'svc:main/files/mixed/large.bin', 'here')).toMatchObject({ status: 0 });
    expect((await readFile(at('here/large.bin'))).equals(large)).toBe(true);
    expect(await machine.svc('cp', 'svc:main/files/mixed/empty', 'here/nothing')).toMatchObject({ status: 0 });
    expect((await readFile(at('here/nothing'))).length).toBe(0);
    expect(await machine.svc('cp', 'svc:main/files/mixed/large.bin', 'svc:main/photos/')).toMatchObject({ status: 0 });
    await put('note.txt', 'a note');
    await machine.svc('cp', 'note.txt', 'svc:main/files/');
    expect(await machine.svc('cp', 'svc:main/files/note.txt', '-')).toMatchObject({ status: 0, stdout: 'a note' });
    expect((await machine.svc('ls', 'main/photos')).stdout).toContain('large.bin');
  });

  it('goes on with a `.part` of the same object, asking only for the rest', async () => {
    await put('numbers', '0123456789');
    await machine.svc('cp', 'numbers', 'svc:main/files/numbers');
    const [{ etag } = { etag: '' }] = JSON.parse((await machine.svc('ls', '--json', 'main/files/numbers')).stdout) as {
      etag: string;
    }[];
    const part = partPath(at('again'), { provider: 'main', bucket: 'files', key: 'numbers' }, etag);
    await writeFile(part, 'XXXX');
    expect(await machine.svc('cp', 'svc:main/files/numbers', 'again')).toMatchObject({ status: 0 });
    expect(await readFile(at('again'), 'utf8')).toBe('XXXX456789');
    expect(await readdir(at('.'))).not.toContain(part);
  });

  it('neither reads nor changes what stands in the place of the `.part` and is no regular file of its own', async () => {
    await put('mine', '0123456789');
    await machine.svc('cp', 'mine', 'svc:main/files/mine');
    const [{ etag } = { etag: '' }] = JSON.parse((await machine.svc('ls', '--json', 'main/files/mine')).stdout) as {
      etag: string;
    }[];
    const part = partPath(at('got'), { provider: 'main', bucket: 'files', key: 'mine' }, etag);
    await put('precious', 'precious');
    const kinds: readonly (() => unknown)[] = [
      () => symlink(at('precious'), part),
      () => link(at('precious'), part),
      () => execFileSync('mkfifo', [part]),
    ];
    for (const make of kinds) {
      await make();
      const { status, stderr } = await machine.svc('cp', 'svc:main/files/mine', 'got');
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(/\.part` is in the way: it is not a regular file of yours; remove it/),
      });
      expect([await readFile(at('precious'), 'utf8'), await readdir(at('.'))]).toEqual([
        'precious',
        expect.not.arrayContaining(['got']),
      ]);
      await rm(part);
    }
  });

  it('leaves no empty `.part` of what may not be read', async () => {
    const { status } = await machine.svc('cp', 'svc:main/files/not-there', 'got');
    expect([status, (await readdir(at('.'))).filter((name) => name.startsWith('got'))]).toEqual([1, []]);
  });

  it('ends where the service sends more than the object has, or gives a cursor again', async () => {
    const stub = await startStubService({ content: Buffer.from('0123456789'), keys: ['numbers'], endless: true });
    const commands = [
      ['cp', 'svc:main/files/numbers', 'numbers'],
      ['ls', 'main/files'],
      ['cp', '-r', 'svc:main/files', 'all'],
    ];
    const ends = await Promise.all(
      commands.map(([verb = '', ...args]) => machine.svc(verb, '--server', stub.url, ...args)),
    );
    await stub.close();
    expect(ends).toEqual([
      {
        status: 1,
        stdout: expect.anything(),
        stderr: expect.stringContaining('more than the 10 bytes that the object has'),
      },
      { status: 1, stdout: expect.anything(), stderr: expect.stringContaining('the same page twice') },
      { status: 1, stdout: expect.anything(), stderr: expect.stringContaining('the same page twice') },
    ]);
    expect((await readdir(at('.'))).filter((name) => name.startsWith('numbers'))).toEqual([]);
  });

  it('takes a download that was cut off up again by itself, as often as an upload', async () => {
    const content = Buffer.from('0123456789'.repeat(1000));
    const stub = await startStubService({ content, keys: ['numbers'], cuts: 3 });
    const { status } = await machine.svc('cp', '--server', stub.url, 'svc:main/files/numbers', 'numbers');
    await stub.close();
    expect(status).toBe(0);
    expect((await readFile(at('numbers'))).equals(content)).toBe(true);
    expect(stub.ranges).toEqual(['', 'bytes=5000-', 'bytes=7500-', 'bytes=8750-']);
  });

  it('begins anew when the object has changed since', async () => {
    let version = 1;
    const content = Buffer.from('0123456789'.repeat(1000));
    const stub = await startStubService({ content, keys: ['numbers'], cuts: 1, etag: () => `v${version}` });
    const running = machine.start(['cp', '--server', stub.url, 'svc:main/files/numbers', 'numbers']);
    while (stub.ranges.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    version = 2;
    const { status } = await running.ended;
    await stub.close();
    expect([status, stub.ranges]).toEqual([0, ['', '']]);
    expect((await readFile(at('numbers'))).equals(content)).toBe(true);
  });

  it('draws no progress bar where nobody watches', async () => {
    await put('quiet', 'quiet');
    expect(await machine.svc('cp', 'quiet', 'svc:main/files/quiet')).toEqual({
      status: 0,
      stdout: 'copied 1 file (5 B)\n',
      stderr: '',
    });
  });

  it('ends with 2 on a pipe or a device, instead of storing nothing', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    for (const source of ['pipe', '/dev/null'])
      expect(await machine.svc('cp', source, 'svc:main/files/from-a-pipe')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('is not a regular file'),
      });
    expect((await machine.svc('ls', 'main/files/from-a-pipe')).stdout).toBe('');
  });

  it('ends with 2 on a folder without -r, on two local sides, and on a bad number of jobs', async () => {
    await put('folder/a', 'a');
    expect(await machine.svc('cp', 'folder', 'svc:main/files/')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('`-r`'),
    });
    expect(await machine.svc('cp', 'folder/a', 'b')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('svc:'),
    });
    expect(await machine.svc('cp', '-j', '0', 'folder/a', 'svc:main/files/')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--jobs'),
    });
  });
});
