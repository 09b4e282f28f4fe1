import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { answers } from '../../support/cluster.ts';
import { commandsIn } from '../../support/documented-commands.ts';
import { freePort } from '../../support/free-port.ts';
import { signInAndUse, startSurroundings, type Surroundings } from '../../support/installed.ts';
import { missingPrograms } from '../../support/programs.ts';
import { RpcConnection } from '../../support/rpc-client.ts';

const CHECKOUT = join(import.meta.dirname, '../../..');
const PAGES = ['docs/install.md', 'docs/upgrade.md'];

/** Commands that another file runs, and the words of that file which show it. */
const ELSEWHERE: readonly (readonly [command: string, file: string, words: string])[] = [
  ['npm install', '.ci/run', 'npm install'],
  ['npm run -s build:web', 'package.json', '"build": "npm run -s build:web '],
  ['npm run package -- --npm', 'tests/system/scripts/package.test.ts', 'makeNpmPackage('],
  ['npm install --global ./packages/svc-0.1.0.tgz', 'tests/system/scripts/package.test.ts', "'install', '--global'"],
  ['npm run package', 'tests/support/packages.ts', 'scripts/package.ts'],
  ['npm run package -- --image', 'tests/system/scripts/image.test.ts', 'makeImage('],
  ['./make-secrets.sh', 'tests/system/scripts/deployments.test.ts', "at('make-secrets.sh')"],
];

/** Sections whose every other command another file takes from the page and runs. */
const SECTIONS: readonly (readonly [page: string, heading: string, file: string])[] = [
  ['docs/install.md', 'The Debian package', 'tests/system/scripts/systemd.test.ts'],
  ['docs/upgrade.md', 'The Debian package', 'tests/system/scripts/systemd.test.ts'],
  ['docs/install.md', 'The container', 'tests/system/scripts/image.test.ts'],
];

/** What cannot run here, because it needs a registry of images or Kubernetes; `packaging/README.md` says so too. */
const NOT_RUN = [/^cd packaging\/compose$/, /^docker compose /, /^kubectl /, /^helm /];

const read = (file: string) => readFileSync(join(CHECKOUT, file), 'utf8');
/** The code of a file on one line, as Prettier would write it if no line were too long. */
const code = (file: string) =>
  read(file)
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/,? ([)\]])/g, '$1');

const isElsewhere = (command: string): boolean =>
  ELSEWHERE.some(([known]) => known === command) ||
  NOT_RUN.some((pattern) => pattern.test(command)) ||
  SECTIONS.some(([page, heading]) => commandsIn(page, heading).includes(command));
const here = PAGES.flatMap((page) => commandsIn(page)).filter((command) => !isElsewhere(command));

describe('the pages on installing and upgrading', () => {
  let home: string;
  let surroundings: Surroundings;
  let service: ChildProcess | undefined;
  let proxy: ChildProcess | undefined;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'svc-install-'));
    surroundings = await startSurroundings();
    const config = {
      ...surroundings.config,
      auth: { ...(surroundings.config['auth'] as object), session: { type: 'database' } },
    };
    await writeFile(join(home, 'svc.yaml'), JSON.stringify(config));
    // SQLite both: `tests/system/cli/state.test.ts` moves to a real PostgreSQL and back.
    for (const name of ['postgres', 'new'])
      await writeFile(join(home, `${name}.yaml`), JSON.stringify({ ...config, state: { path: `${name}.db` } }));
    await writeFile(join(home, 'session'), 'a session secret of the tests, long enough');
    await writeFile(join(home, 'passphrase'), 'correct horse');
    // The program as it is installed, and what a checkout has.
    await mkdir(join(home, 'path'));
    await symlink(join(CHECKOUT, 'bin/svc.js'), join(home, 'path/svc'));
    await symlink(process.execPath, join(home, 'path/node'));
    for (const name of ['bin', 'node_modules', 'src', 'dist', 'package.json'])
      await symlink(join(CHECKOUT, name), join(home, name));
  });
  afterEach(async () => {
    for (const child of [service, proxy]) await end(child);
  });
  afterAll(async () => {
    await surroundings.close();
    await rm(home, { recursive: true, force: true });
  });

  /** A line of a page in a shell, where `/run/secrets` is a folder of the test. */
  function start(line: string): ChildProcess {
    const env = {
      PATH: `${join(home, 'path')}:/usr/bin:/bin:/usr/sbin`,
      HOME: home,
      SVC_SESSION_SECRET_FILE: join(home, 'session'),
    };
    return spawn('sh', ['-c', `exec env ${line.replace('/run/secrets', home)}`], { cwd: home, env, stdio: 'inherit' });
  }

  it.each(ELSEWHERE)('`%s` is run by %s', (command, file, words) => {
    expect(PAGES.flatMap((page) => commandsIn(page))).toContain(command);
    expect(code(file)).toContain(words);
  });

  it.each(SECTIONS)('%s, "%s": its commands are taken from the page by %s', (page, heading, file) => {
    expect(code(file)).toContain(`commandsIn('${page}', '${heading}')`);
    expect(commandsIn(page, heading).length).toBeGreaterThan(2);
  });

  it.each(here.filter((command) => command.includes(' serve ')))(
    '`%s` starts a service that people sign in to, and SIGTERM ends it',
    async (command) => {
      service = start(command);
      await answers(surroundings.origin);
      await signInAndUse(surroundings.origin);
      const ended = once(service, 'exit');
      service.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    },
  );

  it.each(here.filter((command) => !command.includes(' serve ')))('`%s` succeeds', async (command) => {
    expect(await once(start(command), 'exit')).toEqual([0, null]);
  });

  const without = missingPrograms('nginx');
  (without.length > 0 ? it.skip : it).each([
    ['', 0],
    ['/storage', 1],
  ])(
    `the server block of docs/operation.md for the path "%s" serves people who sign in${without.length > 0 ? ': nginx is missing' : ''}`,
    async (path, at) => {
      const block = [...read('docs/operation.md').matchAll(/```nginx\n([^]*?)```/g)][at]?.[1] ?? '';
      const upstream = await freePort();
      // TLS is left out here: the browser of this test trusts no certificate of ours.
      const server = block
        .replace('listen 443 ssl;', `listen 127.0.0.1:${surroundings.port};`)
        .replace(/ssl_certificate.*\n/g, '')
        .replace('127.0.0.1:8080', `127.0.0.1:${upstream}`);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((kind) => `${kind}_temp_path ${home}/nginx/${kind};`)
        .join(' ');
      await mkdir(join(home, 'nginx'), { recursive: true });
      const config = JSON.parse(readFileSync(join(home, 'svc.yaml'), 'utf8')) as { readonly server: object };
      await writeFile(
        join(home, 'behind.yaml'),
        JSON.stringify({ ...config, server: { ...config.server, base_path: path } }),
      );
      await writeFile(
        join(home, 'nginx.conf'),
        `daemon off; pid ${home}/nginx/pid; error_log ${home}/nginx/log; events {} http { access_log off; ${temporary} ${server} }`,
      );
      service = start(`svc serve --config behind.yaml --port ${upstream}`);
      await answers(`http://127.0.0.1:${upstream}`);
      proxy = start(`nginx -e ${home}/nginx/log -p ${home}/nginx -c ${home}/nginx.conf`);
      await answers(surroundings.origin + path);
      const visitor = await signInAndUse(surroundings.origin + path);
      const socket = await RpcConnection.open(surroundings.origin + path, {
        origin: surroundings.origin,
        cookie: `svc_session=${visitor.cookie(surroundings.origin, 'svc_session')!}`,
      });
      if (typeof socket === 'number') throw new Error(`no socket: ${socket}`);
      socket.socket.close();
      await socket.closed;
      expect((await fetch(surroundings.origin + path, { redirect: 'manual' })).status).toBeLessThan(400);
    },
  );
});

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
