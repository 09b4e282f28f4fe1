import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';

const SCRIPT = new URL('../../scripts/test-install.ts', import.meta.url).pathname;
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const folders: string[] = [];

/** Whether everybody may enter the folders of a path. A checkout in the folder of root is open to root alone. */
function isOpenToAll(path: string): boolean {
  const folder = dirname(path);
  return folder === path || ((statSync(folder).mode & 1) === 1 && isOpenToAll(folder));
}

describe('npm run test:install', () => {
  let programs: string;

  beforeEach(() => {
    programs = mkdtempSync(join(tmpdir(), 'svc-programs-'));
    chmodSync(programs, 0o755);
    folders.push(programs);
  });

  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  it('lists what is missing and why, and installs nothing, unless it is told to', () => {
    for (const name of ['chromium', 'nginx', 'apt-get']) program(name, 'echo "$0 $@" >> "$LOG"');
    const { status, output, log } = setUp([]);
    expect([status, log]).toEqual([0, '']);
    expect(output).toMatch(/^redis-server +the session store on Redis$/m);
    expect(output).not.toMatch(/^(?:chromium|nginx) /m);
    expect(output).toContain('`npm run test:install -- --yes` installs them, and enables and starts nothing');
  });

  it('names what is missing on a system without apt-get, and succeeds', () => {
    const { status, output } = setUp();
    expect(status).toBe(0);
    expect(output).toContain('this is not a Debian system');
    expect(output).toContain('chromium chromium-headless-shell redis-server');
  });

  (isRoot ? it : it.skip)(
    'updates the lists, then installs only what is missing, without questions, and forbids meanwhile that services start',
    () => {
      symlinkSync('/usr/bin/env', join(programs, 'env'));
      program('redis-server', '');
      // What `sh` is given has several lines, and is logged as one.
      for (const name of ['sh', 'rm']) program(name, `printf '%s ' ${name} $* >> "$LOG"; echo >> "$LOG"`);
      program(
        'apt-get',
        `echo "$DEBIAN_FRONTEND $*" >> "$LOG"; printf '#!/bin/sh\\n' > ${programs}/chromium; /bin/chmod +x ${programs}/chromium`,
      );
      const { status, log, output } = setUp();
      expect(status).toBe(0);
      const [update, ...more] = log.trim().split(/\s*\n/);
      expect(update).toMatch(/^noninteractive update/);
      const install = more.find((line) => line.startsWith('noninteractive install'))!;
      expect(install).toMatch(/chromium/);
      expect(install).not.toContain('redis-server');
      // Where a policy is there already, it stays.
      const around = existsSync('/usr/sbin/policy-rc.d')
        ? [install]
        : [
            expect.stringMatching(/^sh -c printf .*exit 101.* > \/usr\/sbin\/policy-rc\.d/),
            install,
            'rm -f /usr/sbin/policy-rc.d',
          ];
      expect(more.slice(0, around.length)).toEqual(around);
      expect(output).toContain('installing chromium');
      expect(output).not.toContain('`chromium` could not be installed');
    },
  );

  (isRoot ? it : it.skip)('says what could not be installed, and succeeds', () => {
    symlinkSync('/usr/bin/env', join(programs, 'env'));
    program('apt-get', 'exit 100');
    const { status, output } = setUp();
    expect(status).toBe(0);
    expect(output).toContain('`redis-server` could not be installed (apt-get ended with 100)');
  });

  (isRoot && !isOpenToAll(SCRIPT) ? it.skip : it)('says that it needs root when it may not install', () => {
    program('apt-get', 'echo "$@" >> "$LOG"');
    const { status, output, log } = setUp(['--yes'], isRoot ? { uid: NOBODY, gid: NOBODY } : {});
    expect(status).toBe(1);
    expect(output).toContain('this needs root: sudo npm run test:install -- --yes');
    expect(log).toBe('');
  });

  function program(name: string, script: string): void {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  function setUp(
    args = ['--yes'],
    as: { uid?: number; gid?: number } = {},
  ): { status: number | null; output: string; log: string } {
    const log = join(programs, 'log');
    writeFileSync(log, '');
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
      ...as,
      env: { PATH: programs, LOG: log, HOME: programs },
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr, log: readFileSync(log, 'utf8') };
  }
});
