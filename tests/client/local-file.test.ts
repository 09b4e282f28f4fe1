import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { localFile, stateIn, withRange } from '../../src/client/local-file.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-local-'));
});
afterEach(() => rm(home, { recursive: true }));

it('reads nothing but the file that it found: no link and no named pipe that is there instead, for which it does not wait', async () => {
  const path = join(home, 'file');
  await writeFile(join(home, 'other'), 'other');
  for (const replace of [() => symlink(join(home, 'other'), path), async () => void execFileSync('mkfifo', [path])]) {
    await writeFile(path, '12345');
    const file = await localFile(path);
    await rm(path);
    await replace();
    await expect(file.bytes()).rejects.toMatchObject({ code: 'file_changed' });
    const sent = withRange(
      file.slice(0, 5),
      () => undefined,
      async () => 'sent',
    );
    await expect(sent).rejects.toMatchObject({ code: 'file_changed' });
    await rm(path);
  }
});

it('tells a file by the same number as a walk does, also where its highest bit is set, which is a minus in the exact numbers of Node', () => {
  const exact = { size: 1n, mtimeNs: 1_500_000n, dev: 41n, ino: -(2n ** 63n) + 4096n };
  expect(stateIn(exact)).toMatchObject({ size: 1, mtimeMs: 1.5, dev: 41, ino: 2 ** 63 + 4096 });
});
