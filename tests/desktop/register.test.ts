import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  it('adds the application to the menu where nothing else of the desktop is installed, and says so', async () => {
    const env = { PATH: join(home, 'bin'), HOME: home, XDG_DATA_HOME: join(home, 'data') };
    const command = [join(home, 'a "program" of $mine'), 'desktop'];
    const file = join(home, 'data/applications/svc.desktop');
    expect(await register({ command, icon: '/icon.png' }, env, 'linux')).toBe(
      `svc is in the menu and opens \`svc://\` addresses (${file})`,
    );
    const entry = await readFile(file, 'utf8');
    expect(entry).toMatch(/^Exec=".*a \\\\"program\\\\" of \\\\\$mine" desktop %u$/m);
    expect(entry).toMatch(/^MimeType=x-scheme-handler\/svc;$/m);
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
