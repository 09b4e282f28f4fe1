import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { Machine } from '../../cli/svc-process.ts';

let app: TestApp;
let eve: Machine;

beforeAll(async () => {
  app = await startApp();
  eve = await Machine.make();
  Object.assign(eve.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: (await signInDesktop(app, 'eve')).access_token });
});
afterAll(async () => {
  await eve.remove();
  await app.close();
});

type Key = {
  readonly id: string;
  readonly description: string;
  readonly scope: unknown;
  readonly expiresAt: string | null;
};

const keys = async () => JSON.parse((await eve.svc('key', 'list', '--json')).stdout) as Key[];
const as = (credential: string, ...args: string[]) => eve.start(args, { SVC_CREDENTIAL: credential }).ended;

/** Makes a key. The credential is all that standard output has. */
async function created(
  description: string,
  ...options: string[]
): Promise<{ readonly id: string; readonly credential: string }> {
  const { status, stdout, stderr } = await eve.svc('key', 'create', description, ...options);
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^svc_ak_[0-9a-f]+_[\w-]{43}\n$/) });
  const [, id = '', expiry] =
    /^this is the credential of key ([0-9a-f]+), which (.*); it is shown only now\n$/.exec(stderr) ?? [];
  expect(expiry).toMatch(
    options.includes('--expires') ? /^expires \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/ : /^never expires$/,
  );
  expect(stdout).toContain(`_${id}_`);
  return { id, credential: stdout.trim() };
}

describe('svc key create', () => {
  it('makes a key of every kind of place, with an expiry', async () => {
    const before = Date.now();
    const { id } = await created(
      'places',
      '--allow',
      'providers:list,buckets:list=all',
      '--allow',
      'buckets:read=main',
      '--allow',
      'objects:list=main/files',
      '--allow',
      'objects:get=main/files/in/',
      '--allow',
      'objects:write=main/files/one.txt',
      '--expires',
      '2h',
    );
    const key = (await keys()).find((one) => one.id === id);
    expect(key).toMatchObject({
      description: 'places',
      scope: {
        rules: [
          { actions: ['providers:list', 'buckets:list'], resources: [{ type: 'all' }] },
          { actions: ['buckets:read'], resources: [{ type: 'provider', provider: 'main' }] },
          { actions: ['objects:list'], resources: [{ type: 'bucket', provider: 'main', bucket: 'files' }] },
          {
            actions: ['objects:get'],
            resources: [{ type: 'prefix', provider: 'main', bucket: 'files', prefix: 'in/' }],
          },
          {
            actions: ['objects:write'],
            resources: [{ type: 'object', provider: 'main', bucket: 'files', key: 'one.txt' }],
          },
        ],
      },
    });
    const seconds = (Date.parse(key?.expiresAt ?? '') - before) / 1000;
    expect(seconds).toBeGreaterThan(7190);
    expect(seconds).toBeLessThan(7230);
  });

  it('takes the whole scope from a file', async () => {
    const scope = { rules: [{ actions: ['objects:get'], resources: [{ type: 'all' }] }] };
    await writeFile(join(eve.home, 'scope.json'), JSON.stringify(scope));
    const { id } = await created('from a file', '--scope', 'scope.json');
    expect((await keys()).find((one) => one.id === id)?.scope).toEqual(scope);
  });

  it('warns of a provider that its creator does not see, and makes the key', async () => {
    const warning = 'warning: there is no provider `mian` that you may see; did you mean `main`?\n';
    const { status, stdout, stderr } = await eve.svc(
      'key',
      'create',
      'misspelt',
      '--allow',
      'objects:get=mian/files',
      '--allow',
      'objects:get=main/files',
      '--allow',
      'objects:list=all',
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^this is the credential.*\n/) });
    expect(stderr.endsWith(warning)).toBe(true);
    const [, id = ''] = /^svc_ak_([0-9a-f]+)_/.exec(stdout) ?? [];
    expect(await eve.svc('key', 'replace-scope', id, '--allow', 'objects:get=mian')).toMatchObject({
      status: 0,
      stderr: warning,
    });
  });

  it.each([
    ['no scope', [], 'either `--allow ACTIONS=PLACE` (may be repeated) or `--scope FILE`'],
    ['both kinds of scope', ['--allow', 'objects:get=all', '--scope', 'x.json'], 'either `--allow'],
    ['an unknown action', ['--allow', 'objects:red=main'], 'did you mean `objects:read`'],
    ['no place', ['--allow', 'objects:read'], 'is not `ACTIONS=PLACE`'],
    ['a bad expiry', ['--allow', 'objects:read=main', '--expires', 'soon'], 'neither a duration'],
  ])('answers 2 to %s', async (_what, options, message) => {
    expect(await eve.svc('key', 'create', 'never', ...options)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
    expect((await keys()).map(({ description }) => description)).not.toContain('never');
  });
});

describe('svc key', () => {
  it('lists for people what the key may do, and no credential', async () => {
    const { id, credential } = await created('nightly backup', '--allow', 'objects:read=main/photos');
    const { status, stdout } = await eve.svc('key', 'list');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `(^|\\n)${id} {2}nightly backup\\n {2}created \\S+ \\S+Z by Eve Editor, expires never, last used never\\n {2}allow objects:(read|list, objects:get) on main/photos/…\\n`,
      ),
    );
    expect(stdout).not.toContain(credential);
  });

  it('rotates: the new credential works, the old one has ended', async () => {
    const { id, credential } = await created('rotates', '--allow', 'providers:list=all');
    expect(await as(credential, 'providers')).toMatchObject({ status: 0, stdout: 'main\n' });
    const { status, stdout, stderr } = await eve.svc('key', 'rotate', id);
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('the old one has stopped working'),
    });
    expect(await as(stdout.trim(), 'providers')).toMatchObject({ status: 0 });
    expect(await as(credential, 'providers')).toMatchObject({ status: 4 });
  });

  it('replaces the scope and keeps the credential', async () => {
    const { id, credential } = await created('narrowed', '--allow', 'objects:read=main/files');
    expect(await as(credential, 'ls', 'main/files')).toMatchObject({ status: 0 });
    expect(await eve.svc('key', 'replace-scope', id, '--allow', 'objects:presign=main/files')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('allow objects:presign on main/files/…'),
    });
    expect(await as(credential, 'cp', 'svc:main/files/x', '-')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining(
        '`objects:get` on `main/files/x` is not allowed: the scope of this key does not include `objects:get` here',
      ),
    });
  });

  it('revokes at once', async () => {
    const { id, credential } = await created('revoked', '--allow', 'providers:list=all');
    expect(await eve.svc('key', 'revoke', id)).toEqual({ status: 0, stdout: `revoked ${id}\n`, stderr: '' });
    expect(await as(credential, 'providers')).toMatchObject({ status: 4 });
    expect((await keys()).map((one) => one.id)).not.toContain(id);
    expect(await eve.svc('key', 'revoke', id)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not found'),
    });
  });

  it('is nothing that a key can manage: 3, and a hint to sign in', async () => {
    const { credential } = await created('a key', '--allow', 'objects:read=all');
    for (const args of [['list'], ['create', 'x', '--allow', 'objects:read=all'], ['rotate', 'x'], ['revoke', 'x']]) {
      expect(await as(credential, 'key', ...args)).toMatchObject({
        status: 3,
        stdout: '',
        stderr: 'this needs an interactive session: a key cannot do this; run `svc login`\n',
      });
    }
  });
});
