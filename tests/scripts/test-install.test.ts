import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';

const SCRIPT = new URL('../../scripts/test-setup.ts', import.meta.url).pathname;
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const folders: string[] = [];

describe('test-setup', () => {
  let programs: string;

  beforeEach(() => {
    programs = mkdtempSync(join(tmpdir(), 'svc-programs-'));
    chmodSync(programs, 0o755);
    folders.push(programs);
  });

  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  it('says nothing and installs nothing when everything is there', () => {
    for (const name of ['chromium', 'chromium-headless-shell', 'redis-server', 'nginx', 'apt-get']) program(name, 'echo "$0 $@" >> "$LOG"');
    const { output, log } = setUp();
    // Where the machine has no emoji font, the font alone is asked for.
    expect(log).not.toMatch(/chromium|redis-server|nginx/);
    expect(output).not.toMatch(/chromium|redis-server|nginx/);
  });

  it('names what is missing on a system without apt-get, and succeeds', () => {
    const { status, output } = setUp();
    expect(status).toBe(0);
    expect(output).toContain('this is not a Debian system');
    expect(output).toContain('chromium chromium-headless-shell redis-server');
  });

  (isRoot ? it : it.skip)('updates the lists, then installs only what is missing, without questions', () => {
    symlinkSync('/usr/bin/env', join(programs, 'env'));
    program('redis-server', '');
    program('apt-get', `echo "$DEBIAN_FRONTEND $*" >> "$LOG"; printf '#!/bin/sh\\n' > ${programs}/chromium; /bin/chmod +x ${programs}/chromium`);
    const { status, log, output } = setUp();
    expect(status).toBe(0);
    const [update, install] = log.split('\n');
    expect(update).toMatch(/^noninteractive update/);
    expect(install).toMatch(/^noninteractive install .*chromium/);
    expect(install).not.toContain('redis-server');
    expect(output).toContain('installing chromium');
    expect(output).not.toContain('`chromium` could not be installed');
  });

  (isRoot ? it : it.skip)('says what could not be installed, and succeeds', () => {
    symlinkSync('/usr/bin/env', join(programs, 'env'));
    program('apt-get', 'exit 100');
    const { status, output } = setUp();
    expect(status).toBe(0);
    expect(output).toContain('`redis-server` could not be installed (apt-get ended with 100)');
  });

  it('gives the command to run when it may not install', () => {
    program('apt-get', 'echo "$@" >> "$LOG"');
    const { status, output, log } = setUp(isRoot ? { uid: NOBODY, gid: NOBODY } : {});
    expect(status).toBe(0);
    expect(output).toMatch(/sudo apt-get update && sudo apt-get install -y chromium chromium-headless-shell redis-server/);
    expect(log).toBe('');
  });

  function program(name: string, script: string): void {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  function setUp(as: { uid?: number; gid?: number } = {}): { status: number | null; output: string; log: string } {
    const log = join(programs, 'log');
    writeFileSync(log, '');
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], { ...as, env: { PATH: programs, LOG: log, HOME: programs }, encoding: 'utf8' });
    return { status, output: stdout + stderr, log: readFileSync(log, 'utf8') };
  }
});
