import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

// Each test runs the tool several times.
jest.setTimeout(60_000);

let app: TestApp;
let machine: Machine;
const sessions = new Map<string, string>();

beforeAll(async () => {
  app = await startApp({ buckets: ['files', 'photos', 'full', 'empty'] });
  machine = await Machine.make();
  for (const account of ['ada', 'dan']) sessions.set(account, (await signInDesktop(app, account)).access_token);
  Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: sessions.get('ada') ?? '' });
  plantKeys(app.s3.server.store, 'full', ['a', 'b']);
  plantKeys(app.s3.server.store, 'files', ['open', 'secret/x']);
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

const dan = (...args: string[]) => machine.start(args, { SVC_CREDENTIAL: sessions.get('dan') ?? '' }).ended;
const errorOf = ({ stderr }: { readonly stderr: string }) =>
  (JSON.parse(stderr) as { error: { code: string } }).error.code;

describe('svc mb and rb', () => {
  it('make and remove a bucket: 0', async () => {
    expect(await machine.svc('mb', 'main/made-here')).toEqual({
      status: 0,
      stdout: 'made main/made-here\n',
      stderr: '',
    });
    expect((await machine.svc('ls', 'main')).stdout).toContain('made-here\n');
    expect(await machine.svc('rb', 'main/made-here')).toEqual({
      status: 0,
      stdout: 'removed main/made-here\n',
      stderr: '',
    });
    expect((await machine.svc('ls', 'main')).stdout).not.toContain('made-here\n');
  });

  it('end with 1 on one that is there, that holds something, or that is not there, and say what to do', async () => {
    expect(await machine.svc('mb', 'main/full')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('choose another name'),
    });
    expect(await machine.svc('rb', 'main/full')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('svc rb --force'),
    });
    expect((await machine.svc('ls', '-r', 'main/full')).stdout).toBe('a\nb\n');
    expect(await machine.svc('rb', 'main/not-there')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not found'),
    });
    expect(errorOf(await machine.svc('rb', '--json', 'main/full'))).toBe('bucket_not_empty');
  });

  it('end with 2 on what is no bucket, before anything is asked', async () => {
    for (const args of [
      ['mb', 'main'],
      ['mb', 'main/Upper'],
      ['rb', 'main/files/key'],
      ['rb'],
      ['rb', '--forced', 'main/full'],
    ])
      expect(await machine.svc(...args)).toMatchObject({ status: 2, stdout: '' });
  });

  it('end with 3 where policy denies, and name the action', async () => {
    expect(await dan('mb', 'main/by-dan')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('`buckets:create` on `main/by-dan`'),
    });
    expect(await dan('rb', 'main/empty')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('`buckets:delete` on `main/empty`'),
    });
  });

  it('with --force leave the bucket when an object in it cannot be deleted', async () => {
    expect(await dan('rb', '--force', 'main/files')).toMatchObject({ status: 3 });
    expect((await machine.svc('ls', '-r', 'main/files')).stdout).toContain('secret/x\n');
  });
});

describe('exit status', () => {
  it('is 0 for help and version, on standard output', async () => {
    for (const args of [['--help'], ['--version'], ['cp', '--help'], ['help', 'key']])
      expect(await machine.svc(...args)).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/\S/) });
  });

  it('goes with help that says what becomes of what is at the target', async () => {
    for (const verb of ['cp', 'mv'])
      expect((await machine.svc(verb, '--help')).stdout).toContain('Existing targets are replaced.');
  });

  it('is 1 for what is not there, here and there', async () => {
    expect(await machine.svc('cp', 'svc:main/files/none', '-')).toMatchObject({ status: 1, stdout: '' });
    expect(await machine.svc('cp', 'none.txt', 'svc:main/files/')).toMatchObject({
      status: 1,
      stderr: 'none.txt: there is no such file or folder\n',
    });
    expect(await machine.svc('ls', 'nowhere/files')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no storage provider `nowhere`'),
    });
  });

  it('is 1 when the service cannot be reached, or is another, and says which address', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    expect(await machine.svc('ls', '--server', nobody)).toMatchObject({
      status: 1,
      stderr: `${nobody} cannot be reached (ECONNREFUSED); is the address right, and does the service run?\n`,
    });
    const other = createServer((_req, res) => void res.end('<html>hello</html>'));
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    expect(
      await machine.svc('ls', '--server', `http://127.0.0.1:${(other.address() as AddressInfo).port}`),
    ).toMatchObject({ status: 1, stderr: expect.stringContaining('not as svc does') });
    other.close();
  });

  it('is 2 for a copy between local paths, with the remote path that was meant', async () => {
    const stderr = (path: string) => `both sides are local; a remote path begins with \`svc:\`, such as \`${path}\`\n`;
    for (const [source, target, meant] of [
      ['main/files/open', 'main/photos/open', 'svc:main/photos/open'],
      ['a.txt', 'main/files', 'svc:main/files'],
      ['a.txt', './b/c.txt', 'svc:PROVIDER/BUCKET/b/c.txt'],
      ['a.txt', 'b.txt', 'svc:PROVIDER/BUCKET/b.txt'],
      ['a.txt', '/tmp/files/b.txt', 'svc:PROVIDER/BUCKET/tmp/files/b.txt'],
      // A download without its prefix.
      ['main/files/open', '.', 'svc:main/files/open'],
    ] as const)
      expect(await machine.svc('cp', source, target)).toEqual({ status: 2, stdout: '', stderr: stderr(meant) });
  });

  it('is 2 for options that are not known, with the nearest one', async () => {
    expect(await machine.svc('cp', '--recursiv', 'a', 'svc:main/files/')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('--recursive'),
    });
    expect(await machine.svc('lss')).toMatchObject({ status: 2, stderr: expect.stringContaining('ls') });
    expect(await machine.svc('presign', '--expires', '8d', 'main/files/a')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('at most 7 days'),
    });
    expect(await machine.svc()).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('Usage: svc') });
    expect(await machine.svc('key')).toMatchObject({ status: 2, stderr: expect.stringContaining('replace-scope') });
  });

  it('goes with one JSON document for scripts, whatever the fault', async () => {
    await writeFile(join(machine.home, 'broken.yaml'), 'roles: 1\n');
    const faults: readonly (readonly [string[], string])[] = [
      [['ls', '--json', '--nope'], "unknown option '--nope'"],
      [['--json', 'cp'], "missing required argument 'path'"],
      [['--json', 'lss'], "unknown command 'lss'"],
      [['--json', 'policy', 'explain', 'objects:get', 'main/files/x'], "required option '-s, --subject <subject>'"],
      [['--json'], 'a command is missing'],
      [['--json', 'key'], 'a command is missing'],
      [['--json', 'ls', 'main/Upper'], '`Upper` cannot be a bucket'],
      [['--json', 'config', 'check', 'broken.yaml'], 'broken.yaml:1: roles: '],
    ];
    for (const [args, message] of faults) {
      const { status, stdout, stderr } = await machine.svc(...args);
      expect({ status, stdout, error: JSON.parse(stderr) as unknown }).toEqual({
        status: 2,
        stdout: '',
        error: {
          error: { code: expect.stringMatching(/^(?:usage|config)$/), message: expect.stringContaining(message) },
        },
      });
    }
    const { stderr } = await machine.svc('--json', 'rm', 'main/files/none');
    expect(JSON.parse(stderr.split('\n').at(-2)!)).toEqual({
      error: { code: 'not_found', message: 'the output names what failed' },
    });
    expect(await machine.svc('--json', '--version')).toMatchObject({ status: 0, stderr: '' });
  });

  it('is 3 when policy was the reason for each failure, and 1 when it was not', async () => {
    expect(await dan('rm', 'main/files/secret/x')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('`objects:delete` on `main/files/secret/x`'),
    });
    plantKeys(app.s3.server.store, 'files', ['open']);
    expect(await dan('cp', '-r', 'svc:main/files', 'all')).toMatchObject({ status: 0, stdout: 'copied 1 file\n' });
    expect(await dan('cp', 'svc:main/files/secret/x', '.')).toMatchObject({ status: 3 });
    expect(await dan('cp', 'svc:main/files/none', '.')).toMatchObject({ status: 1 });
  });

  it('is 4 without a credential, with a wrong one, and after the session has ended', async () => {
    expect(await machine.start(['whoami'], { SVC_CREDENTIAL: '' }).ended).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('svc login'),
    });
    for (const credential of ['nonsense', 'svc_ak_00_x', `${sessions.get('ada') ?? ''}x`])
      expect(await machine.start(['ls'], { SVC_CREDENTIAL: credential }).ended).toMatchObject({
        status: 4,
        stdout: '',
      });
    const { access_token: short } = await signInDesktop(app, 'ada');
    expect((await machine.start(['logout', '--no-browser'], { SVC_CREDENTIAL: short }).ended).status).toBe(0);
    const after = await machine.start(['ls', '--json'], { SVC_CREDENTIAL: short }).ended;
    expect({ status: after.status, code: errorOf(after) }).toEqual({ status: 4, code: 'session_required' });
  });

  it('goes with no stack, whatever it is', async () => {
    for (const args of [
      ['ls', 'nowhere/files'],
      ['cp', 'none', 'svc:main/files/'],
      ['rb', 'main/full'],
      ['nope'],
      ['ls', '--credential', 'x y'],
    ])
      expect((await machine.svc(...args)).stderr).not.toMatch(/\n\s+at |node:internal/);
  });
});
