import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

/** More than a page of hits. */
const MANY = Array.from({ length: 1_100 }, (_, i) => `many/${String(i % 3)}/${String(i).padStart(5, '0')}.log`).sort();

let app: TestApp;
let admin: Machine;
let denied: Machine;
beforeAll(async () => {
  app = await startApp({
    config: (config) => ({
      ...config,
      providers: [
        ...(config['providers'] as object[]),
        {
          name: 'gone',
          type: 's3',
          endpoint: 'http://127.0.0.1:1',
          path_style: true,
          credentials: { access_key_id: 'x', secret_access_key: 'x' },
        },
      ],
    }),
  });
  [admin, denied] = [await Machine.make(), await Machine.make()];
  for (const [machine, account] of [
    [admin, 'ada'],
    [denied, 'dan'],
  ] as const)
    Object.assign(machine.env, {
      SVC_SERVER: app.origin,
      SVC_CREDENTIAL: (await signInDesktop(app, account)).access_token,
    });
  plantKeys(app.s3.server.store, 'files', [
    '2025/Report.pdf',
    '2025/reports/a.txt',
    '2025-old/report.pdf',
    'secret/report.txt',
    ...MANY,
  ]);
  plantKeys(app.s3.server.store, 'photos', ['report.png']);
});
afterAll(async () => {
  await Promise.all([admin.remove(), denied.remove()]);
  await app.close();
});

const lines = (text: string) => text.split('\n').slice(0, -1);

describe('svc find', () => {
  it('prints what fits, folders too, whole, so that it can be used in the next command', async () => {
    expect(await admin.svc('find', 'main/files', '--name', 'REPORT')).toEqual({
      status: 0,
      stdout:
        'main/files/2025-old/report.pdf\nmain/files/2025/Report.pdf\nmain/files/2025/reports/\nmain/files/secret/report.txt\n',
      stderr: '',
    });
    expect(lines((await admin.svc('find', 'main/files/2025', '-n', 'report', '--kind', 'pdf')).stdout)).toEqual([
      'main/files/2025/Report.pdf',
    ]);
    expect(lines((await admin.svc('find', 'main', '-n', 'report.p')).stdout)).toEqual([
      'main/files/2025-old/report.pdf',
      'main/files/2025/Report.pdf',
      'main/photos/report.png',
    ]);
  });

  it('finds nothing without failing, and what others keep from you never', async () => {
    expect(await admin.svc('find', 'main/files', '-n', 'nowhere')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(await admin.svc('find', 'main/files', '--larger', '1G', '--json')).toEqual({
      status: 0,
      stdout: '[]\n',
      stderr: '',
    });
    expect(lines((await denied.svc('find', 'main/files', '-n', 'report')).stdout)).toEqual([
      'main/files/2025-old/report.pdf',
      'main/files/2025/Report.pdf',
      'main/files/2025/reports/',
    ]);
  });

  it('fails where there is nothing to look at', async () => {
    expect(await admin.svc('find', 'main/files/typo')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('`main/files/typo/`'),
    });
    expect(await denied.svc('du', 'main/files/secret')).toMatchObject({ status: 1, stdout: '' });
  });

  it('and ls name what to do with a key that shows no provider', async () => {
    const { stdout } = await admin.svc('key', 'create', 'narrow', '--allow', 'objects:read=main/files', '--json');
    const narrow = await Machine.make();
    const { credential } = JSON.parse(stdout) as { credential: string };
    Object.assign(narrow.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: credential });
    for (const command of [['find', '--name', 'report'], ['ls']])
      expect(await narrow.svc(...command)).toEqual({
        status: 1,
        stdout: '',
        stderr: expect.stringContaining('there is no provider that you may see; name a bucket'),
      });
    expect((await narrow.svc('find', 'main', '--name', 'report')).status).toBe(1);
    expect((await narrow.svc('find', 'main/files', '--name', 'report')).stdout).toContain('main/files/2025/Report.pdf');
    await narrow.remove();
  });

  it('goes on through all pages, for scripts too', async () => {
    expect(lines((await admin.svc('find', 'main/files/many')).stdout)).toEqual(MANY.map((key) => `main/files/${key}`));
    const found = JSON.parse(
      (await admin.svc('find', 'main/files/many/', '--json', '--after', '2020-01-01', '--before', '2999-01-01')).stdout,
    ) as { type: string; bucket: string; key: string }[];
    expect(found.map(({ key }) => key)).toEqual(MANY);
    expect(found[0]).toMatchObject({ type: 'object', provider: 'main', bucket: 'files', size: 0 });
  });

  it('everywhere says which place fails, and looks in the others', async () => {
    expect(await admin.svc('find', '-n', 'report.png')).toMatchObject({
      status: 1,
      stdout: 'main/photos/report.png\n',
      stderr: expect.stringMatching(/^gone: .*\n$/),
    });
    expect(JSON.parse((await admin.svc('find', '-n', 'report.png', '--json')).stdout)).toMatchObject([
      { key: 'report.png' },
    ]);
  });

  it.each([
    ['--kind', 'film'],
    ['--larger', 'big'],
    ['--smaller', '0'],
    ['--after', 'soon'],
    ['--tag', '=approved'],
  ])('is used wrongly with %s %s', async (option, value) => {
    expect(await admin.svc('find', 'main/files', option, value)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(value),
    });
  });
});

describe('svc du', () => {
  it('counts each folder and the total', async () => {
    expect(await admin.svc('du', 'main/files')).toEqual({
      status: 0,
      stdout: '0 B     1  2025-old/\n0 B     2  2025/\n0 B  1100  many/\n0 B     1  secret/\n0 B  1104  total\n',
      stderr: '',
    });
    expect(lines((await denied.svc('du', '-b', 'main/files')).stdout).at(-1)).toBe('0  1103  total');
    expect(JSON.parse((await admin.svc('du', '--json', 'main/files/2025')).stdout)).toEqual({
      objects: 2,
      bytes: 0,
      folders: [{ key: '2025/reports/', objects: 1, bytes: 0 }],
    });
  });
});

// Last, because it adds objects.
describe('svc find --tag', () => {
  it('finds what has the tag, if one may read its tags, and no folder', async () => {
    const file = join(admin.home, 'tagged');
    await writeFile(file, 'x');
    for (const path of ['tagged/one.txt', 'tagged/two.txt', 'secret/tagged.txt', 'listed only.txt']) {
      expect(await admin.svc('cp', file, `svc:main/files/${path}`)).toMatchObject({ status: 0 });
      const tag = path.endsWith('two.txt') ? 'state=draft' : 'state=approved, paid';
      expect(await admin.svc('tags', '--set', tag, `main/files/${path}`)).toMatchObject({ status: 0 });
    }
    const tagged = async (machine: Machine, ...options: string[]) =>
      lines((await machine.svc('find', 'main/files', ...options)).stdout);
    const all = ['listed only.txt', 'secret/tagged.txt', 'tagged/one.txt'].map((key) => `main/files/${key}`);
    expect(await tagged(admin, '--tag', 'state=approved, paid')).toEqual(all);
    expect(await tagged(denied, '--tag', 'state=approved, paid')).toEqual(['main/files/tagged/one.txt']);
    expect(await tagged(denied, '--tag', 'state')).toEqual(['main/files/tagged/one.txt', 'main/files/tagged/two.txt']);
    expect(await tagged(admin, '--tag', 'state', '-n', 'tagged')).toEqual(['main/files/secret/tagged.txt']);
  });
});
