import type { ChildProcess } from 'node:child_process';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Machine } from './svc-process.ts';

let machine: Machine;
/** Nothing of a test that failed goes on. */
const stopped: ChildProcess[] = [];
beforeAll(async () => {
  machine = await Machine.make();
});
afterAll(async () => {
  for (const child of stopped) child.kill('SIGKILL');
  await machine.remove();
});

it('svc serve ends with status 1 and says why on standard error when its port is in use, with metrics too', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await writeFile(
    join(machine.home, 'svc.config.yaml'),
    JSON.stringify({
      server: { port, metrics: { host: '127.0.0.1', port: 0 } },
      auth: { enabled: false },
      providers: [],
    }),
  );
  const { status, stdout, stderr } = await machine.start(['serve']).ended;
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: expect.not.stringContaining('in use'),
    stderr: expect.stringContaining(`port ${port} on 127.0.0.1 is in use`),
  });
  taken.close();
});

it('svc serve ends with status 2 where `--port` is no port', async () => {
  await writeFile(join(machine.home, 'port.yaml'), JSON.stringify({ auth: { enabled: false }, providers: [] }));
  for (const port of ['65536', '99999', 'x', '-1'])
    expect([port, await machine.svc('serve', '-c', 'port.yaml', '--port', port)]).toEqual([
      port,
      { status: 2, stdout: '', stderr: '`--port` takes a number from 0 to 65535\n' },
    ]);
});

it('svc serve warns with the line of the file, as svc config check does', async () => {
  await writeFile(join(machine.home, 'odd.yaml'), 'server: {port: 0}\nauth: {enabled: false}\nproviders: []\n');
  const { child, ended, stdoutHas } = machine.start(['serve', '-c', 'odd.yaml']);
  stopped.push(child);
  const [, warning] = await stdoutHas(/^(warning: .*no storage provider.*)\n[^]*listens on/);
  expect(warning).toMatch(/^warning: odd\.yaml:3: providers: /);
  expect((await machine.svc('config', 'check', 'odd.yaml')).stderr).toContain(`${warning!}\n`);
  child.kill('SIGTERM');
  expect((await ended).status).toBe(0);
});

it('svc serve takes over what SIGHUP finds in the file, and stays as it is when the file has a fault or needs a restart', async () => {
  const file = join(machine.home, 'svc.config.yaml');
  const provider = (name: string) => ({
    name,
    type: 's3',
    endpoint: 'http://127.0.0.1:1',
    region: 'r',
    credentials: { access_key_id: 'a', secret_access_key: 'b' },
  });
  const write = (providers: unknown, more: object = {}) =>
    writeFile(
      file,
      JSON.stringify({ server: { port: 0, reload: 'on_signal' }, auth: { enabled: false }, providers, ...more }),
    );
  await write([provider('one')]);
  const { child, ended, stdoutHas, stderrHas } = machine.start(['serve']);
  stopped.push(child);
  const [, origin = ''] = await stdoutHas(/listens on (http:\S+)/);
  const names = async () =>
    ((await (await fetch(`${origin}/api/providers`)).json()) as { providers: { name: string }[] }).providers.map(
      ({ name }) => name,
    );
  expect(await names()).toEqual(['one']);
  await write([provider('one'), provider('two')]);
  child.kill('SIGHUP');
  await stdoutHas(/applied the configuration; policy revision [0-9a-f]{12}/);
  expect(await names()).toEqual(['one', 'two']);
  await write([{ ...provider('three'), region: 7 }]);
  child.kill('SIGHUP');
  await stderrHas(/error.*the configuration was not applied.*providers\.0\.region/);
  await write([provider('three')], { ui: { name: 'Other' } });
  child.kill('SIGHUP');
  await stderrHas(/`ui` changed, which needs a restart; no change was applied/);
  expect(await names()).toEqual(['one', 'two']);
  child.kill('SIGTERM');
  const { status, stderr } = await ended;
  const said = ['providers.0.region', 'needs a restart'].map((why) => stderr.split(why).length - 1);
  expect({ status, said }).toEqual({ status: 0, said: [1, 1] });
});

it.each([1, 2])(
  'svc serve outlives the readers of its output, and stops in order, with workers: %s',
  async (workers) => {
    const held: ServerResponse[] = [];
    const storage = createHttpServer((_req, res) => void held.push(res)).listen(0, '127.0.0.1');
    await once(storage, 'listening');
    const provider = (name: string, port: number) => ({
      name,
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { access_key_id: 'a', secret_access_key: 'b' },
    });
    await writeFile(
      join(machine.home, 'unread.yaml'),
      JSON.stringify({
        server: { port: 0, workers, reload: 'on_signal' },
        auth: { enabled: false },
        state: { path: join(machine.home, 'unread.db') },
        providers: [provider('gone', 1), provider('slow', (storage.address() as AddressInfo).port)],
      }),
    );
    const { child, ended, stdoutHas, stderrHas } = machine.start(['serve', '-c', 'unread.yaml']);
    stopped.push(child);
    const [, origin] = await stdoutHas(/listens on (http:\S+)/);
    if (workers > 1) await stderrHas(/the workers answer requests/);
    child.stdout!.destroy();
    child.stderr!.destroy();
    const buckets = (name: string) => fetch(`${origin}/api/providers/${name}/buckets`);
    // Each of these is a line of the log.
    for (let i = 0; i < 8; i += 1) expect((await buckets('gone')).status).toBe(502);
    child.kill('SIGHUP');
    const answer = buckets('slow');
    await once(storage, 'request');
    child.kill('SIGTERM');
    while (await fetch(`${origin}/api/health`).catch(() => undefined)) await setImmediate();
    for (const res of held)
      res.end('<ListAllMyBucketsResult><Buckets><Bucket><Name>late</Name></Bucket></Buckets></ListAllMyBucketsResult>');
    expect(await (await answer).text()).toContain('late');
    expect((await ended).status).toBe(0);
    storage.close();
  },
);

it('svc serve with `log.format: json` writes nothing but JSON, and tells a reload once', async () => {
  const write = (more: object) =>
    writeFile(
      join(machine.home, 'json.yaml'),
      JSON.stringify({
        server: { port: 0, reload: 'on_signal' },
        log: { format: 'json' },
        auth: { enabled: false },
        providers: [],
        ...more,
      }),
    );
  await write({});
  const { child, ended, stdoutHas, stderrHas } = machine.start(['serve', '-c', 'json.yaml']);
  stopped.push(child);
  await stdoutHas(/listens on/);
  child.kill('SIGHUP');
  await stdoutHas(/applied the configuration/);
  await write({ ui: { name: 'Other' } });
  child.kill('SIGHUP');
  await stderrHas(/needs a restart/);
  await write({ log: { format: 'odd' } });
  child.kill('SIGHUP');
  await stderrHas(/log\.format/);
  child.kill('SIGTERM');
  const { status, stdout, stderr } = await ended;
  const lines = `${stdout}${stderr}`
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { time: string; level: string; message: string });
  expect(lines.every(({ time }) => !Number.isNaN(Date.parse(time)))).toBe(true);
  const told = lines.map(({ level, message }) => `${level} ${message}`);
  expect({ status, told }).toEqual({
    status: 0,
    told: [
      expect.stringMatching(/^warn json\.yaml:\d+: providers: no storage provider/),
      expect.stringMatching(/^info svc listens on http/),
      'info authentication is off: everyone who can connect may do everything',
      expect.stringMatching(/^info applied the configuration; policy revision [0-9a-f]{12}$/),
      'info stopping',
      'error the configuration was not applied',
      'error the configuration was not applied',
    ],
  });
});

it('svc serve asks the cases of `policy.tests` at the start and at a reload, and takes over nothing when one fails', async () => {
  const file = join(machine.home, 'tested.yaml');
  const write = async (group: string, expected: string) => {
    const policy = { defaults: true, tests: ['asked.yaml'] };
    const auth = {
      enabled: true,
      local_users: [
        { subject: 'dev', roles: ['viewer'] },
        { subject: group, roles: [] },
      ],
    };
    await writeFile(
      file,
      JSON.stringify({
        server: { port: 0, reload: 'on_signal' },
        auth,
        policy,
        roles: { viewer: { policies: group === 'gone' ? [] : ['default-viewer'] } },
        providers: [{ name: 'main', endpoint: 'http://127.0.0.1:1' }],
      }),
    );
    await writeFile(
      join(machine.home, 'asked.yaml'),
      JSON.stringify([{ subject: 'dev', issuer: '', action: 'providers:list', path: 'main', expect: expected }]),
    );
  };
  await write('one', 'deny');
  expect(await machine.start(['serve', '-c', 'tested.yaml']).ended).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /^tested\.yaml:\d+: policy\.tests\.0: asked\.yaml:1: case 1: `providers:list` on `main` as `dev` is allow, not deny\n$/,
    ),
  });
  await write('one', 'allow');
  const { child, ended, stdoutHas, stderrHas } = machine.start(['serve', '-c', 'tested.yaml']);
  stopped.push(child);
  await stdoutHas(/listens on/);
  child.kill('SIGHUP');
  await stdoutHas(/applied the configuration/);
  await write('gone', 'allow');
  child.kill('SIGHUP');
  await stderrHas(/the configuration was not applied.*as `dev` is deny, not allow/);
  await writeFile(join(machine.home, 'asked.yaml'), 'no list');
  child.kill('SIGHUP');
  await stderrHas(/asked\.yaml: is not a list of cases/);
  child.kill('SIGTERM');
  expect((await ended).status).toBe(0);
});

it('svc serve takes over what SIGHUP finds in the files of teams, and nothing while one of them has a fault', async () => {
  const folder = join(machine.home, 'of-teams');
  await mkdir(folder);
  const write = (name: string, more = '') =>
    writeFile(
      join(folder, 'finance.yaml'),
      `owner: finance\npolicies:\n  - {version: 1, name: ${name}, rules: []}\n${more}`,
    );
  await write('one');
  const auth = { enabled: true, local_users: [{ subject: 'dev', roles: [] }] };
  await writeFile(
    join(machine.home, 'teams.yaml'),
    JSON.stringify({
      server: { port: 0, reload: 'on_signal' },
      auth,
      policies_dir: 'of-teams',
      providers: [{ name: 'main', endpoint: 'http://127.0.0.1:1' }],
    }),
  );
  const { child, ended, stdoutHas, stderrHas } = machine.start(['serve', '-c', 'teams.yaml']);
  stopped.push(child);
  await stdoutHas(/listens on/);
  child.kill('SIGHUP');
  const [, first] = await stdoutHas(/applied the configuration; policy revision ([0-9a-f]{12})\n/);
  await write('two', 'bindings: []\n');
  child.kill('SIGHUP');
  await stderrHas(/the configuration was not applied.*of-teams\/finance\.yaml:4: bindings: this key is not known here/);
  await write('two');
  child.kill('SIGHUP');
  const [, , second] = await stdoutHas(/revision ([0-9a-f]{12})\n[^]*revision ([0-9a-f]{12})\n/);
  expect(second).not.toBe(first);
  child.kill('SIGTERM');
  expect((await ended).status).toBe(0);
});
