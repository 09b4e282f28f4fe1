import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeImage } from '../../scripts/package/image.ts';
import { makePackages } from '../../scripts/package/make.ts';
import { SESSION_SECRET } from '../support/app.ts';
import { answers } from '../support/cluster.ts';
import { signInAndUse, startSurroundings, type Surroundings } from '../support/installed.ts';
import { missingForContainers, Podman } from '../support/podman.ts';

const UID = 10_001;
const MAX_BYTES = 250_000_000;
const run = promisify(execFile);

if (missingForContainers.length > 0) {
  it.skip(`the container image is not tried: this machine has no ${missingForContainers.join(' and no ')}`, () => undefined);
} else {
  describe('the container image', () => {
    let directory: string;
    let podman: Podman;
    let surroundings: Surroundings;
    const closers: (() => Promise<void>)[] = [];
    let image: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'svc-image-test-'));
      const [, tarball = ''] = await makePackages(directory);
      podman = await Podman.open();
      closers.push(() => podman.close());
      image = /Loaded image:\s*(\S+)/.exec(await podman.do('load', '--input', await makeImage(tarball, directory)))?.[1] ?? '';
      surroundings = await startSurroundings({ clientSecret: '${file:/run/secrets/oidc}' });
      closers.push(() => surroundings.close());
      const auth = { ...(surroundings.config['auth'] as object), session: { type: 'database' } };
      await mkdir(join(directory, 'etc'));
      await writeFile(join(directory, 'etc/svc.config.yaml'), JSON.stringify({ ...surroundings.config, auth, state: { path: '/var/lib/svc/state.db' } }));
      await mkdir(join(directory, 'secrets'));
      for (const [name, secret] of [['session', SESSION_SECRET], ['oidc', 'idp-client-secret']] as const) {
        await writeFile(join(directory, 'secrets', name), secret, { mode: 0o400 });
        await chown(join(directory, 'secrets', name), UID, UID);
      }
    }, 400_000);
    afterAll(async () => {
      for (const close of closers) await close();
      await rm(directory, { recursive: true, force: true });
    });

    const start = () =>
      podman.start([
        ...['--volume', `${directory}/etc:/etc/svc:ro`, '--volume', `${directory}/secrets:/run/secrets:ro`, '--volume', 'state:/var/lib/svc'],
        ...['--env', 'SVC_SESSION_SECRET_FILE=/run/secrets/session', '--env', `SVC_HEALTH_PORT=${surroundings.port}`],
        image,
      ]);
    const inspect = (id: string, what: string) => podman.do('inspect', '--format', `{{${what}}}`, id);

    it('is small, holds no shell, no secret of this machine, and nothing that others may write or that gives rights', async () => {
      expect(Number(await podman.do('image', 'inspect', '--format', '{{.Size}}', image))).toBeLessThan(MAX_BYTES);
      const root = await podman.do('image', 'mount', image);
      const find = async (...args: string[]) => (await run('find', [root, ...args, '-printf', '%P\n'])).stdout.split('\n').filter((line) => line !== '');
      expect(await find('-type', 'f', '-perm', '/6000')).toEqual([]);
      expect((await find('-not', '-type', 'l', '-perm', '-o=w', '-not', '-perm', '-1000')).filter((path) => !path.startsWith('dev/'))).toEqual([]);
      expect(await find('(', '-path', '*/bin/*sh', '-o', '-name', 'resolv.conf', '-o', '-name', 'hostname', '-o', '-name', '*.env', '-o', '-name', '.npmrc', '-o', '-name', 'state.db*', ')')).toEqual([]);
      expect(await find('-uid', String(UID))).toEqual(['var/lib/svc']);
      await podman.do('image', 'unmount', image);
    });

    it('serves people who sign in, as nobody special on a root that it cannot write, and ends by SIGTERM without leaving a child', async () => {
      const id = await start();
      await answers(surroundings.origin);
      const visitor = await signInAndUse(surroundings.origin);
      const pid = await inspect(id, '.State.Pid');
      expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\t${UID}\\t[^]*^CapEff:\\t0+$[^]*^NoNewPrivs:\\t1$`, 'm'));
      await podman.do('healthcheck', 'run', id);
      const attempt = "for (const path of ['/x', '/usr/lib/svc/x', '/etc/svc/x']) try { fs.writeFileSync(path, ''); console.log(path) } catch ({ code }) { console.log(code) }; console.log((fs.statSync('/var/lib/svc/state.db').mode & 0o777).toString(8))";
      expect(await podman.do('exec', id, '/usr/lib/svc/node', '-e', attempt)).toBe('EROFS\nEROFS\nEROFS\n600');
      const children = (await run('ps', ['--ppid', pid, '-o', 'stat='])).stdout.split('\n').filter((line) => line !== '');
      expect(children.filter((stat) => stat.startsWith('Z'))).toEqual([]);
      const stopping = performance.now();
      await podman.do('stop', '--time', '30', id);
      expect([await inspect(id, '.State.ExitCode'), performance.now() - stopping < 12_000]).toEqual(['0', true]);
      await start();
      await answers(surroundings.origin);
      expect((await visitor.request(`${surroundings.origin}/api/providers`, { headers: { accept: 'application/json' } })).status).toBe(200);
    });
  });
}
