import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { HeldFolder } from '../../src/client/held-folder.ts';
import { SWAPPING } from '../support/swapping.ts';

let home: string;
let held: HeldFolder;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-held-'));
  await mkdir(at('folder'));
  await mkdir(at('private'));
  held = await HeldFolder.open(at('folder'));
});
afterEach(async () => {
  held.close();
  await rm(home, { recursive: true });
});

const at = (...parts: string[]) => join(home, ...parts);
const write = (name: string) => held.use((path) => writeFile(join(path, name), 'x'));

it('gives the folder for as long as it is at its path', async () => {
  await write('a');
  await rename(at('folder'), at('aside'));
  await expect(write('b')).rejects.toMatchObject({ code: 'file_changed', message: expect.stringContaining('folder') });
  await rename(at('aside'), at('folder'));
  await write('c');
  expect(await readdir(at('folder'))).toEqual(['a', 'c']);
});

it.each([
  ['a link', () => symlink(at('private'), at('folder'))],
  ['a link to where it was moved', () => symlink(at('aside'), at('folder'))],
  ['another folder', () => mkdir(at('folder'))],
])('is not replaced by %s', async (_, replace) => {
  await rename(at('folder'), at('aside'));
  await replace();
  await expect(write('a')).rejects.toMatchObject({ code: 'file_changed' });
  expect([await readdir(at('folder')), await readdir(at('private')), await readdir(at('aside'))]).toEqual([[], [], []]);
});

it('names faults of files by the path that was given', async () => {
  const path = at('folder/missing/a');
  await expect(write('missing/a')).rejects.toMatchObject({
    code: 'ENOENT',
    path,
    message: expect.stringContaining(path),
  });
});

it('is not left through a link that somebody swaps with it all the time', async () => {
  await symlink(at('private'), at('link'));
  const swapping = new Worker(SWAPPING, { eval: true, workerData: [at('folder'), at('link'), at('aside')] });
  try {
    for (let i = 0, written = 0; written < 100 && i < 20_000; i += 1)
      await write(String(i)).then(
        () => (written += 1),
        (error: unknown) => expect(error).toMatchObject({ code: 'file_changed' }),
      );
  } finally {
    await swapping.terminate();
  }
  expect(await readdir(at('private'))).toEqual([]);
});
