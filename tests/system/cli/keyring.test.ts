import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { keyringOf } from '../../support/keyring.ts';
import { Machine } from '../../cli/svc-process.ts';

const has = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const missing = ['dbus-run-session', 'gnome-keyring-daemon'].filter((command) => !has(command));

if (missing.length > 0) {
  describe('svc login with a keyring', () => {
    it.skip(`is not tried: this machine has no ${missing.join(' and no ')}`, () => undefined);
  });
} else {
  describe('svc login with a keyring', () => {
    let app: TestApp;
    let machine: Machine;
    let keyring: Awaited<ReturnType<typeof keyringOf>>;

    beforeAll(async () => {
      app = await startApp();
      machine = await Machine.make();
      keyring = await keyringOf(machine);
      delete machine.env['SVC_KEYRING'];
      machine.env['DBUS_SESSION_BUS_ADDRESS'] = keyring.address;
    });
    afterAll(async () => {
      await keyring.close();
      await machine.remove();
      await app.close();
    });

    const configFiles = () => readdir(join(machine.home, 'config/svc'));

    it('keeps the session there and in no file, finds it again, and forgets it at sign-out', async () => {
      expect(await machine.login(app.origin, 'ada')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('the session is kept in the keyring'),
      });
      expect(await configFiles()).toEqual(['server.json']);
      expect(await machine.svc('whoami')).toMatchObject({ status: 0, stdout: expect.stringContaining('subject  ada') });
      expect(await machine.start(['whoami'], { SVC_KEYRING: 'off' }).ended).toMatchObject({ status: 4 });
      expect(await machine.svc('logout', '--no-browser')).toMatchObject({ status: 0 });
      expect(await machine.svc('whoami')).toMatchObject({ status: 4 });
    });

    it('takes the file where the keyring cannot be reached', async () => {
      machine.env['DBUS_SESSION_BUS_ADDRESS'] = `unix:path=${machine.home}/none`;
      expect(await machine.login(app.origin, 'ada')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('the session is kept in /'),
      });
      expect(await configFiles()).toEqual(['credentials.json', 'server.json']);
      expect(await machine.svc('whoami')).toMatchObject({ status: 0 });
    });
  });
}
