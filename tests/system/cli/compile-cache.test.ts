import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = join(import.meta.dirname, '../../../bin/svc.js');
const run = promisify(execFile);

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-home-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Runs the program in the folder `home`. @returns the files and folders that are there afterwards. */
async function startWith(env: Record<string, string>): Promise<string[]> {
  const { stdout } = await run(process.execPath, [PROGRAM, '--version'], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  expect(stdout).toMatch(/\d+\.\d+\.\d+/);
  return readdir(home, { recursive: true });
}

describe('what the program compiled', () => {
  it('is kept in a folder of the user, which nobody else may enter', async () => {
    expect((await startWith({ HOME: home })).length).toBeGreaterThan(4);
    for (const folder of ['.cache', '.cache/svc', '.cache/svc/compiled'])
      expect((await stat(join(home, folder))).mode & 0o077).toBe(0);
  });

  it('is kept in the first folder that systemd gives', async () => {
    expect(await startWith({ CACHE_DIRECTORY: `${home}/mine:${home}/other`, HOME: '/nonexistent' })).toContain(
      'mine/svc/compiled',
    );
  });

  it('is not kept where the program was started, though nothing says where the user is at home', async () => {
    for (const env of [{ HOME: '' }, { CACHE_DIRECTORY: 'here' }]) expect(await startWith(env)).toEqual([]);
  });

  it('is neither kept nor run where any user may put something, nor where no folder can be', async () => {
    await mkdir(join(home, 'svc/compiled'), { recursive: true });
    await chmod(join(home, 'svc/compiled'), 0o777);
    expect(await startWith({ XDG_CACHE_HOME: home })).toEqual(['svc', 'svc/compiled']);
    await writeFile(join(home, 'file'), '');
    expect(await startWith({ CACHE_DIRECTORY: join(home, 'file') })).toHaveLength(3);
  });
});
