import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ListBucketsCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { startApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { startS3Face, type S3Face, type S3Key } from '../../support/s3-face.ts';
import { Machine } from '../../cli/svc-process.ts';

let face: S3Face;
let eve: Machine;

beforeAll(async () => {
  face = await startS3Face();
  eve = await Machine.make();
  await eve.login(face.app.origin, 'eve');
});
afterAll(async () => {
  await eve.remove();
  await face.app.close();
});
afterEach(async () => {
  for (const { accessKeyId } of await keys()) await eve.svc('s3', 'key', 'revoke', accessKeyId);
  for (const name of ['.aws', 'config/rclone']) await rm(join(eve.home, name), { recursive: true, force: true });
});

type Listed = { readonly accessKeyId: string; readonly description: string; readonly scope: unknown };
const keys = async () => JSON.parse((await eve.svc('s3', 'key', 'list', '--json')).stdout) as Listed[];
const KEY = /^AWS_ACCESS_KEY_ID=(SVC[A-Z2-7]{17})\nAWS_SECRET_ACCESS_KEY=([\w-]{40})\n$/;

function keyIn(stdout: string): S3Key {
  const [, accessKeyId, secretAccessKey] = KEY.exec(stdout)!;
  return { accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey! };
}

async function bucketsWith(key: S3Key): Promise<(string | undefined)[] | string> {
  const answer = await face
    .client(key)
    .send(new ListBucketsCommand())
    .catch((error: unknown) => error as Error);
  return answer instanceof Error ? answer.name : (answer.Buckets ?? []).map(({ Name }) => Name);
}

const inHome = (...names: string[]) => join(eve.home, ...names);
const text = (...names: string[]) => readFile(inHome(...names), 'utf8');
const modeOf = (...names: string[]) => statSync(inHome(...names)).mode & 0o777;

describe('svc s3 key', () => {
  it('makes a key that works, and is rotated, listed and revoked', async () => {
    const made = await eve.svc(
      's3',
      'key',
      'create',
      '--provider',
      'main',
      '--description',
      'laptop',
      '--expires',
      '30d',
    );
    expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(KEY) });
    expect(made.stderr).toMatch(/which expires \d{4}-/);
    const key = keyIn(made.stdout);
    expect(await bucketsWith(key)).toEqual(['files', 'photos']);
    const rotated = keyIn((await eve.svc('s3', 'key', 'rotate', key.accessKeyId)).stdout);
    expect(await bucketsWith(key)).toBe('SignatureDoesNotMatch');
    expect(await bucketsWith(rotated)).toEqual(['files', 'photos']);
    const listed = await eve.svc('s3', 'key', 'list');
    expect(listed.stdout).toContain(`${key.accessKeyId}  main  laptop`);
    expect(listed.stdout).not.toContain(rotated.secretAccessKey);
    expect(await eve.svc('s3', 'key', 'revoke', key.accessKeyId)).toMatchObject({ status: 0 });
    expect(await bucketsWith(rotated)).toBe('InvalidAccessKeyId');
  });

  it('makes a key that only reads one folder', async () => {
    const { stdout } = await eve.svc('s3', 'key', 'create', '--description', 'x', '--read', '--prefix', 'photos/2025');
    const key = keyIn(stdout);
    expect((await keys())[0]?.scope).toEqual({
      rules: [
        { actions: ['buckets:list'], resources: [{ type: 'bucket', provider: 'main', bucket: 'photos' }] },
        {
          actions: ['objects:read'],
          resources: [{ type: 'prefix', provider: 'main', bucket: 'photos', prefix: '2025/' }],
        },
      ],
    });
    expect(await bucketsWith(key)).toEqual(['photos']);
  });

  it('says plainly that the service has no S3 endpoint', async () => {
    const app = await startApp({ config: ({ s3: _none, ...others }) => others });
    try {
      const { access_token: token } = await signInDesktop(app, 'eve');
      const ended = await eve.svc('s3', 'key', 'list', '--server', app.origin, '--credential', token);
      expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('has no S3 endpoint') });
    } finally {
      await app.close();
    }
  });
});

describe('svc s3 configure', () => {
  const THEIRS = '[default]\r\naws_access_key_id = AKIA\xe9\r\n\r\n# of work\n[work]\naws_access_key_id = AKIB';

  it('aws: writes a profile that the SDK uses, and leaves the others as they are', async () => {
    await mkdir(inHome('.aws'));
    await writeFile(inHome('.aws', 'credentials'), THEIRS, { encoding: 'latin1', mode: 0o644 });
    await writeFile(inHome('.aws', 'config'), '[profile work]\nregion = x\n');
    const first = await eve.svc('s3', 'configure', 'aws');
    expect(first).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('run `aws --profile svc s3 ls`'),
    });
    const credentials = await readFile(inHome('.aws', 'credentials'), 'latin1');
    expect(credentials.startsWith(`${THEIRS}\n\n[svc]\n`)).toBe(true);
    expect(await text('.aws', 'config')).toBe(
      `[profile work]\nregion = x\n\n[profile svc]\nregion = svc\nendpoint_url = ${face.endpoint}\ns3 =\n  addressing_style = path\n  signature_version = s3v4\n`,
    );
    expect([modeOf('.aws', 'credentials'), modeOf('.aws', 'config')]).toEqual([0o600, 0o600]);
    expect(await bucketsWith(await fromProfile('svc'))).toEqual(['files', 'photos']);
    // A second run replaces the profile alone.
    expect(await eve.svc('s3', 'configure', 'aws', '--read')).toMatchObject({ status: 0 });
    const again = await readFile(inHome('.aws', 'credentials'), 'latin1');
    expect(again.startsWith(`${THEIRS}\n\n[svc]\n`)).toBe(true);
    expect(again.split('[svc]')).toHaveLength(2);
    expect(again).not.toBe(credentials);
  });

  it('aws: makes no key where another profile has the name', async () => {
    await mkdir(inHome('.aws'));
    await writeFile(inHome('.aws', 'credentials'), THEIRS, 'latin1');
    expect(await eve.svc('s3', 'configure', 'aws', '--profile', 'work')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('that svc did not write'),
    });
    expect(await readFile(inHome('.aws', 'credentials'), 'latin1')).toBe(THEIRS);
    expect(await keys()).toEqual([]);
  });

  it('takes a key whose secret comes on standard input', async () => {
    const key = keyIn((await eve.svc('s3', 'key', 'create', '--description', 'x')).stdout);
    const args = ['s3', 'configure', 'rclone', '--profile', 'remote', '--key', key.accessKeyId];
    expect(await eve.start(args).ended).toMatchObject({ status: 2 });
    expect(await eve.start(args, {}, `${key.secretAccessKey}\n`).ended).toMatchObject({ status: 0 });
    expect(await text('config', 'rclone', 'rclone.conf')).toBe(
      `[remote]\ntype = s3\nprovider = Other\naccess_key_id = ${key.accessKeyId}\nsecret_access_key = ${key.secretAccessKey}\nendpoint = ${face.endpoint}\nregion = svc\nforce_path_style = true\nno_check_bucket = true\n`,
    );
    expect(modeOf('config', 'rclone', 'rclone.conf')).toBe(0o600);
    expect(await keys()).toHaveLength(1);
  });

  it('rclone: writes nothing into an encrypted configuration', async () => {
    await mkdir(inHome('config', 'rclone'), { recursive: true });
    await writeFile(inHome('config', 'rclone', 'rclone.conf'), '# Encrypted\n\nRCLONE_ENCRYPT_V0:\nabc\n');
    expect(await eve.svc('s3', 'configure', 'rclone')).toMatchObject({ status: 1 });
    expect(await keys()).toEqual([]);
  });

  it('restic: prints the environment alone', async () => {
    const { stdout, stderr } = await eve.svc('s3', 'configure', 'restic', '--prefix', 'files/back ups');
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^export AWS_ACCESS_KEY_ID=SVC/),
      expect.stringMatching(/^export AWS_SECRET_ACCESS_KEY=/),
      'export AWS_DEFAULT_REGION=svc',
      `export RESTIC_REPOSITORY='s3:${face.endpoint}/files/back ups/'`,
      '',
    ]);
    expect(stderr).toContain('restic -o s3.bucket-lookup=path init');
  });

  it('cyberduck: writes a profile without the secret, which is printed', async () => {
    const { stdout } = await eve.svc('s3', 'configure', 'cyberduck');
    const { accessKeyId, secretAccessKey } = keyIn(stdout);
    const profile = await text('svc.cyberduckprofile');
    expect(profile).toContain(accessKeyId);
    expect(profile).not.toContain(secretAccessKey);
  });
});

describe('svc s3 credential-process', () => {
  const asked = (...more: string[]) => eve.svc('s3', 'credential-process', '--provider', 'main', ...more);

  it('makes one key of an hour for many calls at once, and another for another scope', async () => {
    const before = Date.now();
    const answers = await Promise.all(Array.from({ length: 6 }, () => asked()));
    const [first] = answers.map(({ stdout }) => stdout);
    expect(new Set(answers.map(({ stdout }) => stdout))).toEqual(new Set([first]));
    const { Expiration, AccessKeyId, SecretAccessKey, ...others } = JSON.parse(first!) as Record<string, string>;
    expect(others).toEqual({ Version: 1 });
    expect(Math.abs(Date.parse(Expiration!) - before - 3_600_000)).toBeLessThan(120_000);
    expect(await bucketsWith({ accessKeyId: AccessKeyId!, secretAccessKey: SecretAccessKey! })).toHaveLength(2);
    expect(await keys()).toHaveLength(1);
    expect((await asked('--read')).stdout).not.toBe(first);
    expect(modeOf('config', 'svc', 'credentials.json')).toBe(0o600);
  });

  it('replaces a key that ends in five minutes', async () => {
    const { stdout } = await asked();
    const { Expiration } = JSON.parse(stdout) as { Expiration: string };
    const file = inHome('config', 'svc', 'credentials.json');
    const soon = new Date(Date.now() + 4 * 60_000).toISOString();
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(Expiration, soon));
    expect((await asked()).stdout).not.toContain(soon);
  });

  it('is what `configure aws --process` writes, without a secret', async () => {
    expect(await eve.svc('s3', 'configure', 'aws', '--process', '--prefix', 'photos/')).toMatchObject({ status: 0 });
    expect(existsSync(inHome('.aws', 'credentials'))).toBe(false);
    const [, line = ''] = /^credential_process = (.*)$/m.exec(await text('.aws', 'config')) ?? [];
    const { stdout: answer } = await promisify(execFile)('sh', ['-c', line], { env: eve.env });
    const { AccessKeyId, SecretAccessKey } = JSON.parse(answer) as Record<string, string>;
    const client = face.client({ accessKeyId: AccessKeyId!, secretAccessKey: SecretAccessKey! });
    expect((await client.send(new ListObjectsV2Command({ Bucket: 'photos' }))).$metadata.httpStatusCode).toBe(200);
    await expect(client.send(new PutObjectCommand({ Bucket: 'files', Key: 'x', Body: 'x' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    // A profile with a process becomes one with a key, and the other way round.
    await eve.svc('s3', 'configure', 'aws');
    expect(await text('.aws', 'config')).not.toContain('credential_process');
    await eve.svc('s3', 'configure', 'aws', '--process');
    expect(await text('.aws', 'credentials')).toBe('');
  });

  it('leaves no key behind after `svc logout`', async () => {
    const { AccessKeyId, SecretAccessKey } = JSON.parse((await asked()).stdout) as Record<string, string>;
    await eve.svc('logout', '--no-browser');
    expect(await bucketsWith({ accessKeyId: AccessKeyId!, secretAccessKey: SecretAccessKey! })).toBe(
      'InvalidAccessKeyId',
    );
    expect(await asked()).toMatchObject({ status: 4, stdout: '' });
    await eve.login(face.app.origin, 'eve');
  });
});

/** The key that the AWS SDK finds in a profile. */
async function fromProfile(profile: string): Promise<S3Key> {
  return defaultProvider({
    profile,
    filepath: inHome('.aws', 'credentials'),
    configFilepath: inHome('.aws', 'config'),
    ignoreCache: true,
  })();
}
