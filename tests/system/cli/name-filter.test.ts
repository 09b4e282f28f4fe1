import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filterOf } from '../../../src/cli/argument/name-filter.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';
import { workedMs } from '../../support/worked.ts';

describe('filterOf', () => {
  it.each([
    ['*.jpg', ['a.jpg', 'in/b.jpg', '.hidden.jpg', 'line\nbreak.jpg'], ['a.jpg.txt', 'x.jpg/a', 'A.JPG']],
    ['in/*.jpg', ['in/a.jpg'], ['a.jpg', 'in/deep/a.jpg', 'x/in/a.jpg']],
    ['/*.jpg', ['a.jpg'], ['in/a.jpg']],
    ['./in/?', ['in/a', 'in/🎉'], ['in/ab', 'in/']],
    ['in/**', ['in/a', 'in/deep/a'], ['in', 'inner/a', 'x/in/a']],
    ['**/tmp', ['tmp', 'a/tmp', 'a/b/tmp'], ['a/tmp/x', 'xtmp']],
    ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['az', 'a/bz']],
    ['tmp', ['tmp', 'a/tmp', 'a/tmp/'], ['tmp2']],
    ['!a[1]{x}(y)|$^.+', ['!a[1]{x}(y)|$^.+'], ['!a1x']],
  ] as const)('takes %s', (glob, yes, no) => {
    const [included, excluded] = [filterOf({ include: [glob] })!, filterOf({ exclude: [glob] })!];
    expect([...yes, ...no].filter(included)).toEqual(yes);
    expect([...yes, ...no].filter(excluded)).toEqual(no);
  });

  it.each([
    ['*-*-*-*.log', '-'.repeat(1024)],
    ['**a**a**a**b', 'a'.repeat(1024)],
    ['**/**/**/**/z', 'a/'.repeat(512)],
  ])('decides at once on a name that was made to hold up %s', (glob, name) => {
    const started = workedMs();
    expect([glob, filterOf({ include: [glob] })!(name)]).toEqual([glob, false]);
    expect(workedMs() - started).toBeLessThan(1_000);
  });

  it('takes what any include matches and no exclude does, and everything without options', () => {
    const filter = filterOf({ include: ['*.jpg', '*.png'], exclude: ['draft*'] })!;
    expect(['a.jpg', 'a.png', 'a.gif', 'draft.png'].filter(filter)).toEqual(['a.jpg', 'a.png']);
    expect(filterOf({})).toBeUndefined();
  });
});

describe('--include and --exclude', () => {
  let app: TestApp;
  let machine: Machine;
  const NAMES = ['a.jpg', 'b.txt', 'in/c.jpg', 'in/drafts/d.jpg'];
  beforeAll(async () => {
    app = await startApp();
    machine = await Machine.make();
    const session = (await signInDesktop(app, 'eve')).access_token;
    Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: session });
    for (const name of NAMES) {
      await mkdir(dirname(join(machine.home, 'here', name)), { recursive: true });
      await writeFile(join(machine.home, 'here', name), name);
    }
    expect((await machine.svc('cp', '-r', 'here', 'svc:main/files/there')).status).toBe(0);
  });
  afterAll(async () => {
    await machine.remove();
    await app.close();
  });
  const lines = (text: string) => text.split('\n').slice(0, -1).sort();
  const GLOBS = ['--include', '*.jpg', '--exclude', 'in/drafts/**'];
  const chosen = (folder: string) => [`${folder}a.jpg`, `${folder}in/c.jpg`];

  it('choose what svc cp -r copies in each direction, and --dry-run shows it and does nothing', async () => {
    const dry = await machine.svc('cp', '-rn', 'here', 'svc:main/files/up', ...GLOBS);
    expect(lines(dry.stdout)).toEqual([
      'upload: here/a.jpg -> main/files/up/a.jpg',
      'upload: here/in/c.jpg -> main/files/up/in/c.jpg',
      'would copy 2 files (13 B)',
    ]);
    expect((await machine.svc('find', 'main/files', '--name', 'up/')).stdout).toBe('');
    expect((await machine.svc('cp', '-r', 'here', 'svc:main/files/up', ...GLOBS)).status).toBe(0);
    expect(lines((await machine.svc('find', 'main/files/up')).stdout)).toEqual(chosen('main/files/up/'));
    await machine.svc('cp', '-r', 'svc:main/files/there', 'down', ...GLOBS);
    expect((await readdir(join(machine.home, 'down'), { recursive: true })).sort()).toEqual([
      'a.jpg',
      'in',
      'in/c.jpg',
    ]);
    await machine.svc('cp', '-r', 'svc:main/files/there', 'svc:main/photos/copied', ...GLOBS);
    expect(lines((await machine.svc('find', 'main/photos/copied')).stdout)).toEqual(chosen('main/photos/copied/'));
    const json = await machine.svc('cp', '-rn', '--json', 'svc:main/files/there', 'other', ...GLOBS);
    expect(JSON.parse(json.stdout)).toMatchObject({
      copied: 2,
      dryRun: true,
      changes: [{ action: 'download', from: 'main/files/there/a.jpg', to: 'other/a.jpg' }, {}],
    });
    expect(await readdir(machine.home)).not.toContain('other');
  });

  it('choose what svc find prints, with -0 for any name', async () => {
    expect(lines((await machine.svc('find', 'main/files/there', ...GLOBS)).stdout)).toEqual(
      chosen('main/files/there/'),
    );
    expect((await machine.svc('find', 'main/files/there', '-0', ...GLOBS)).stdout).toBe(
      chosen('main/files/there/')
        .map((path) => `${path}\0`)
        .join(''),
    );
    expect(await machine.svc('find', '-0', '--json', 'main/files')).toMatchObject({ status: 2 });
  });

  it('choose what svc rm -r deletes', async () => {
    const beneath = NAMES.map((name) => `gone/${name}`);
    plantKeys(app.s3.server.store, 'files', beneath);
    expect(lines((await machine.svc('rm', '-rn', 'main/files/gone', ...GLOBS)).stdout)).toEqual(
      chosen('main/files/gone/'),
    );
    expect(await machine.svc('rm', '-r', 'main/files/gone', ...GLOBS)).toMatchObject({
      status: 0,
      stdout: 'deleted 2 objects\n',
    });
    expect(lines((await machine.svc('find', 'main/files/gone')).stdout)).toEqual([
      'main/files/gone/b.txt',
      'main/files/gone/in/drafts/d.jpg',
    ]);
    expect(await machine.svc('rm', '-r', 'main/files/gone', '--include', '*.gif')).toEqual({
      status: 1,
      stdout: 'deleted 0 objects\n',
      stderr: 'main/files/gone/: nothing here that you may list matches\n',
    });
  });

  it.each([
    [['rm', 'main/files/a', '--include', '*']],
    [['cp', 'here/a.jpg', 'svc:main/files/', '--exclude', '*']],
    [['rm', '-r', 'main/files/a', '--include', '']],
  ])('are refused in %j', async (args) => {
    expect(await machine.svc(...args)).toMatchObject({ status: 2, stdout: '' });
  });
});
