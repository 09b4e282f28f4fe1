import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startStubService } from '../../cli/stub-service.ts';
import { Machine } from '../../cli/svc-process.ts';

const CONTENT = Buffer.from('0123456789'.repeat(1000));

let machine: Machine;
beforeEach(async () => {
  machine = await Machine.make();
  await mkdir(at('out/sub'), { recursive: true });
});
afterEach(() => machine.remove());

const at = (...parts: string[]) => join(machine.home, ...parts);

/** Runs a command against a service that puts a link to another folder in the place of `folder` while it sends the first file. */
async function withSwap(
  command: readonly string[],
  { keys, cuts, folder, link }: { keys: readonly string[]; cuts: number; folder: string; link: string },
): Promise<{ status: number | null; said: unknown }> {
  let isSwapped = false;
  const stub = await startStubService({
    content: CONTENT,
    keys,
    cuts,
    etag: () => {
      if (stub.ranges.length > 0 && !isSwapped) {
        isSwapped = true;
        mkdirSync(at('aside'), { recursive: true });
        renameSync(at(folder), at('aside/was'));
        symlinkSync(at(link), at(folder));
      }
      return 'v1';
    },
  });
  const { status, stdout } = await machine.start([...command, '--json', '--server', stub.url], { SVC_CREDENTIAL: 'x' })
    .ended;
  await stub.close();
  return { status, said: JSON.parse(stdout) };
}

describe.each([
  ['svc cp -r', ['cp', '-r', '-j', '1', 'svc:main/files', 'here']],
  ['svc sync', ['sync', '-j', '1', 'svc:main/files', 'here']],
])('%s', (_, command) => {
  it.each([
    ['when it tries again', 1],
    ['when it gives the file its name', 0],
  ])('writes nothing through a link that took the place of a folder: %s', async (_when, cuts) => {
    expect(await withSwap(command, { keys: ['sub/a', 'b'], cuts, folder: 'here/sub', link: 'out/sub' })).toMatchObject({
      status: 1,
      said: { copied: 1, failed: [{ path: 'main/files/sub/a', code: 'file_changed' }] },
    });
    expect(await readdir(at('out/sub'))).toEqual([]);
    expect(await readdir(at('here'))).toEqual(['b', 'sub']);
  });

  it('writes nothing through a link that took the place of the target', async () => {
    expect(await withSwap(command, { keys: ['a', 'sub/b'], cuts: 0, folder: 'here', link: 'out' })).toMatchObject({
      status: 1,
      said: { copied: 0, failed: [{ code: 'file_changed' }, { code: 'unsafe_name' }] },
    });
    expect([await readdir(at('out')), await readdir(at('out/sub'))]).toEqual([['sub'], []]);
  });
});

it('svc cp of one file writes nothing through a link that took the place of its folder', async () => {
  await mkdir(at('here/sub'), { recursive: true });
  expect(
    await withSwap(['cp', 'svc:main/files/a', 'here/sub/a'], { keys: ['a'], cuts: 1, folder: 'here/sub', link: 'out' }),
  ).toMatchObject({ status: 1, said: { copied: 0, failed: [{ code: 'file_changed' }] } });
  expect(await readdir(at('out'))).toEqual(['sub']);
});
