import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

/** In seven folders. */
const namesOf = (length: number) =>
  Array.from({ length }, (_, i) => `${String(i % 7)}/${String(i).padStart(5, '0')}.txt`).sort();
/** More than two pages of a listing, and more than two bulk deletes take. */
const NAMES = namesOf(2300);
/** A little more than a page: each is a request of its own. */
const COPIED = namesOf(1050);

let app: TestApp;
let machine: Machine;

beforeAll(async () => {
  app = await startApp({ buckets: ['files', 'photos', 'scratch'] });
  machine = await Machine.make();
  Object.assign(machine.env, {
    SVC_SERVER: app.origin,
    SVC_CREDENTIAL: (await signInDesktop(app, 'ada')).access_token,
  });
  plantKeys(
    app.s3.server.store,
    'files',
    NAMES.map((name) => `many/${name}`),
  );
  plantKeys(app.s3.server.store, 'files', ['many-others/x', ...COPIED.map((name) => `some/${name}`)]);
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

const lines = (text: string) => text.split('\n').slice(0, -1);

describe('more keys than a page holds', () => {
  it('are listed, every one once, in order', async () => {
    const { status, stdout } = await machine.svc('ls', '-r', 'main/files/many/');
    expect(status).toBe(0);
    expect(lines(stdout)).toEqual(NAMES.map((name) => `many/${name}`));
    expect(JSON.parse((await machine.svc('ls', '-r', '--json', 'main/files/many/')).stdout)).toHaveLength(NAMES.length);
    expect((await machine.svc('ls', '-l', 'main/files/many/3/')).stderr).toBe(
      `${NAMES.filter((name) => name.startsWith('3/')).length} objects, 0 B\n`,
    );
  });

  it('come down whole, and go up again', async () => {
    expect(await machine.svc('cp', '-r', '-j', '16', 'svc:main/files/some', 'down')).toMatchObject({
      status: 0,
      stdout: `copied ${COPIED.length} files\n`,
    });
    expect(
      (await readdir(join(machine.home, 'down'), { recursive: true })).filter((name) => name.endsWith('.txt')).sort(),
    ).toEqual(COPIED);
    expect(await machine.svc('cp', '-r', '-j', '16', 'down', 'svc:main/photos/up')).toMatchObject({
      status: 0,
      stdout: `copied ${COPIED.length} files\n`,
    });
    expect(lines((await machine.svc('ls', '-r', 'main/photos')).stdout)).toEqual(COPIED.map((name) => `up/${name}`));
  });

  it('are deleted, without those that only begin alike', async () => {
    expect(lines((await machine.svc('rm', '-r', '--dry-run', 'main/files/many')).stdout)).toEqual(
      NAMES.map((name) => `main/files/many/${name}`),
    );
    expect(await machine.svc('rm', '-r', 'main/files/many')).toEqual({
      status: 0,
      stdout: `deleted ${NAMES.length} objects\n`,
      stderr: '',
    });
    expect((await machine.svc('ls', '-r', 'main/files/many')).stdout).toBe('many-others/x\n');
  });

  it('do not hold up `rb --force`', async () => {
    plantKeys(app.s3.server.store, 'scratch', NAMES);
    expect(await machine.svc('rb', '--force', 'main/scratch')).toEqual({
      status: 0,
      stdout: 'removed main/scratch\n',
      stderr: '',
    });
    expect(lines((await machine.svc('ls', 'main')).stdout)).toEqual(['files', 'photos']);
  });
});
