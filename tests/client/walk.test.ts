import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { walk, type Walked } from '../../src/client/walk.ts';
import { SWAPPING } from '../support/swapping.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-walk-'));
  await mkdir(join(home, 'folder/sub'), { recursive: true });
  await mkdir(join(home, 'private'));
  await writeFile(join(home, 'private/a'), 'a secret');
});
afterEach(() => rm(home, { recursive: true }));

const at = (...parts: string[]) => join(home, ...parts);

/** Walks, and changes the folder once the first entry was given: uploads of it may take hours. */
async function walkedWith(change: (first: Walked) => Promise<void>): Promise<Walked[]> {
  const found: Walked[] = [];
  for await (const one of walk(at('folder'))) {
    if (found.length === 0) await change(one);
    found.push(one);
  }
  return found;
}

it('gives the files of a folder that is named by a link, with what tells them from others', async () => {
  await writeFile(at('folder/sub/a'), '1');
  await symlink(at('folder'), at('link'));
  expect(await Array.fromAsync(walk(at('link')))).toMatchObject([
    { path: at('link/sub/a'), size: 1, ino: expect.any(Number) },
  ]);
});

it('gives no file that a link leads to in place of the one whose name was read', async () => {
  for (const name of ['a', 'b']) await writeFile(at('folder', name), '1');
  const found = await walkedWith(async ({ path }) => {
    const other = path.endsWith('a') ? at('folder/b') : at('folder/a');
    await rm(other);
    await symlink(at('private/a'), other);
  });
  expect(found.filter((one) => 'size' in one)).toHaveLength(1);
  expect(found).toContainEqual({ path: expect.any(String), why: 'a symbolic link, which is not followed' });
});

it('gives no file of a folder that was replaced with a link', async () => {
  await rm(at('folder/sub'), { recursive: true });
  for (const sub of ['x', 'y']) {
    await mkdir(at('folder', sub));
    for (const name of ['a', 'b']) await writeFile(at('folder', sub, name), '1');
  }
  const found = await walkedWith(async ({ path }) => {
    // The folder whose files are being given, and the one that comes later.
    for (const sub of ['x', 'y']) {
      await rename(at('folder', sub), at(`was ${sub}`));
      await symlink(at('private'), at('folder', sub));
    }
    expect(path).toMatch(/[xy]\/[ab]$/);
  });
  expect(found.filter((one) => 'size' in one)).toHaveLength(1);
  expect(found.filter((one) => 'why' in one || 'error' in one).length).toBeGreaterThanOrEqual(2);
});

it('gives no file behind a link that somebody swaps with its folder all the time', async () => {
  for (let i = 0; i < 50; i++) {
    await writeFile(at(`folder/sub/${i}`), '1');
    await writeFile(at(`private/${i}`), 'a secret');
  }
  await symlink(at('private'), at('link'));
  const swapping = new Worker(SWAPPING, { eval: true, workerData: [at('folder/sub'), at('link'), at('aside')] });
  try {
    const sizes = new Set<number>();
    for (const end = Date.now() + 1500; Date.now() < end;)
      for await (const one of walk(at('folder'))) if ('size' in one) sizes.add(one.size);
    expect([...sizes]).toEqual([1]);
  } finally {
    await swapping.terminate();
  }
});
