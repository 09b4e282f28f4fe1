import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { signInDesktop } from '../support/desktop-client.ts';
import { packages } from '../support/packages.ts';
import { test } from './desktop-fixtures.ts';

const MAKING_MS = 300_000;
const MAX_KIB = 120 * 1024;

const run = promisify(execFile);

test('the packages hold an application that starts by itself', async ({ app, computer }) => {
  test.setTimeout(MAKING_MS);
  const folder = await mkdtemp(join(tmpdir(), 'svc-packages-'));
  // No other Node is in the path.
  const env = { PATH: '/usr/bin:/bin' };
  try {
    const { debian, tarball } = await packages();
    await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);

    await test.step('the Debian package', async () => {
      expect((await run('dpkg-deb', ['--field', debian, 'Package', 'Recommends'])).stdout).toMatch(
        /^Package: svc\nRecommends: chromium \| google-chrome-stable/,
      );
      const root = join(folder, 'root');
      await run('dpkg-deb', ['--extract', debian, root]);
      expect(await readFile(join(root, 'usr/share/applications/svc.desktop'), 'utf8')).toMatch(
        /^Exec=svc desktop %u$/m,
      );
      const started = computer.start(['--server', app.origin], env, [join(root, 'usr/bin/svc')]);
      await expect((await started.window()).getByRole('button', { name: /Session of/ })).toBeVisible();
      const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${started.child.pid}/status`, 'utf8')) ?? [];
      expect(Number(kib)).toBeLessThan(MAX_KIB);
      await started.stop();
    });

    await test.step('the service, installed as Debian installs it', async () => {
      const isInstalled = await run('dpkg-query', ['--show', 'svc']).then(
        () => true,
        () => false,
      );
      // It is installed on the machine itself, so only by root, and only where there is none that people use.
      if (process.getuid?.() !== 0 || isInstalled) return;
      await run('dpkg', ['--install', debian]);
      try {
        expect(
          (
            await run('svc', ['config', 'check', '/etc/svc/svc.config.yaml'], {
              env: { ...env, SVC_OIDC_CLIENT_SECRET: 'x'.repeat(16), S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' },
            })
          ).stdout,
        ).toMatch(/is fine(?:, with \d+ warnings?)?\npeople open https:/);
        expect(
          (
            await run('runuser', [
              '-u',
              'svc',
              '--',
              'sh',
              '-c',
              'cat /etc/svc/svc.config.yaml && touch /var/lib/svc/state && ! cat /etc/svc/svc.env',
            ])
          ).stdout,
        ).toContain('reload: on_signal');
        const exposure = (
          await run('systemd-analyze', ['security', '--offline=true', '/usr/lib/systemd/system/svc.service'])
        ).stdout;
        expect(Number(/exposure level for svc\.service: ([\d.]+)/.exec(exposure)?.[1])).toBeLessThan(2);
      } finally {
        await run('dpkg', ['--purge', 'svc']);
      }
      expect(existsSync('/etc/svc')).toBe(false);
    });

    await test.step('the tarball', async () => {
      const place = join(folder, 'somewhere else');
      await mkdir(place);
      await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', place]);
      const started = computer.start(['--server', app.origin], env, [join(place, 'bin/svc')]);
      await expect((await started.window()).getByRole('button', { name: /Session of/ })).toBeVisible();
      await started.stop();
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
