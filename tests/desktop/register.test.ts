import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { register } from '../../src/desktop/register.ts';
import { revealCommand } from '../../src/desktop/reveal.ts';
import { ClientFailure } from '../../src/client/client-failure.ts';
import { sentenceOf } from '../../src/desktop/sentence.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-register-'));
});
afterEach(() => rm(home, { recursive: true }));

describe('register', () => {
  it('has the system open `svc://` addresses with the application, wherever that is', async () => {
    const { PATH = '' } = process.env;
    const env = {
      PATH,
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      DISPLAY: ':0',
    };
    await mkdir(env.XDG_CONFIG_HOME);
    const program = join(home, 'a "program" of $mine');
    await writeFile(program, `#!/bin/sh\nprintf '%s|' "$@" > '${home}/started'\n`);
    await chmod(program, 0o755);
    expect(await register({ command: [program, 'desktop'], icon: '/icon.png' }, env, 'linux')).toContain(
      'data/applications/svc.desktop',
    );
    expect(await readFile(join(home, 'config/mimeapps.list'), 'utf8')).toContain('x-scheme-handler/svc=svc.desktop');
    const { stdout } = await promisify(execFile)('xdg-mime', ['query', 'default', 'x-scheme-handler/svc'], { env });
    expect(stdout.trim()).toBe('svc.desktop');
    expect(await readFile(join(home, 'data/applications/svc.desktop'), 'utf8')).toMatch(
      /^Exec=".*a \\\\"program\\\\" of \\\\\$mine" desktop %u$/m,
    );
  });

  it('says where there is no way', async () => {
    await expect(register({ command: ['svc'], icon: '' }, {}, 'darwin')).rejects.toThrow(
      'give the address to `svc desktop` instead',
    );
  });
});

it('each system shows a file in its own way', () => {
  expect(revealCommand('/home/ada/a b.txt', 'linux')).toContain('array:string:file:///home/ada/a%20b.txt');
  expect(revealCommand('/Users/ada/a.txt', 'darwin')).toEqual(['open', '-R', '/Users/ada/a.txt']);
});

it('a full disk is said in plain words', () => {
  expect(sentenceOf(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }))).toBe(
    'the disk is full; free some space, and the download resumes at the next start',
  );
});

it('what a client of the service says is said in its own words, also where the service has a code of that name', () => {
  expect(sentenceOf(new ClientFailure('what an administrator can set', 'login_refused'))).toBe(
    'what an administrator can set',
  );
});
