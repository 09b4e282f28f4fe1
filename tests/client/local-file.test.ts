import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { localFile, stateIn, withRange } from '../../src/client/local-file.ts';

/** Too many to be read at once. */
const BYTES = 3_000_000;

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

it.each([
  ['is written anew', (path: string) => writeFile(path, Buffer.alloc(BYTES, 'new'))],
  ['gets longer', (path: string) => appendFile(path, 'more')],
])('does not send the last bytes of a file that %s while it is sent', async (_what, change) => {
  const path = join(home, 'file');
  await writeFile(path, Buffer.alloc(BYTES, 'old'));
  // The clock of a file system may stand still for some milliseconds.
  await utimes(path, 1, 1);
  const file = await localFile(path);
  let sent = 0;
  const sending = withRange(
    file.slice(0, BYTES),
    (bytes) => (sent = bytes),
    async (body) => {
      for await (const _ of body) if (sent < BYTES) await change(path);
    },
  );
  await expect(sending).rejects.toMatchObject({ code: 'file_changed' });
  expect(sent).toBeLessThan(BYTES);
});

it.each([5, BYTES])('sends none of %d bytes of a file that was written since it was found', async (bytes) => {
  const path = join(home, 'file');
  await writeFile(path, Buffer.alloc(bytes, 'old'));
  const file = await localFile(path);
  await writeFile(path, Buffer.alloc(bytes + 1, 'new'));
  let sent = 0;
  const sending = withRange(
    file.slice(0, bytes),
    (now) => (sent = now),
    async () => 'sent',
  );
  await expect(sending).rejects.toMatchObject({ code: 'file_changed' });
  await expect(file.bytes()).rejects.toMatchObject({ code: 'file_changed' });
  expect(sent).toBe(0);
});

it('tells a file by the same number as a walk does, also where its highest bit is set, which is a minus in the exact numbers of Node', () => {
  const exact = { size: 1n, mtimeNs: 1_500_000n, dev: 41n, ino: -(2n ** 63n) + 4096n };
  expect(stateIn(exact)).toMatchObject({ size: 1, mtimeMs: 1.5, dev: 41, ino: 2 ** 63 + 4096 });
});
