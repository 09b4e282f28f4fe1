import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from '@jest/globals';
import { deleteExtra } from '../../../src/cli/objects/sync-delete.ts';
import { Connection } from '../../../src/client/connection.ts';
import { SWAPPING } from '../../support/swapping.ts';

it('deletes nothing behind a link that somebody swaps with a folder all the time', async () => {
  const home = await mkdtemp(join(tmpdir(), 'svc-sync-delete-'));
  const at = (...parts: string[]) => join(home, ...parts);
  const names = Array.from({ length: 2000 }, (_, number) => String(number));
  for (const folder of ['here/sub', 'private']) {
    await mkdir(at(folder), { recursive: true });
    for (const name of names) await writeFile(at(folder, name), '');
  }
  const extra = new Map(
    await Promise.all(
      names.map(async (name) => {
        const { dev, ino, size, mtimeMs } = await lstat(at('here/sub', name));
        return [`sub/${name}`, { path: at('here/sub', name), dev, ino, size, mtimeMs }] as const;
      }),
    ),
  );
  const nothing = () => undefined;
  const progress = { plan: nothing, advance: nothing, finish: nothing, say: nothing, print: nothing, stop: nothing };
  await symlink(at('private'), at('link'));
  const swapping = new Worker(SWAPPING, { eval: true, workerData: [at('here/sub'), at('link'), at('aside')] });
  await once(swapping, 'online');
  try {
    await deleteExtra(
      new Connection('http://127.0.0.1:1', 'x'),
      { from: at('from'), to: at('here'), by: 'checksum', filter: undefined, deletes: true },
      extra,
      { jobs: 8, dryRun: false },
      progress,
      [],
    );
  } finally {
    await swapping.terminate();
  }
  expect((await readdir(at('private'))).length).toBe(names.length);
  await rm(home, { recursive: true });
});
