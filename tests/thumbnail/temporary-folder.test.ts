import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { temporaryFolder } from '../../src/thumbnail/temporary-folder.ts';

it('the temporary folder of thumbnails is private, and takes the place of those whose service is dead', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'look-'));
  const { pid: dead } = spawnSync('true');
  const left = [`svc-thumbnails-${dead}-abc`, `svc-thumbnails-${process.pid}-abc`];
  const others = [`svc-thumbnails-${process.ppid}-abc`, 'svc-thumbnails-abc', `other-${dead}-abc`];
  for (const name of [...left, ...others]) {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, 'picture'), 'x');
  }
  try {
    const folder = await temporaryFolder(parent);
    expect((await readdir(parent)).sort()).toEqual([basename(folder), ...others].sort());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  } finally {
    await rm(parent, { recursive: true });
  }
});
