import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answers } from '../../support/cluster.ts';
import { commandsIn } from '../../support/documented-commands.ts';
import { signInAndUse, startSurroundings, type Surroundings } from '../../support/installed.ts';
import { packages } from '../../support/packages.ts';
import type { Visitor } from '../../support/visitor.ts';
import { missingForSystemd, SystemdMachine } from '../../support/systemd-machine.ts';

/** On a connection of its own: the status, or why there is none. */
function ask(port: number): Promise<number | string> {
  return new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', path: '/api/health', agent: false }, (res) =>
      res.resume().once('end', () => resolve(res.statusCode ?? 0)),
    );
    asked.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end();
  });
}

if (missingForSystemd.length > 0) {
  it.skip(`the service is not tried under systemd: this machine has no ${missingForSystemd.join(' and no ')}`, () =>
    undefined);
} else {
  describe('the Debian package on a Debian with nothing else, under systemd', () => {
    // `npm run package` is the first.
    const [, install = '', check = '', doctor = '', enable = '', reload = ''] = commandsIn(
      'docs/install.md',
      'The Debian package',
    );
    const [backup = '', upgrade = '', isActive = '', ...rollback] = commandsIn('docs/upgrade.md', 'The Debian package');
    let machine: SystemdMachine;
    let surroundings: Surroundings;
    const closers: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      const { debian } = await packages();
      surroundings = await startSurroundings({ clientSecret: '${SVC_OIDC_CLIENT_SECRET}' });
      closers.push(() => surroundings.close());
      machine = await SystemdMachine.make();
      closers.push(() => machine.close());
      await machine.put(debian, 'root/packages');
      await machine.boot();
      await machine.shell(install);
      const config = {
        ...surroundings.config,
        server: { port: surroundings.port, reload: 'on_signal' },
        state: { path: '/var/lib/svc/state.db' },
        auth: { ...(surroundings.config['auth'] as object), session: { type: 'database' } },
      };
      await machine.write('etc/svc/svc.config.yaml', JSON.stringify(config));
      await machine.append('etc/svc/svc.env', 'SVC_OIDC_CLIENT_SECRET=idp-client-secret\n');
      await machine.write(
        'etc/systemd/system/svc.socket.d/port.conf',
        `[Socket]\nListenStream=\nListenStream=127.0.0.1:${surroundings.port}\n`,
      );
      await machine.write('etc/systemd/system/svc.service.d/watchdog.conf', '[Service]\nWatchdogSec=3\n');
      await machine.do('systemctl', 'daemon-reload');
    }, 900_000);
    afterAll(async () => {
      for (const close of closers) await close();
    });

    /** @throws with what the service said, when it does not come about. */
    async function until(isSo: () => Promise<boolean>): Promise<void> {
      for (const end = performance.now() + 30_000; !(await isSo());) {
        await wait(100);
        if (performance.now() > end) throw new Error(await machine.journal('svc.service'));
      }
    }

    const property = (name: string) => machine.do('systemctl', 'show', '--value', '--property', name, 'svc.service');

    it('starts, says that it is ready, serves people who sign in, and may do nothing else', async () => {
      expect(await machine.shell(check)).toContain('is fine');
      expect(await machine.shell(doctor)).toMatch(/^ok +state/m);
      await machine.shell(enable).catch(async () => {
        throw new Error(await machine.journal('svc.service'));
      });
      expect(await machine.shell(isActive)).toBe('active');
      await signInAndUse(surroundings.origin);
      const status = await machine.do('cat', `/proc/${await property('MainPID')}/status`);
      const [, uid] = /^Uid:\t(\d+)/m.exec(status) ?? [];
      expect(uid).toBe(await machine.do('id', '-u', 'svc'));
      expect(status).toMatch(/^CapEff:\t0+$[^]*^NoNewPrivs:\t1$/m);
      expect(
        await machine.do(
          'stat',
          '-c',
          '%a %U',
          '/var/lib/svc',
          '/var/lib/svc/state.db',
          '/etc/svc/svc.env',
          '/etc/svc/svc.config.yaml',
        ),
      ).toBe('700 svc\n600 svc\n600 root\n640 root');
    });

    it('has manual pages, and what the shells complete words with', async () => {
      for (const file of [
        'man/man1/svc-cp.1.gz',
        'bash-completion/completions/svc',
        'zsh/vendor-completions/_svc',
        'fish/vendor_completions.d/svc.fish',
      ])
        expect(await machine.do('stat', '--format=%s', `/usr/share/${file}`)).toMatch(/^[1-9]/);
    });

    it('takes the configuration over by `systemctl reload`', async () => {
      await machine.shell(reload);
      await until(async () => /applied the configuration/.test(await machine.journal('svc.service')));
    });

    it('is backed up, fails no request while a new version is installed and while it is restarted, and goes back', async () => {
      const visitor = await signInAndUse(surroundings.origin);
      await machine.shell(backup);
      const before = await property('MainPID');
      const statuses = new Map<number | string, number>();
      let isOver = false;
      const load = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          const status = await ask(surroundings.port);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          await wait(10);
        }
      });
      await machine.shell(upgrade);
      const between = await property('MainPID');
      await machine.do('systemctl', 'restart', 'svc.service');
      expect(new Set([before, between, await property('MainPID')]).size).toBe(3);
      await answers(surroundings.origin);
      isOver = true;
      await Promise.all(load);
      expect([...statuses.keys()]).toEqual([200]);
      const status = async (someone: Visitor) =>
        (await someone.request(`${surroundings.origin}/api/providers`, { headers: { accept: 'application/json' } }))
          .status;
      const later = await signInAndUse(surroundings.origin);
      for (const line of rollback) await machine.shell(line);
      await answers(surroundings.origin);
      expect([await status(visitor), await status(later)]).toEqual([200, 401]);
    });

    it('is started again when its event loop stands still', async () => {
      const pid = await property('MainPID');
      await machine.do('sh', '-c', `kill -STOP ${pid}`);
      await until(async () => (await property('MainPID')) !== pid && (await property('ActiveState')) === 'active');
      expect(await machine.journal('svc.service')).toMatch(/watchdog/i);
      await signInAndUse(surroundings.origin);
    });

    it('is gone without a trace when it is purged', async () => {
      await machine.do('dpkg', '--purge', 'svc');
      expect(
        await machine.do(
          'sh',
          '-c',
          'ls -d /etc/svc /var/lib/svc /usr/lib/svc /var/cache/svc 2>/dev/null; getent passwd svc; systemctl is-active svc.service svc.socket; true',
        ),
      ).toBe('inactive\ninactive');
      expect(await readFile(join(machine.root, 'etc/passwd'), 'utf8')).not.toMatch(/^svc:/m);
    });
  });
}
