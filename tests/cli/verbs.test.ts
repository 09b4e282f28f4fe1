import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { Machine } from './svc-process.ts';

let app: TestApp;
let editor: Machine;
let prefixed: Machine;
const SYSTEM_NODE = '/usr/bin/node';
const isOld =
  existsSync(SYSTEM_NODE) && Number(/^v(\d+)/.exec(spawnSync(SYSTEM_NODE, ['--version']).stdout.toString())?.[1]) < 24;

beforeAll(async () => {
  app = await startApp();
  [editor, prefixed] = [await Machine.make(), await Machine.make()];
  await editor.login(app.origin, 'eve');
  await prefixed.login(app.origin, 'pia');
  await writeFile(join(editor.home, 'a.txt'), 'a');
});
afterAll(async () => {
  await Promise.all([editor.remove(), prefixed.remove()]);
  await app.close();
});

describe('exit status', () => {
  it('is 3 when policy denies, and says which action', async () => {
    expect(await prefixed.svc('mb', 'main/new-bucket')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('`buckets:create` on `main/new-bucket`'),
    });
    expect(JSON.parse((await prefixed.svc('mb', '--json', 'main/new-bucket')).stderr)).toMatchObject({
      error: { code: 'access_denied' },
    });
  });
  it('is 4 without or with a bad credential', async () => {
    expect(await prefixed.svc('ls', '--credential', 'bad')).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('svc login'),
    });
  });
  it('is 2 for an unknown verb, a bad path and no server', async () => {
    for (const args of [['nope'], ['ls', 'main/UPPER'], ['rm', 'main/files']])
      expect(await editor.svc(...args)).toMatchObject({ status: 2 });
  });
});

describe('verbs', () => {
  it('list, move, share and delete', async () => {
    await editor.svc('cp', 'a.txt', 'svc:main/files/x/a.txt');
    expect(await editor.svc('mv', 'main/files/x/a.txt', 'main/files/y/')).toMatchObject({
      status: 0,
      stdout: 'moved 1 object\n',
    });
    expect(await editor.svc('ls', '-r', 'main/files')).toMatchObject({ status: 0, stdout: 'y/a.txt\n' });
    const { stdout } = await editor.svc('presign', 'main/files/y/a.txt');
    expect(await (await fetch(stdout.trim())).text()).toBe('a');
    expect(await editor.svc('rm', '-r', 'main/files/y')).toMatchObject({ status: 0, stdout: 'deleted 1 object\n' });
  });
  it('show, set and clear tags, and keep the others', async () => {
    await editor.svc('cp', 'a.txt', 'svc:main/files/tagged.txt');
    const tags = (...args: string[]) => editor.svc('tags', ...args, 'main/files/tagged.txt');
    expect(await tags('--set', 'team=a b', '--set', 'state=draft')).toMatchObject({ status: 0, stderr: '' });
    expect(await tags('--set', 'state=x=y')).toMatchObject({ status: 0, stderr: '', stdout: 'team=a b\nstate=x=y\n' });
    expect(JSON.parse((await tags('--json')).stdout)).toEqual({
      tags: [
        { key: 'team', value: 'a b' },
        { key: 'state', value: 'x=y' },
      ],
    });
    expect(await tags('--clear', '--set', 'only=1')).toMatchObject({ status: 0, stdout: 'only=1\n' });
    expect(await tags()).toMatchObject({ status: 0, stdout: 'only=1\n' });
    expect(await tags('--set', 'nothing')).toMatchObject({ status: 2 });
  });
  it('make an API key that works within its scope alone', async () => {
    const { stdout } = await editor.svc('key', 'create', 'reader', '--allow', 'providers:list=all');
    expect(await editor.svc('providers', '--credential', stdout.trim())).toMatchObject({ status: 0, stdout: 'main\n' });
    expect(await editor.svc('presign', 'main/files/a', '--credential', stdout.trim())).toMatchObject({ status: 3 });
  });
});

(isOld ? describe : describe.skip)('an older Node', () => {
  it('is told in one line', () => {
    const { status, stderr } = spawnSync(SYSTEM_NODE, [join(import.meta.dirname, '../../bin/svc.js'), '--help'], {
      encoding: 'utf8',
    });
    expect({ status, lines: stderr.trim().split('\n') }).toEqual({
      status: 1,
      lines: [expect.stringContaining('Node 24')],
    });
  });
});
