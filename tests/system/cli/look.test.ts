import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

/** More than a page. */
const MANY = Array.from({ length: 1_050 }, (_, i) => `many/${String(i).padStart(5, '0')}.log`);

let app: TestApp;
let admin: Machine;
let denied: Machine;
beforeAll(async () => {
  app = await startApp();
  [admin, denied] = [await Machine.make(), await Machine.make()];
  for (const [machine, account] of [
    [admin, 'ada'],
    [denied, 'dan'],
  ] as const)
    Object.assign(machine.env, {
      SVC_SERVER: app.origin,
      SVC_CREDENTIAL: (await signInDesktop(app, account)).access_token,
    });
  plantKeys(app.s3.server.store, 'files', ['tree/a/deep/er/x', 'tree/a/y', 'tree/esc\u001b[31m', 'secret/s', ...MANY]);
  await writeFile(join(admin.home, 'lines.txt'), Array.from({ length: 12 }, (_, i) => `line ${i}\n`).join(''));
  await writeFile(join(admin.home, 'empty'), '');
  await writeFile(join(admin.home, 'about'), 'about');
  await admin.svc('cp', 'lines.txt', 'empty', 'svc:main/files/text/');
  await admin.svc('cp', 'about', 'svc:main/files/text/');
  const place = { provider: 'main', bucket: 'files', key: 'text/about' };
  const stored = { 'x-amz-meta-colour': 'blue', 'content-language': 'de' };
  const answer = await fetch(`${app.origin}/rpc`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.env['SVC_CREDENTIAL']}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'object/copy',
      params: { ...place, to: { key: 'text/about' }, replace: { contentType: 'text/plain', stored } },
    }),
  });
  expect(await answer.json()).toMatchObject({ result: place });
});
afterAll(async () => {
  await Promise.all([admin.remove(), denied.remove()]);
  await app.close();
});

describe('svc cat', () => {
  it('writes the bytes of one object after the other', async () => {
    expect(await admin.svc('cat', 'main/files/text/about', 'main/files/text/empty', 'main/files/text/about')).toEqual({
      status: 0,
      stdout: 'aboutabout',
      stderr: '',
    });
  });
  it('tells what is missing and what is denied by its exit status', async () => {
    expect(await denied.svc('cat', 'main/files/secret/s')).toMatchObject({ status: 3, stdout: '' });
    expect(await admin.svc('cat', 'main/files')).toMatchObject({
      status: 2,
      stderr: expect.not.stringContaining('-r'),
    });
  });
});

describe.each(['cat', 'head', 'stat'])('svc %s', (verb) => {
  it('names the object that is missing, also in JSON', async () => {
    const said = 'main/files/text/none: not found: there is no such object';
    expect(await admin.svc(verb, 'main/files/text/none')).toEqual({ status: 1, stdout: '', stderr: `${said}\n` });
    expect(JSON.parse((await admin.svc(verb, '--json', 'main/files/text/none')).stderr)).toEqual({
      error: { code: 'not_found', message: said },
    });
  });
});

describe('svc head', () => {
  it('writes the first lines or bytes, and no more than there are', async () => {
    const path = 'main/files/text/lines.txt';
    const tenLines = Array.from({ length: 10 }, (_, i) => `line ${i}\n`).join('');
    expect(await admin.svc('head', path)).toEqual({ status: 0, stdout: tenLines, stderr: '' });
    expect((await admin.svc('head', '-n', '2', path)).stdout).toBe('line 0\nline 1\n');
    expect((await admin.svc('head', '-c', '9', path)).stdout).toBe('line 0\nli');
    expect((await admin.svc('head', '-n', '0', path)).stdout).toBe('');
    expect((await admin.svc('head', '-n', '99', path)).stdout).toContain('line 11\n');
    expect(await admin.svc('head', '-c', '5', 'main/files/text/empty')).toEqual({ status: 0, stdout: '', stderr: '' });
  });
  it('ends a long download when it has enough', async () => {
    await writeFile(join(admin.home, 'long'), Buffer.alloc(12_000_000, 'long\n'));
    await admin.svc('cp', 'long', 'svc:main/files/text/');
    expect(await admin.svc('head', '-n', '2', 'main/files/text/long')).toEqual({
      status: 0,
      stdout: 'long\nlong\n',
      stderr: '',
    });
    expect((await admin.svc('head', '-c', '100k', 'main/files/text/long')).stdout).toHaveLength(102_400);
  });
  it.each([[['-n', 'x']], [['-c', 'big']], [['-n', '1', '-c', '1']]])('is used wrongly with %j', async (options) => {
    expect(await admin.svc('head', ...options, 'main/files/text/about')).toMatchObject({ status: 2, stdout: '' });
  });
});

describe('svc stat', () => {
  it('shows an object, for people and for scripts', async () => {
    const { status, stdout } = await admin.svc('stat', 'main/files/text/lines.txt');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^path +main\/files\/text\/lines\.txt\nsize +86 B \(86 bytes\)\ntype +text\/plain.*\nmodified/,
    );
    expect(JSON.parse((await admin.svc('stat', '--json', 'main/files/text/about')).stdout)).toMatchObject({
      provider: 'main',
      bucket: 'files',
      key: 'text/about',
      size: 5,
      contentType: 'text/plain',
      etag: expect.stringContaining('46b3931b9959c927df4fc65fdee94b07'),
      headers: { 'content-language': 'de' },
      metadata: { colour: 'blue' },
    });
  });
  it('shows no control characters of a name', async () => {
    expect((await admin.svc('stat', 'main/files/tree/esc\u001b[31m')).stdout).not.toContain('\u001b');
  });
  it('is refused by policy', async () => {
    expect(await denied.svc('stat', 'main/files/secret/s')).toMatchObject({ status: 3, stdout: '' });
  });
});

describe('svc tree', () => {
  it('shows the levels that are asked for, without control characters', async () => {
    expect(await admin.svc('tree', 'main/files/tree')).toEqual({
      status: 0,
      stdout: 'main/files/tree/\n├── a/\n│   ├── deep/\n│   │   └── er/\n│   └── y\n└── esc\\u{1b}[31m\n',
      stderr: '',
    });
    expect((await admin.svc('tree', '-L', '1', 'main/files/tree')).stdout).not.toContain('deep');
    expect((await admin.svc('tree', '-L', '4', 'main/files/tree')).stdout).toContain('└── x\n');
  });
  it('goes on through all pages', async () => {
    const found = JSON.parse((await admin.svc('tree', '--json', 'main/files/many')).stdout) as { key: string }[];
    expect(found.map(({ key }) => key)).toEqual(MANY);
  });
  it('shows only what one may list', async () => {
    expect((await admin.svc('tree', '-L', '1', 'main/files')).stdout).toContain('── secret/');
    expect((await denied.svc('tree', '-L', '1', 'main/files')).stdout).not.toContain('secret');
    expect(await denied.svc('tree', 'main/files/secret')).toMatchObject({ status: 1 });
    expect(await admin.svc('tree', '-L', '99', 'main/files')).toMatchObject({ status: 2 });
  });
});
