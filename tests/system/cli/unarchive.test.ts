import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

let app: TestApp;
let machine: Machine;
beforeAll(async () => {
  [app, machine] = [await startApp({ archives: true }), await Machine.make()];
  plantKeys(app.s3.server.store, 'files', ['old.archived', 'new.txt']);
  Object.assign(machine.env, {
    SVC_SERVER: app.origin,
    SVC_CREDENTIAL: (await signInDesktop(app, 'ada')).access_token,
  });
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

it('svc unarchive brings an archived object back, and says how far that is', async () => {
  expect(await machine.svc('cat', 'main/files/old.archived')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('it has to be brought back first'),
  });
  expect(await machine.svc('unarchive', 'main/files/old.archived')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^storage brings it back from now on/),
  });
  const again = await machine.svc('unarchive', '--json', '--days', '2', '--tier', 'bulk', 'main/files/old.archived');
  expect(JSON.parse(again.stdout)).toEqual({ key: 'old.archived', status: 'underway' });
  expect(await machine.svc('unarchive', 'main/files/old.archived')).toMatchObject({ stdout: 'it can be read\n' });
  expect(await machine.svc('cat', 'main/files/old.archived')).toMatchObject({ status: 0 });
});

it.each([
  ['an object that is not archived', ['main/files/new.txt'], 1],
  ['an object that is not there', ['main/files/none'], 1],
  ['days without a number', ['--days', 'x', 'main/files/old.archived'], 2],
  ['a tier that is none', ['--tier', 'fast', 'main/files/old.archived'], 2],
])('svc unarchive refuses %s', async (_what, args, status) => {
  expect(await machine.svc('unarchive', ...args)).toMatchObject({ status, stdout: '' });
});
