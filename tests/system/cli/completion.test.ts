import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { builtProgram } from '../../support/built-program.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { plainWords } from '../../../src/cli/completion/words.ts';
import { Machine } from '../../cli/svc-process.ts';

const run = promisify(execFile);
const HOSTILE = 'open/x $(touch owned) ;`touch owned`';

let app: TestApp;
let machine: Machine;
beforeAll(async () => {
  app = await startApp();
  machine = await Machine.make();
  const SVC_CREDENTIAL = (await signInDesktop(app, 'dan')).access_token;
  const bin = join(machine.home, 'bin');
  Object.assign(machine.env, {
    SVC_SERVER: app.origin,
    SVC_CREDENTIAL,
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
  });
  await mkdir(bin);
  await writeFile(join(bin, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${await builtProgram()}' "$@"\n`);
  await chmod(join(bin, 'svc'), 0o755);
  await machine.svc('alias', 'here', app.origin);
  plantKeys(app.s3.server.store, 'files', [HOSTILE, 'open/plain.txt', 'open/sub/y', 'open/esc\u001b[31m', 'secret/s']);
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

/** What bash puts in place of the last word, each as it stands in the command line. */
async function inBash(...words: readonly string[]): Promise<string[]> {
  const typed = words.map((word) => `'${word}'`).join(' ');
  const script = `source <(svc completion bash); COMP_WORDS=(svc ${typed}); COMP_CWORD=${words.length}; _svc 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', script], { cwd: machine.home, env: machine.env });
  return stdout.split('\n').filter((line) => line !== '');
}

(spawnSync('bash', ['-c', ':']).status === 0 ? describe : describe.skip)('completion in bash', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['a command', ['und'], ['undelete']],
    ['a command of a command', ['s3', 'key', 'ro'], ['rotate']],
    ['an option', ['ls', '--lo'], ['--long']],
    ['an option of every command', ['ls', '--cred'], ['--credential']],
    ['a provider', ['ls', 'm'], ['main/']],
    ['only buckets that one may see', ['ls', 'main/'], ['main/files/']],
    ['only folders that one may list', ['ls', 'main/files/'], ['main/files/open/']],
    ['a command after the value of an option', ['--server', 'here', 'und'], ['undelete']],
    ['a bucket of the server that is named before', ['--server', 'here', 'ls', 'm'], ['main/']],
    ['nothing of a server that nobody named', ['--server', 'nowhere', 'ls', 'm'], []],
    ['the name of a server', ['ls', '--server', 'h'], ['here']],
    ['a value that an option knows', ['unarchive', '--tier', 'b'], ['bulk']],
    ['no remote name for the value of an option', ['find', '--include', 'm'], []],
    ['a remote name after the value of an option', ['find', '--include', 'x', 'm'], ['main/']],
    ['a value that an argument knows', ['completion', 'f'], ['fish']],
    ['a command whose help is asked for', ['help', 'und'], ['undelete']],
    ['a command of a command whose help is asked for', ['help', 's3', 'key', 'ro'], ['rotate']],
    ['an object', ['cat', 'main/files/open/p'], ['main/files/open/plain.txt']],
    [
      'a folder, in a command that takes local paths too',
      ['cp', 'svc', ':', 'main/files/open/s'],
      ['main/files/open/sub/'],
    ],
    ['no remote name in place of a local one', ['cp', 'm'], []],
    ['nothing that is refused', ['ls', 'main/files/secret/'], []],
    ['nothing of a name that cannot be typed', ['ls', 'main/files/open/esc'], []],
  ])('completes %s', async (_what, words, expected) => {
    expect(await inBash(...words)).toEqual(expected);
  });

  it('quotes what it puts into the command line, so that nothing of a name is run', async () => {
    const [word = ''] = await inBash('cat', 'main/files/open/x');
    const { stdout } = await run('bash', ['-c', `printf %s ${word}`], { cwd: machine.home });
    expect(stdout).toBe(`main/files/${HOSTILE}`);
    expect(existsSync(join(machine.home, 'owned'))).toBe(false);
  });

  it('completes nothing, without a word, while nobody is signed in', async () => {
    const { SVC_CREDENTIAL: _left, ...env } = machine.env;
    const { stdout, stderr } = await run('svc', ['complete-words', 'bash', '--', 'ls', 'm'], {
      cwd: machine.home,
      env,
    });
    expect([stdout, stderr]).toEqual(['', '']);
  });
});

describe('plainWords', () => {
  it('joins what bash has split at colons, and takes off backslashes', () => {
    expect(plainWords(['cp', 'a\\ b', 'svc', ':', 'main/x\\ y'])).toEqual(['cp', 'a b', 'svc:main/x y']);
    expect(plainWords(['cp', 'svc', ':', ''])).toEqual(['cp', 'svc:']);
  });
});
