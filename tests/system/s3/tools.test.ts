import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONFIG } from '../../support/app.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { blocksIn } from '../../support/documented-commands.ts';
import { freePort } from '../../support/free-port.ts';
import { missingPrograms, Programs } from '../../support/programs.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { startS3Face, type S3Face, type S3Key } from '../../support/s3-face.ts';
import { checkSdk } from './sdk-checks.ts';

const run = promisify(execFile);
const PAGE = 'docs/s3.md';
const MINUTES = 4 * 60_000;

/** The sections of the page, with their programs. The AWS CLI of Debian is older than the first one of a machine may be. */
const TOOLS = [
  ['AWS CLI', 'aws'],
  ['AWS CLI', '/usr/bin/aws'],
  ['rclone', 'rclone'],
  ['restic', 'restic'],
  ['s3cmd', 's3cmd'],
  ['duplicity', 'duplicity'],
  ['s3fs', 's3fs'],
  ['curl', 'curl'],
] as const;
const hasBoto3 = spawnSync('python3', ['-c', 'import boto3']).status === 0;

/** The AWS CLI with the option that the page gives to a version before 2.13. */
function awsOf(program: string): string {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /aws-cli\/(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) === 2 && Number(minor) < 13 ? `${program} --endpoint-url $ENDPOINT` : program;
}

/** Each writes the configuration of the page, for a port without TLS. @returns the arguments of the program. */
const PROXIES = {
  nginx: async (home: string, endpoint: string, service: string) => {
    const server = blocksIn(PAGE, 'nginx')[0]!
      .replace('listen 443 ssl', `listen ${new URL(endpoint).host}`)
      .replaceAll(/^ *ssl_.*$/gm, '')
      .replace('http://127.0.0.1:8081', service);
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${home}/${kind};`,
    );
    const http = `access_log off; ${folders.join(' ')} ${server}`;
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    await writeFile(
      join(home, 'nginx.conf'),
      `${user} daemon off; pid ${home}/pid; error_log ${home}/log; events {} http { ${http} }`,
    );
    return ['-e', `${home}/log`, '-p', home, '-c', `${home}/nginx.conf`];
  },
  caddy: async (home: string, endpoint: string, service: string) => {
    const site = blocksIn(PAGE, 'caddy')[0]!
      .replace('s3.example.com, *.s3.example.com', endpoint)
      .replace(/^ *tls .*$/m, '')
      .replace('127.0.0.1:8081', new URL(service).host);
    await writeFile(join(home, 'Caddyfile'), `{\n  admin off\n}\n${site}\n`);
    return ['run', '--adapter', 'caddyfile', '--config', join(home, 'Caddyfile')];
  },
};

/** Dan may use a bucket without one folder, and Pia one folder. */
const PEOPLE = [
  { account: 'dan', place: 'files', closed: 'files/secret' },
  { account: 'pia', place: 'photos/2025', closed: 'photos/2024' },
] as const;
const FOLDER_POLICY = {
  version: 1,
  name: 'photos',
  rules: [
    { effect: 'allow', actions: ['providers:read'], resources: [{ type: 'provider', provider: 'main' }] },
    { effect: 'allow', actions: ['buckets:read'], resources: [{ type: 'bucket', provider: 'main', bucket: 'photos' }] },
    {
      effect: 'allow',
      actions: ['objects:read', 'objects:write', 'objects:delete', 'objects:presign'],
      resources: [{ type: 'prefix', provider: 'main', bucket: 'photos', prefix: '2025/' }],
    },
  ],
};

describeRadosGateway('tools of today, on the gateway of Ceph', () => {
  let ceph: RadosGateway;
  let face: S3Face;
  let directory: string;

  beforeAll(async () => {
    ceph = await startRadosGateway();
    face = await startS3Face({
      config: (given) => ({
        ...given,
        policies: [FOLDER_POLICY, ...CONFIG.policies.filter(({ name }) => name !== 'photos')],
        providers: [ceph.provider],
      }),
    });
    const ada = face.client(await face.key('ada'));
    for (const Bucket of ['files', 'photos']) await ada.send(new CreateBucketCommand({ Bucket }));
    for (const { closed } of PEOPLE) {
      const [Bucket, folder] = closed.split('/');
      await ada.send(new PutObjectCommand({ Bucket, Key: `${folder}/closed.txt`, Body: 'closed' }));
    }
    ada.destroy();
    directory = await mkdtemp(join(tmpdir(), 'svc-tools-'));
    await mkdir(join(directory, 'album/deep er'), { recursive: true });
    await writeFile(join(directory, 'report.bin'), randomBytes(20_000_000));
    await writeFile(join(directory, 'album/one.txt'), 'one');
    await writeFile(join(directory, 'album/empty'), '');
    await writeFile(join(directory, 'album/deep er/zwei ü+%2F&.txt'), 'zwei');
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
    await face.app.close();
    await ceph.close();
  });

  describe.each(PEOPLE)('$account in $place', ({ account, place, closed }) => {
    let key: S3Key;
    beforeAll(async () => void (key = await face.key(account)));

    /** Runs a program as the person, in the folder with the files of the page; its output. */
    const asPerson = async (program: string, args: readonly string[], more: Record<string, string> = {}) => {
      const home = await mkdtemp(join(directory, 'home-'));
      await run('cp', ['-r', join(directory, 'report.bin'), join(directory, 'album'), home]);
      const env = {
        PATH: process.env['PATH'],
        HOME: home,
        LANG: 'C.UTF-8',
        ENDPOINT: face.endpoint,
        PLACE: place,
        CLOSED: closed,
        AWS_ACCESS_KEY_ID: key.accessKeyId,
        AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
        AWS_DEFAULT_REGION: 'svc',
        ...more,
      };
      const limits = { timeout: MINUTES, maxBuffer: 2 ** 26 };
      try {
        const { stdout, stderr } = await run(program, [...args], { cwd: home, env, ...limits });
        return stdout + stderr;
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        throw new Error(`${(error as Error).message}\n${stdout}\n${stderr}`, { cause: error });
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    };
    const inShell = (text: string) =>
      asPerson('bash', ['-exo', 'pipefail', '-c', `trap 'umount --quiet mounted || true' EXIT\n${text}`]);

    for (const [heading, program] of TOOLS) {
      const isThere = missingPrograms(program).length === 0 && (program !== 's3fs' || existsSync('/dev/fuse'));
      (isThere ? it : it.skip)(
        `${heading}${isThere ? '' : ` (missing here: ${program})`}: the commands of the page succeed (${program})`,
        async () => {
          const [block = ''] = blocksIn(PAGE, 'sh', heading);
          expect(block).not.toBe('');
          await inShell(heading === 'AWS CLI' ? block.replaceAll(/^aws /gm, `${awsOf(program)} `) : block);
        },
        MINUTES,
      );
    }

    (hasBoto3 ? it : it.skip)(
      `boto3${hasBoto3 ? '' : ' (missing here)'}: the program of the page succeeds`,
      async () => {
        const link = await asPerson('python3', ['-c', blocksIn(PAGE, 'python', 'boto3')[0]!]);
        const answer = await fetch(link.trim());
        expect([answer.status, answer.headers.get('content-type'), (await answer.arrayBuffer()).byteLength]).toEqual([
          200,
          'application/x-report',
          20_000_000,
        ]);
      },
      MINUTES,
    );

    (hasBoto3 ? it : it.skip)(
      'boto3: streams, conditions and links behave as on S3, and nothing beyond the place is shown or changed',
      () => asPerson('python3', [join(import.meta.dirname, 'boto3-checks.py')]),
      MINUTES,
    );

    it(
      'the SDK for JavaScript: streams, uploads in parts and links behave as on S3, and nothing beyond the place is shown or changed',
      async () => {
        const client = face.client(key);
        try {
          await checkSdk(client, { place, closed, file: join(directory, 'report.bin') });
        } finally {
          client.destroy();
        }
      },
      MINUTES,
    );

    for (const [program, argumentsOf] of Object.entries(PROXIES)) {
      const missing = [...missingPrograms(program), ...(hasBoto3 ? [] : ['boto3'])];
      (missing.length === 0 ? it : it.skip)(
        `boto3: the same behind ${program}, configured as the page says${missing.length > 0 ? ` (missing here: ${missing.join(', ')})` : ''}`,
        async () => {
          const proxy = await Programs.open(program);
          try {
            const endpoint = `http://127.0.0.1:${await freePort()}`;
            const args = await argumentsOf(proxy.directory, endpoint, face.endpoint);
            proxy.start(program, program, args, { HOME: proxy.directory });
            await proxy.until(program, async () => (await fetch(endpoint)).status === 403);
            await asPerson('python3', [join(import.meta.dirname, 'boto3-checks.py')], { ENDPOINT: endpoint });
          } finally {
            await proxy.stop();
          }
        },
        MINUTES,
      );
    }
  });
});
