import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { Machine } from '../../cli/svc-process.ts';

let app: TestApp;
let machine: Machine;

beforeAll(async () => {
  app = await startApp();
  machine = await Machine.make();
  Object.assign(machine.env, {
    SVC_SERVER: app.origin,
    SVC_CREDENTIAL: (await signInDesktop(app, 'eve')).access_token,
    XDG_STATE_HOME: join(machine.home, 'state'),
  });
  await writeFile(join(machine.home, 'a.txt'), 'a');
  await writeFile(join(machine.home, 'large.bin'), Buffer.alloc(20 * 1024 * 1024, 'svc'));
  await writeFile(join(machine.home, 'b.bin'), Buffer.alloc(2 * 1024 * 1024, 'svc'));
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

describe('svc cp on a terminal', () => {
  it('draws a bar while it copies, and clears it', async () => {
    const { status, screen } = await machine.onTerminal(['cp', 'large.bin', 'svc:main/files/']);
    expect(status).toBe(0);
    expect(screen).toMatch(/█{24} 100% \| 20 MiB of 20 MiB \| [\d.]+ MiB\/s \| 0s left/);
    const [, afterTheBar] = screen.split('\u001b[2K');
    expect(afterTheBar).toBe('copied 1 file (20 MiB)\r\n');
  });

  it('ends at Ctrl-C, tidies the screen, and says how to go on', async () => {
    app.storageCalls.spoil = (call) => (call.includes('partNumber=3') ? 'hold' : undefined);
    app.storageCalls.reset();
    const after = async () => {
      while (!app.storageCalls.calls.some((call) => call.includes('partNumber=3')))
        await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const { status, screen } = await machine.onTerminal(
      ['cp', '-j', '1', 'large.bin', 'svc:main/files/interrupted.bin'],
      { at: 'of 20 MiB', text: '\u0003', after },
    );
    app.storageCalls.spoil = undefined;
    const [, afterTheBar = ''] = screen.split('\u001b[2K');
    expect({ status, afterTheBar }).toEqual({
      status: 130,
      afterTheBar: expect.stringMatching(
        /^(?:\^C)?interrupted; give the same command again, with --resume to leave out what is done\r\n$/,
      ),
    });
    expect(screen.lastIndexOf('\u001b[?7h')).toBeGreaterThan(screen.lastIndexOf('\u001b[?7l'));
    expect(await machine.svc('cp', 'large.bin', 'svc:main/files/interrupted.bin')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('2 of 3 parts have arrived'),
    });
  });

  it('draws none with --quiet or --json', async () => {
    for (const option of ['--quiet', '--json'])
      expect((await machine.onTerminal(['cp', option, 'a.txt', 'svc:main/files/'])).screen).not.toMatch(/[█░]/);
  });
});

describe('svc rm -r on a terminal', () => {
  beforeEach(async () => {
    await machine.svc('cp', 'a.txt', 'b.bin', 'svc:main/files/asked/');
  });
  const keys = async () => (await machine.svc('ls', '-r', 'main/files/asked/')).stdout;

  it('says how much there is, and deletes it after a yes', async () => {
    const { status, screen } = await machine.onTerminal(['rm', '-r', 'main/files/asked'], { at: '[y/N]', text: 'y\n' });
    expect(screen).toContain('main/files/asked/: 2 objects, 2.0 MiB\r\ndelete this? [y/N]');
    expect({ status, keys: await keys() }).toEqual({ status: 0, keys: '' });
  });

  it('deletes nothing after anything else', async () => {
    for (const answer of ['', 'n', 'yellow']) {
      const { status, screen } = await machine.onTerminal(['rm', '-r', 'main/files/asked'], {
        at: '[y/N]',
        text: `${answer}\n`,
      });
      expect({ status, screen }).toMatchObject({ status: 1, screen: expect.stringContaining('nothing was deleted') });
    }
    expect(await keys()).toBe('asked/a.txt\nasked/b.bin\n');
  });

  it('does not ask with --yes, with --dry-run, for one object, or where there is nothing', async () => {
    for (const args of [
      ['-r', '--dry-run', 'main/files/asked'],
      ['main/files/asked/a.txt'],
      ['-r', '--yes', 'main/files/asked'],
    ]) {
      const { status, screen } = await machine.onTerminal(['rm', ...args]);
      expect({ status, screen }).toMatchObject({ status: 0, screen: expect.not.stringContaining('[y/N]') });
    }
    expect(await machine.onTerminal(['rm', '-r', 'main/files/asked'])).toMatchObject({
      status: 1,
      screen: expect.not.stringContaining('[y/N]'),
    });
    expect(await keys()).toBe('');
  });
});

describe('svc rb --force on a terminal', () => {
  // Eve may remove no bucket.
  let eve: string;
  beforeAll(async () => {
    eve = machine.env['SVC_CREDENTIAL']!;
    machine.env['SVC_CREDENTIAL'] = (await signInDesktop(app, 'ada')).access_token;
  });
  afterAll(() => {
    machine.env['SVC_CREDENTIAL'] = eve;
  });

  it('asks before it deletes what is in the bucket, and not with --yes', async () => {
    await machine.svc('mb', 'main/forced');
    await machine.svc('cp', 'a.txt', 'svc:main/forced/');
    const asked = await machine.onTerminal(['rb', '--force', 'main/forced']);
    expect(asked).toMatchObject({
      status: 1,
      screen: expect.stringMatching(/main\/forced: 1 object, .*\r\ndelete this\? \[y\/N\][^]*nothing was deleted/),
    });
    expect((await machine.svc('ls', 'main/forced')).stdout).toBe('a.txt\n');
    expect(await machine.onTerminal(['rb', '--force', '--yes', 'main/forced'])).toMatchObject({
      status: 0,
      screen: expect.not.stringContaining('[y/N]'),
    });
  });
});

describe('svc rm -r in a script', () => {
  it('does not ask, and so never hangs', async () => {
    await machine.svc('cp', 'a.txt', 'svc:main/files/script/');
    expect(await machine.svc('rm', '-r', 'main/files/script')).toEqual({
      status: 0,
      stdout: 'deleted 1 object\n',
      stderr: '',
    });
  });
});
