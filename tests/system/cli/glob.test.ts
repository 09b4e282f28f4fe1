import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

const KEYS = [
  'g/1.log',
  'g/2.log',
  'g/a/1.log',
  'g/a/b/1.log',
  'g/a2/x.txt',
  'g/what?',
  'g/whats',
  'g/x*/in',
  'g/xy/in',
];

let app: TestApp;
let admin: Machine;
beforeAll(async () => {
  app = await startApp();
  admin = await Machine.make();
  const session = (await signInDesktop(app, 'ada')).access_token;
  Object.assign(admin.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: session });
});
beforeEach(() => plantKeys(app.s3.server.store, 'files', KEYS));
afterAll(async () => {
  await admin.remove();
  await app.close();
});

const lines = (text: string) => text.split('\n').slice(0, -1).sort();
const left = async () => lines((await admin.svc('ls', '-r', 'main/files/g/')).stdout);

describe('a glob in a remote path', () => {
  it.each([
    ['g/*.log', ['g/1.log', 'g/2.log']],
    ['g/a*', ['g/a/', 'g/a2/']],
    ['g/*/1.log', ['g/a/1.log']],
    ['g/**/1.log', ['g/1.log', 'g/a/1.log', 'g/a/b/1.log']],
    ['g/a?', ['g/a2/']],
    ['g/a*/', ['g/a/', 'g/a2/']],
  ])('shows with svc ls %s what matches', async (glob, expected) => {
    expect(lines((await admin.svc('ls', `main/files/${glob}`)).stdout)).toEqual(expected);
  });

  it('stands for itself where something has this name, or nothing matches', async () => {
    expect((await admin.svc('ls', 'main/files/g/what?')).stdout).toBe('g/what?\n');
    expect((await admin.svc('tree', 'main/files/g/x*')).stdout).toBe('main/files/g/x*/\n└── in\n');
    expect((await admin.svc('find', 'main/files/g/x*', '--name', 'in')).stdout).toBe('main/files/g/x*/in\n');
    expect(await admin.svc('ls', 'main/files/g/none*')).toMatchObject({ status: 1, stdout: '' });
    expect(await admin.svc('cat', 'main/files/g/none*')).toMatchObject({ status: 1, stdout: '' });
  });

  it('names what svc ls -r, cat, tree and find read', async () => {
    expect(lines((await admin.svc('ls', '-r', 'main/files/g/a*')).stdout)).toEqual([
      'g/a/1.log',
      'g/a/b/1.log',
      'g/a2/x.txt',
    ]);
    const one = (await admin.svc('cat', 'main/files/g/1.log')).stdout;
    expect(await admin.svc('cat', 'main/files/g/?.log')).toMatchObject({ status: 0, stdout: one.repeat(2) });
    expect(lines((await admin.svc('find', 'main/files/g/a*')).stdout)).toHaveLength(3);
    const trees = await admin.svc('tree', '--json', 'main/files/g/a*');
    expect((JSON.parse(trees.stdout) as { key: string }[]).map(({ key }) => key)).toEqual([
      'g/a/1.log',
      'g/a/b/',
      'g/a/b/1.log',
      'g/a2/x.txt',
    ]);
  });

  it('is copied into a folder, down and within storage', async () => {
    expect((await admin.svc('cp', 'svc:main/files/g/*.log', 'down')).status).toBe(0);
    expect((await readdir(join(admin.home, 'down'))).sort()).toEqual(['1.log', '2.log']);
    await mkdir(join(admin.home, 'deep'));
    // Two of these have one name; the second fails.
    expect(await admin.svc('cp', 'svc:main/files/g/a/**', 'deep')).toMatchObject({ status: 1 });
    // Planted objects cannot be copied within the storage of the tests.
    for (const key of ['a/1.log', 'a2/x.txt', '2.log', 'b'])
      await admin.svc('cp', 'down/1.log', `svc:main/files/real/${key}`);
    expect((await admin.svc('cp', '-r', 'svc:main/files/real/a*', 'svc:main/photos/g')).status).toBe(0);
    expect(lines((await admin.svc('ls', '-r', 'main/photos/g/')).stdout)).toEqual(['g/a/1.log', 'g/a2/x.txt']);
    expect((await admin.svc('cp', 'svc:main/files/real/2*', 'svc:main/photos/one')).status).toBe(0);
    expect(lines((await admin.svc('ls', '-r', 'main/photos/one')).stdout)).toEqual(['one/2.log']);
  });

  it('deletes only with --glob', async () => {
    // The name that a script passes is gone meanwhile: nothing else may be deleted.
    expect((await admin.svc('rm', 'main/files/g/what?')).status).toBe(0);
    expect(await admin.svc('rm', 'main/files/g/what?')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('of this very name; give `--glob`') as unknown,
    });
    expect(await admin.svc('rm', '-r', 'main/files/g/a*')).toMatchObject({ status: 1 });
    expect(await left()).toEqual(KEYS.filter((key) => key !== 'g/what?'));
    const dry = await admin.svc('rm', '-rn', '--glob', 'main/files/g/a*');
    expect(lines(dry.stdout)).toEqual(['main/files/g/a/1.log', 'main/files/g/a/b/1.log', 'main/files/g/a2/x.txt']);
    expect((await admin.svc('rm', '-g', 'main/files/g/*')).stdout).toBe('deleted 3 objects\n');
    expect(await left()).toEqual(KEYS.filter((key) => key.split('/').length > 2));
    expect((await admin.svc('rm', '-rg', 'main/files/g/a*')).stdout).toBe('deleted 3 objects\n');
    expect(await left()).toEqual(['g/x*/in', 'g/xy/in']);
    expect(await admin.svc('rm', '-g', 'main/files/g/none*')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nothing here that you may list matches') as unknown,
    });
  });
});

describe('svc mv --glob', () => {
  const move = (...args: string[]) => admin.svc('mv', ...args);
  const moved = async () => lines((await admin.svc('ls', '-r', 'main/files/mv/')).stdout);

  // Planted objects cannot be copied within the storage of the tests.
  beforeEach(async () => {
    await admin.svc('rm', '-r', '--yes', 'main/files/mv');
    for (const key of ['1.log', '2.log', 'what?', 'a/1.log', 'ab/2.log']) {
      await mkdir(dirname(join(admin.home, 'mv', key)), { recursive: true });
      await writeFile(join(admin.home, 'mv', key), key);
    }
    expect(await admin.svc('cp', '-r', 'mv', 'svc:main/files/mv')).toMatchObject({ status: 0 });
  });

  it('moves what matches into a folder, once each, and with -r the folders that match too', async () => {
    const both = ['main/files/mv/*.log', 'main/files/mv/1*'];
    expect(await move('-g', ...both, 'main/files/mv/old/')).toMatchObject({ status: 0, stdout: 'moved 2 objects\n' });
    expect(await move('-rg', 'main/files/mv/a*', 'main/files/mv/old/')).toMatchObject({ status: 0 });
    expect(await moved()).toEqual(['mv/old/1.log', 'mv/old/2.log', 'mv/old/a/1.log', 'mv/old/ab/2.log', 'mv/what?']);
  });

  it('moves nothing to a target that is no folder, or that matches itself', async () => {
    const before = await moved();
    const refusals = await Promise.all([
      move('-g', 'main/files/mv/*.log', 'main/files/mv/old'),
      move('-rg', 'main/files/mv/a*', 'main/files/mv/a/'),
    ]);
    expect(refusals).toMatchObject([
      { status: 2, stderr: expect.stringContaining('`main/files/mv/old/`') as unknown },
      { status: 2, stderr: expect.stringContaining('within the source') as unknown },
    ]);
    expect(await moved()).toEqual(before);
  });

  it('fails where nothing matches, and moves what matches another glob', async () => {
    const { status, stdout } = await move(
      '--json',
      '-g',
      'main/files/mv/none*',
      'main/files/mv/1*',
      'main/files/mv/b/',
    );
    expect({ status, said: JSON.parse(stdout) as unknown }).toMatchObject({
      status: 1,
      said: { moved: 1, failed: [{ path: 'main/files/mv/none*', code: 'not_found' }] },
    });
  });

  it('is what a glob needs: without it, a path is a name', async () => {
    expect(await move('main/files/mv/*.log', 'main/files/mv/old/')).toMatchObject({ status: 1 });
    expect(await move('main/files/mv/what?', 'main/files/mv/old/')).toMatchObject({ status: 0 });
    expect(await moved()).toEqual(['mv/1.log', 'mv/2.log', 'mv/a/1.log', 'mv/ab/2.log', 'mv/old/what?']);
  });
});
