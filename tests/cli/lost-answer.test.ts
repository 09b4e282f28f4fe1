import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startBehindProxy } from './behind-proxy.ts';
import { Machine } from './svc-process.ts';

/** The RPC method whose next answer is lost. */
let losing: string | undefined;
let behind: Awaited<ReturnType<typeof startBehindProxy>>;
let machine: Machine;

beforeAll(async () => {
  behind = await startBehindProxy((_method, body) => {
    if (losing === undefined || !body.includes(`"method":"${losing}"`)) return 'pass';
    losing = undefined;
    return 'lose the answer';
  });
  machine = await Machine.make();
  await machine.login(behind.origin, 'eve');
  await mkdir(join(machine.home, 'site'));
  for (const name of ['a', 'b']) await writeFile(join(machine.home, 'site', name), name);
});
afterAll(async () => {
  await machine.remove();
  await behind.close();
});

async function lists(folder: string): Promise<string[]> {
  return (await machine.svc('ls', '-r', `main/files/${folder}`)).stdout.split('\n').filter(Boolean).sort();
}

it.each([
  ['object/copy', ['mv', '-r', 'main/files/1', 'main/files/to1'], 'moved 2 objects\n', '1', []],
  [
    'object/copy',
    ['cp', '-r', 'svc:main/files/2', 'svc:main/files/to2'],
    'copied 2 files\n',
    'to2',
    ['to2/a', 'to2/b'],
  ],
  ['object/copy', ['sync', 'svc:main/files/3', 'svc:main/files/to3'], /copied 2 files/, 'to3', ['to3/a', 'to3/b']],
  ['object/delete', ['rm', '-r', 'main/files/4'], 'deleted 2 objects\n', '4', []],
  ['object/delete', ['sync', '--delete', './site', 'svc:main/files/5'], /deleted 1/, '5', ['5/a', '5/b']],
])(
  'the change of %s by svc %j is made once, and succeeds when its answer is lost',
  async (method, args, says, at, keys) => {
    const folder = /\d/.exec(args.join(' '))![0];
    await machine.svc('cp', '-r', 'site', `svc:main/files/${folder}`);
    if (folder === '5') await machine.svc('cp', 'site/a', 'svc:main/files/5/old');
    losing = method;
    const stdout = typeof says === 'string' ? says : expect.stringMatching(says);
    expect(await machine.svc(...args)).toMatchObject({ status: 0, stdout });
    expect(losing).toBeUndefined();
    expect(await lists(at)).toEqual(keys);
  },
);

it('a move of what is not there fails, also when its first answer is lost', async () => {
  losing = 'object/copy';
  expect(await machine.svc('mv', 'main/files/none', 'main/files/nowhere')).toMatchObject({
    status: 1,
    stdout: 'moved 0 objects\n',
  });
});
