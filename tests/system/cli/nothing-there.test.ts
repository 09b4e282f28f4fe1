import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine, type Ended } from '../../cli/svc-process.ts';

let app: TestApp;
let machine: Machine;
const sessions = new Map<string, string>();

beforeAll(async () => {
  app = await startApp({
    buckets: ['files', 'photos', 'hidden'],
    config: (config) => ({
      ...config,
      policies: [
        ...(config['policies'] as object[]),
        {
          version: 1,
          name: 'sweepers',
          rules: [
            {
              effect: 'allow',
              actions: ['objects:delete'],
              resources: [{ type: 'bucket', provider: 'main', bucket: 'files' }],
            },
          ],
        },
      ],
      bindings: [...(config['bindings'] as object[]), { subjects: ['nobody'], policies: ['sweepers'] }],
    }),
  });
  machine = await Machine.make();
  for (const account of ['ada', 'eve', 'dan', 'nobody'])
    sessions.set(account, (await signInDesktop(app, account)).access_token);
  machine.env['SVC_SERVER'] = app.origin;
  plantKeys(app.s3.server.store, 'files', ['a', 'folder/b', 'secret/x', 'listed only.txt']);
  plantKeys(app.s3.server.store, 'hidden', ['a']);
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

const as = (account: string, ...args: string[]): Promise<Ended> =>
  machine.start(args, { SVC_CREDENTIAL: sessions.get(account) ?? '' }).ended;
const saying = (text: string) => expect.stringContaining(text) as unknown;

describe('svc ls', () => {
  it('ends with 1 for a bucket that is not there or that one may not list, in the same words', async () => {
    for (const bucket of ['hidden', 'nothing-there']) {
      for (const place of [`main/${bucket}`, `main/${bucket}/folder/`]) {
        expect(await as('dan', 'ls', place)).toEqual({
          status: 1,
          stdout: '',
          stderr: `there is nothing at \`${place}\` that you may list; check the name, or ask for \`objects:list\` there\n`,
        });
      }
    }
    expect(await as('eve', 'ls', 'main/nothing-there')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: saying('bucket'),
    });
  });
  it('ends with 1 for a provider whose buckets one may not list', async () => {
    for (const provider of ['main', 'nowhere'])
      expect(await as('nobody', 'ls', provider)).toEqual({
        status: 1,
        stdout: '',
        stderr: `there are no buckets at \`${provider}\` that you may see; check the name, or ask for \`buckets:list\` there\n`,
      });
    expect(await as('nobody', 'ls', '--json', 'nowhere')).toMatchObject({ status: 1, stderr: saying('"not_found"') });
  });
  it('ends with 0 for an empty bucket that one may list', async () => {
    expect(await as('eve', 'ls', 'main/photos')).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

describe('svc cp and rm', () => {
  it('name a source that is not there, or is a folder, and go on with the rest', async () => {
    const missing = await as('eve', 'cp', 'svc:main/files/none', 'svc:main/files/folder', 'svc:main/files/a', 'into/');
    expect(missing).toEqual({
      status: 1,
      stdout: 'copied 1 file\n',
      stderr:
        'main/files/none: not found: there is no such object\nmain/files/folder: this is a folder; give `-r` for everything in it\n',
    });
    expect(await readdir(join(machine.home, 'into'))).toEqual(['a']);
    expect(await as('eve', 'rm', '--dry-run', 'main/files/none', 'main/files/folder')).toMatchObject({ status: 1 });
  });
  it.each(['main/files/folder', 'main/files/folder/', 'main/files'])(
    'end with 2 for %s without -r, as they do for a folder here',
    async (folder) => {
      const commands = [
        ['rm', '--dry-run', folder],
        ['cp', `svc:${folder}`, 'into/'],
        ['cp', '.', 'svc:main/files/'],
      ];
      for (const command of commands)
        expect(await as('eve', ...command)).toMatchObject({
          status: 2,
          stderr: expect.stringContaining('give `-r`'),
        });
      expect(await as('eve', 'rm', '--json', folder)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('"usage"'),
      });
    },
  );
  it('say the same of a folder that one may not list as of nothing', async () => {
    expect(await as('dan', 'rm', '--dry-run', 'main/files/secret')).toMatchObject({
      stderr: 'main/files/secret: there is nothing here\n',
    });
  });
});

describe('svc cp -r and mv -r', () => {
  it('end with 1 where their source holds nothing, and name it', async () => {
    for (const source of ['main/hidden', 'main/nothing-there', 'main/files/none', 'main/files/secret']) {
      const folder = source.split('/').length > 2 ? `${source}/` : source;
      const stderr = `${folder}: there is nothing here that you may list\n`;
      expect(await as('dan', 'cp', '-r', `svc:${source}`, 'here')).toEqual({
        status: 1,
        stdout: 'copied 0 files\n',
        stderr,
      });
      expect(await as('dan', 'cp', '-r', `svc:${source}`, 'svc:main/files/copies/')).toEqual({
        status: 1,
        stdout: 'copied 0 files\n',
        stderr,
      });
      expect(await as('dan', 'mv', '-r', source, 'main/files/moved/')).toEqual({
        status: 1,
        stdout: 'moved 0 objects\n',
        stderr,
      });
    }
    expect(await as('eve', 'cp', '-r', 'svc:main/photos', 'here')).toMatchObject({
      status: 1,
      stderr: saying('main/photos: there is nothing here'),
    });
    expect(await readdir(machine.home)).not.toContain('here');
  });
  it('copy the other sources', async () => {
    expect(await as('dan', 'cp', '-r', 'svc:main/files/none', 'svc:main/files/folder', 'both')).toEqual({
      status: 1,
      stdout: 'copied 1 file\n',
      stderr: 'main/files/none/: there is nothing here that you may list\n',
    });
  });
});

describe('svc rm', () => {
  const inFiles = async () => (await as('ada', 'ls', '-r', 'main/files')).stdout;

  it('ends with 1 for what is not there, and deletes the rest', async () => {
    plantKeys(app.s3.server.store, 'files', ['gone/a']);
    expect(await as('eve', 'rm', 'main/files/gone/none', 'main/files/gone/a')).toEqual({
      status: 1,
      stdout: 'deleted 1 object\n',
      stderr: 'main/files/gone/none: there is nothing here\n',
    });
    expect(await inFiles()).not.toContain('gone/');
    expect(JSON.parse((await as('eve', 'rm', '--json', 'main/files/gone/a')).stdout)).toEqual({
      deleted: [],
      failed: [{ key: 'main/files/gone/a', code: 'not_found' }],
      dryRun: false,
    });
    expect(await as('eve', 'rm', '--dry-run', 'main/files/gone/a')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'main/files/gone/a: there is nothing here\n',
    });
  });
  it('with -r ends with 1 where one may list nothing', async () => {
    for (const folder of ['main/files/none/', 'main/nothing-there', 'main/hidden']) {
      for (const options of [['-r'], ['-r', '--dry-run']])
        expect(await as('dan', 'rm', ...options, folder)).toMatchObject({
          status: 1,
          stderr: saying(`there is nothing at \`${folder}\` that you may list`),
        });
    }
    expect(await as('eve', 'rm', '-r', 'main/photos')).toEqual({
      status: 0,
      stdout: 'deleted 0 objects\n',
      stderr: '',
    });
  });
  it('finds an object that one may list and not read', async () => {
    expect(await as('dan', 'rm', 'main/files/listed only.txt')).toEqual({
      status: 0,
      stdout: 'deleted 1 object\n',
      stderr: '',
    });
    expect(await as('dan', 'rm', 'main/files/listed only.txt')).toMatchObject({
      status: 1,
      stderr: 'main/files/listed only.txt: there is nothing here\n',
    });
  });
  it('goes on after one that may not be deleted, and says how many were', async () => {
    plantKeys(app.s3.server.store, 'files', ['mine']);
    const { status, stdout, stderr } = await as('dan', 'rm', 'main/files/secret/x', 'main/files/mine');
    expect({ status, stdout }).toEqual({ status: 3, stdout: 'deleted 1 object\n' });
    expect(stderr).toMatch(
      /^main\/files\/secret\/x: `objects:delete` on `main\/files\/secret\/x` is not allowed: .*\n1 object could not be deleted\n$/,
    );
    expect(await inFiles()).not.toContain('mine');
  });
  it('says that it does not know, where one may neither read nor list what one deletes', async () => {
    plantKeys(app.s3.server.store, 'files', ['unseen']);
    for (let i = 0; i < 2; i += 1)
      expect(await as('nobody', 'rm', 'main/files/unseen')).toEqual({
        status: 0,
        stdout: 'deleted 1 object\n',
        stderr: 'main/files/unseen: deleted if it was there; you may neither list nor read it\n',
      });
    expect(await inFiles()).not.toContain('unseen');
  });
});

it('svc rb --force removes an empty bucket', async () => {
  expect(await as('ada', 'mb', 'main/empty-one')).toMatchObject({ status: 0 });
  expect(await as('ada', 'rb', '--force', 'main/empty-one')).toEqual({
    status: 0,
    stdout: 'removed main/empty-one\n',
    stderr: '',
  });
});
