import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { Machine } from '../../cli/svc-process.ts';

let app: TestApp;
let machine: Machine;
beforeAll(async () => {
  [app, machine] = [await startApp(), await Machine.make()];
  machine.env['SVC_CREDENTIAL'] = (await signInDesktop(app, 'eve')).access_token;
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

it('a server has a short name, in --server and in SVC_SERVER, until it is removed', async () => {
  expect(await machine.svc('alias', 'work', `${app.origin}/`)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(await machine.svc('alias')).toMatchObject({ status: 0, stdout: `work  ${app.origin}\n` });
  expect(JSON.parse((await machine.svc('alias', '--json')).stdout)).toEqual({ work: app.origin });
  const named = await machine.svc('whoami', '--server', 'work');
  expect(named).toMatchObject({ status: 0, stdout: expect.stringContaining('Eve') });
  machine.env['SVC_SERVER'] = 'work';
  expect(await machine.svc('whoami')).toEqual(named);
  expect(await machine.svc('alias', '--remove', 'work')).toMatchObject({ status: 0 });
  expect(await machine.svc('whoami')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no server is named `work`'),
  });
  expect(await machine.svc('alias', '--remove', 'work')).toMatchObject({ status: 1 });
});

it.each([
  ['a name that is an address', ['alias', 'https://x.example', 'https://x.example']],
  ['a name from the prototype', ['whoami', '--server', 'constructor']],
  ['an address that is none', ['alias', 'x', 'files.example.com']],
  ['a name alone', ['alias', 'x']],
])('refuses %s', async (_what, args) => {
  expect(await machine.svc(...args)).toMatchObject({ status: 2, stdout: '' });
});
