import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { Machine } from '../../cli/svc-process.ts';

let app: TestApp;
let machine: Machine;
beforeAll(async () => {
  [app, machine] = [await startApp(), await Machine.make()];
  const SVC_CREDENTIAL = (await signInDesktop(app, 'eve')).access_token;
  Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL });
  for (const [path, content] of [
    ['a/same.txt', 'same'],
    ['a/deep/other.txt', 'one'],
    ['a/new.txt', 'new'],
    ['b/same.txt', 'same'],
    ['b/deep/other.txt', 'two'],
    ['b/gone.txt', 'gone'],
  ] as const) {
    await mkdir(dirname(join(machine.home, path)), { recursive: true });
    await writeFile(join(machine.home, path), content);
  }
  await machine.svc('cp', '-r', 'a', 'svc:main/files/diff-a');
  await machine.svc('cp', '-r', 'b', 'svc:main/files/diff-b');
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

it.each([
  ['a', 'svc:main/files/diff-b'],
  ['svc:main/files/diff-a', 'b'],
  ['svc:main/files/diff-a', 'svc:main/files/diff-b'],
])('svc diff %s %s says what differs, and changes nothing', async (source, target) => {
  const differences = ['! deep/other.txt', '- gone.txt', '+ new.txt', ''].join('\n');
  for (let i = 0; i < 2; i += 1)
    expect(await machine.svc('diff', '--checksum', source, target)).toEqual({
      status: 1,
      stdout: differences,
      stderr: '',
    });
  const { stdout } = await machine.svc('diff', '--json', '--include', '*.txt', '--exclude', 'deep/**', source, target);
  expect(JSON.parse(stdout)).toEqual([
    { name: 'gone.txt', is: 'only in target' },
    { name: 'new.txt', is: 'only in source' },
  ]);
});

it('svc diff tells by its exit status that nothing differs', async () => {
  expect(await machine.svc('diff', 'a', 'svc:main/files/diff-a')).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(await machine.svc('diff', 'a', 'b')).toMatchObject({ status: 2, stdout: '' });
});

it('svc diff tells what it could not compare', async () => {
  expect(await machine.svc('diff', 'svc:main/files/none', 'a')).toMatchObject({
    status: 1,
    stderr: 'main/files/none/: there is nothing here that you may list\n',
  });
});
