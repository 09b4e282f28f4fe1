import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeImage } from '../../../scripts/package/image.ts';
import { SESSION_SECRET } from '../../support/app.ts';
import { answers } from '../../support/cluster.ts';
import { commandsIn } from '../../support/documented-commands.ts';
import { signInAndUse, startSurroundings, type Surroundings } from '../../support/installed.ts';
import { packages } from '../../support/packages.ts';
import { missingForContainers, Podman } from '../../support/podman.ts';

const UID = 10_001;
const MAX_BYTES = 250_000_000;
/** A machine may forbid to raise limits. */
const HERE = [
  '--network',
  'host',
  '--ulimit',
  'nofile=4096:4096',
  '--ulimit',
  'nproc=4096:4096',
  '--log-driver',
  'k8s-file',
];
const run = promisify(execFile);

/** Those of a line that begins with `podman`. */
const words = (line: string): string[] => line.split(' ').slice(1);

if (missingForContainers.length > 0) {
  it.skip(`the container image is not tried: this machine has no ${missingForContainers.join(' and no ')}`, () =>
    undefined);
} else {
  describe('the container image', () => {
    // `npm run package -- --image` is the first.
    const [, loadLine = '', runLine = '', doctor = '', health = '', reload = '', stop = ''] = commandsIn(
      'docs/install.md',
      'The container',
    );
    let directory: string;
    let podman: Podman;
    let surroundings: Surroundings;
    const closers: (() => Promise<void>)[] = [];
    let image: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'svc-image-test-'));
      const { tarball } = await packages();
      podman = await Podman.open();
      closers.push(() => podman.close());
      const file = await makeImage(tarball, directory);
      expect(loadLine).toBe(`podman load --input packages/${basename(file)}`);
      image = /Loaded image:\s*(\S+)/.exec(await podman.do('load', '--input', file))?.[1] ?? '';
      surroundings = await startSurroundings({ clientSecret: '${file:/run/secrets/oidc}' });
      closers.push(() => surroundings.close());
      const auth = { ...(surroundings.config['auth'] as object), session: { type: 'database' } };
      await writeFile(
        join(directory, 'svc.yaml'),
        JSON.stringify({
          ...surroundings.config,
          server: { port: surroundings.port, reload: 'on_signal' },
          auth,
          state: { path: '/var/lib/svc/state.db' },
        }),
      );
      await mkdir(join(directory, 'secrets'));
      for (const [name, secret] of [
        ['session', SESSION_SECRET],
        ['oidc', 'idp-client-secret'],
      ] as const) {
        await writeFile(join(directory, 'secrets', name), secret, { mode: 0o400 });
        await chown(join(directory, 'secrets', name), UID, UID);
      }
    }, 900_000);
    afterAll(async () => {
      for (const close of closers) await close();
      await rm(directory, { recursive: true, force: true });
    });

    /** As the page says it, but for the network, which is that of this machine. */
    const start = () =>
      podman.do(
        ...words(runLine)
          .map((word) => word.replace(/^\.\//, `${directory}/`))
          .flatMap((word) =>
            word === '--publish'
              ? ['--env']
              : word.startsWith('127.0.0.1:')
                ? [`SVC_HEALTH_PORT=${surroundings.port}`, ...HERE]
                : [word],
          ),
      );
    const inspect = (what: string) => podman.do('inspect', '--format', `{{${what}}}`, 'svc');

    it('is small, holds no shell, no secret of this machine, and nothing that others may write or that gives rights', async () => {
      expect(Number(await podman.do('image', 'inspect', '--format', '{{.Size}}', image))).toBeLessThan(MAX_BYTES);
      const root = await podman.do('image', 'mount', image);
      const find = async (...args: string[]) =>
        (await run('find', [root, ...args, '-printf', '%P\n'])).stdout.split('\n').filter((line) => line !== '');
      expect(await find('-type', 'f', '-perm', '/6000')).toEqual([]);
      expect(
        (await find('-not', '-type', 'l', '-perm', '-o=w', '-not', '-perm', '-1000')).filter(
          (path) => !path.startsWith('dev/'),
        ),
      ).toEqual([]);
      expect(
        await find(
          '(',
          '-path',
          '*/bin/*sh',
          '-o',
          '-name',
          'resolv.conf',
          '-o',
          '-name',
          'hostname',
          '-o',
          '-name',
          '*.env',
          '-o',
          '-name',
          '.npmrc',
          '-o',
          '-name',
          'state.db*',
          ')',
        ),
      ).toEqual([]);
      expect(await find('-uid', String(UID))).toEqual(['var/lib/svc']);
      await podman.do('image', 'unmount', image);
    });

    it('serves people who sign in, as nobody special on a root that it cannot write, and ends by SIGTERM without leaving a child', async () => {
      await start();
      await answers(surroundings.origin);
      const visitor = await signInAndUse(surroundings.origin);
      const pid = await inspect('.State.Pid');
      expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(
        new RegExp(`^Uid:\\t${UID}\\t[^]*^CapEff:\\t0+$[^]*^NoNewPrivs:\\t1$`, 'm'),
      );
      await podman.do(...words(health));
      expect(await podman.do(...words(doctor))).toMatch(/^ok +state/m);
      await podman.do(...words(reload));
      const attempt =
        "for (const path of ['/x', '/usr/lib/svc/x', '/etc/svc/svc.config.yaml']) try { fs.writeFileSync(path, ''); console.log(path) } catch ({ code }) { console.log(code) }; console.log((fs.statSync('/var/lib/svc/state.db').mode & 0o777).toString(8))";
      expect(await podman.do('exec', 'svc', '/usr/lib/svc/node', '-e', attempt)).toBe('EROFS\nEROFS\nEROFS\n600');
      const children = (await run('ps', ['--ppid', pid, '-o', 'stat='])).stdout
        .split('\n')
        .filter((line) => line !== '');
      expect(children.filter((stat) => stat.startsWith('Z'))).toEqual([]);
      const stopping = performance.now();
      await podman.do(...words(stop));
      expect([await inspect('.State.ExitCode'), performance.now() - stopping < 12_000]).toEqual(['0', true]);
      expect(await podman.do('logs', 'svc')).toContain('applied the configuration');
      await podman.do('rm', 'svc');
      await start();
      await answers(surroundings.origin);
      expect(
        (await visitor.request(`${surroundings.origin}/api/providers`, { headers: { accept: 'application/json' } }))
          .status,
      ).toBe(200);
    });
  });
}
