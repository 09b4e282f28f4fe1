import { execFileSync, spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Those that `test:install` brings. PostgreSQL is not among them, because many machines had it before, enabled. */
const SERVERS = [
  'caddy',
  'ceph-base',
  'ceph-mon',
  'ceph-osd',
  'glewlwyd',
  'lemonldap-ng-fastcgi-server',
  'nginx-common',
  'podman',
  'prometheus',
  'radosgw',
  'redis-server',
  'rsyslog',
];

/** On anybody's own machine, these may well be enabled. */
const isOurMachine = process.env['CI'] !== undefined;

describe('npm run test:install -- --yes', () => {
  (isOurMachine ? it : it.skip)('leaves no unit enabled', () => {
    const { stdout: files } = spawnSync('dpkg', ['-L', ...SERVERS], { encoding: 'utf8' });
    const units = files
      .split('\n')
      .filter((file) => /\/systemd\/system\/[^@/]+\.(?:service|socket|timer|path|target)$/.test(file))
      .map((file) => basename(file));
    expect(units).toContain('nginx.service');
    const { stdout: states } = spawnSync('systemctl', ['--root=/', 'is-enabled', ...units], { encoding: 'utf8' });
    const enabled = states
      .trim()
      .split('\n')
      .flatMap((state, i) => (state === 'enabled' ? [units[i]] : []));
    expect(enabled).toEqual([]);
  });

  (isOurMachine ? it : it.skip)('leaves no server running', () => {
    const running = execFileSync('ps', ['-eo', 'ppid=,comm='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    expect(
      running.filter(
        ([parent, name = '']) =>
          parent === '1' && /^(?:nginx|redis-server|prometheus|rsyslogd|glewlwyd|postgres)$/.test(name),
      ),
    ).toEqual([]);
  });
});
