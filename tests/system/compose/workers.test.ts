import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtProgram } from '../../support/built-program.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { RpcClient, RpcConnection } from '../../support/rpc-client.ts';
import { holds } from '../../support/worker-connections.ts';
import { startWorkersService, type Answer, type WorkersService } from '../../support/workers-service.ts';

const SCOPE = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } as const;
/** The kernel gives connections to the workers: of so many, usually both get some. */
const EVERY_WORKER = 12;

let service: WorkersService;
let ada: string;

beforeAll(async () => {
  service = await startWorkersService(2);
  ada = await signIn('ada');
});
afterAll(() => service.close());

async function signIn(account: string): Promise<string> {
  return (await signInDesktop(service, account)).access_token;
}

const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

const session = (credential: string): Promise<Answer> => service.ask('/v1/auth/session', { credential });

async function rpc(method: string, params: object, credential = ada): Promise<Record<string, string>> {
  const { text } = await service.ask('/rpc', {
    method: 'POST',
    credential,
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  const { result } = JSON.parse(text) as { result?: Record<string, string> };
  if (result === undefined) throw new Error(`${method}: ${text}`);
  return result;
}

/** The path of a ticket. */
async function ticket(direction: 'download' | 'upload', key: string): Promise<string> {
  const { url = '' } = await rpc('transfer/create', { provider: 'main', bucket: 'files', key, direction });
  return url.replace(service.origin, '');
}

const objectPath = (key: string) => `/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`;

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 20_000; !condition();) {
    if (performance.now() > end) throw new Error(`workers: ${service.workers().join()}\n${service.said()}`);
    await wait(20);
  }
}

const untilWorkers = (count: number): Promise<void> => until(() => service.workers().length === count);

/** An open connection with one answered request. */
async function keptOpen(): Promise<Socket> {
  const { port } = new URL(service.origin);
  const socket = createConnection({ host: '127.0.0.1', port: Number(port) });
  socket.on('error', () => undefined);
  socket.write(`GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

/** @returns a function that waits until all are closed. */
async function openSockets(credential: string): Promise<() => Promise<number[]>> {
  const sockets = await times(EVERY_WORKER, () =>
    RpcConnection.open(service.origin, { authorization: `Bearer ${credential}`, origin: service.origin }),
  );
  return () => Promise.all(sockets.map(async (socket) => (typeof socket === 'number' ? socket : await socket.closed)));
}

async function eachOf(rounds: number, work: () => Promise<number>): Promise<number[]> {
  const results: number[] = [];
  while (results.length < rounds) results.push(await work());
  return results;
}

/** A busy machine delays single rounds. */
function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

/** Connections until every worker has one. */
async function keptOpenByEach(): Promise<Socket[]> {
  const kept: Socket[] = [];
  while (!service.workers().every((pid) => kept.some((socket) => holds(service, pid, socket))))
    kept.push(await keptOpen());
  return kept;
}

describe('a service with two workers', () => {
  it('redeems tickets in whichever worker, uploads exactly once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const key = `ticket ${round}`;
      const upload = await ticket('upload', key);
      const statuses = (await times(5, () => service.ask(upload, { method: 'PUT', body: `content ${round}` }))).map(
        ({ status }) => status,
      );
      expect({ round, statuses: statuses.sort() }).toEqual({ round, statuses: [200, 404, 404, 404, 404] });
      const download = await ticket('download', key);
      const got = await times(EVERY_WORKER, () => service.ask(download));
      expect(got).toEqual(Array(EVERY_WORKER).fill({ status: 200, text: `content ${round}` }));
    }
  });

  it('lets one of several writers create an object, whichever workers they reach', async () => {
    for (let round = 0; round < 10; round += 1) {
      const answers = await times(6, (i) =>
        service.ask(objectPath(`created ${round}`), {
          method: 'PUT',
          credential: ada,
          headers: { 'if-none-match': '*', origin: service.origin },
          body: `writer ${i}`,
        }),
      );
      expect({ round, created: answers.filter(({ status }) => status < 300).length }).toEqual({ round, created: 1 });
      expect(new Set(answers.map(({ status }) => status))).toEqual(
        new Set([answers.find(({ status }) => status < 300)!.status, 412]),
      );
    }
  });

  it('ends a session and its sockets in every worker within 100 ms', async () => {
    const took = await eachOf(5, async () => {
      const credential = await signIn('vic');
      const allAnswer = async (status: number) =>
        expect((await times(EVERY_WORKER, () => session(credential))).map((answer) => answer.status)).toEqual(
          Array(EVERY_WORKER).fill(status),
        );
      const before = performance.now();
      await allAnswer(200);
      const usualMs = performance.now() - before;
      const closed = await openSockets(credential);
      await service.ask('/v1/auth/logout', { method: 'POST', credential });
      const since = performance.now();
      expect(await closed()).toEqual(Array(EVERY_WORKER).fill(4001));
      await allAnswer(401);
      return performance.now() - since - usualMs;
    });
    expect(medianOf(took)).toBeLessThan(100);
  });

  it('closes the sockets of a rotated API key in every worker within 100 ms', async () => {
    const client = RpcClient.bearer(service.origin, ada);
    const took = await eachOf(5, async () => {
      const { key, credential } = await client.call('apiKey/create', { description: 'sockets', scope: SCOPE });
      const closed = await openSockets(credential);
      await client.call('apiKey/rotate', { id: key.id });
      const since = performance.now();
      expect(await closed()).toEqual(Array(EVERY_WORKER).fill(4001));
      return performance.now() - since;
    });
    expect(medianOf(took)).toBeLessThan(100);
  });

  it('shows the metrics of all workers on one page', async () => {
    const count = async () =>
      Number(
        /svc_http_requests_total\{[^}]*route="\/api\/health"[^}]*\} (\d+)/.exec(
          await (await fetch(service.metrics)).text(),
        )?.[1] ?? 0,
      );
    const before = await count();
    await times(10, () => service.ask('/api/health'));
    expect(await count()).toBe(before + 10);
    const page = await (await fetch(service.metrics)).text();
    expect(page).toMatch(/svc_ready\{check="state_database"\} 1\n/);
    expect(page).toMatch(/svc_build_info\{version="[^"]+"\} 1\n/);
  });

  it('applies a configuration in every worker or in none, and tells it once', async () => {
    const mayList = async () =>
      (
        await times(EVERY_WORKER, () =>
          service.ask('/api/providers/main/buckets', { credential: nobody, headers: { accept: 'application/json' } }),
        )
      ).map(({ text }) => text.includes('"files"'));
    const nobody = await signIn('nobody');
    const applied = () => service.said().split('applied the configuration').length - 1;
    const refused = () => service.said().split('the configuration was not applied').length - 1;
    expect(await mayList()).toEqual(Array(EVERY_WORKER).fill(false));
    await service.configure((config) => ({
      ...config,
      bindings: [...(config['bindings'] as object[]), { subjects: ['nobody'], role: 'viewer' }],
    }));
    process.kill(service.pid, 'SIGHUP');
    await service.says('applied the configuration');
    expect(await mayList()).toEqual(Array(EVERY_WORKER).fill(true));
    // Neither a change that needs a restart nor a fault changes anything.
    const changes = [
      { ui: { name: 'Other' }, bindings: [] },
      { bindings: [{ subjects: ['nobody'], role: 'no such role' }] },
    ];
    for (const [i, change] of changes.entries()) {
      await service.configure((config) => ({ ...config, ...change }));
      process.kill(service.pid, 'SIGHUP');
      while (refused() <= i) await wait(5);
      expect(await mayList()).toEqual(Array(EVERY_WORKER).fill(true));
    }
    expect([applied(), refused()]).toEqual([1, 2]);
    await service.configure((config) => config);
    process.kill(service.pid, 'SIGHUP');
    while (applied() < 2) await wait(5);
    expect(await mayList()).toEqual(Array(EVERY_WORKER).fill(false));
  });

  it('applies a configuration although a worker stands still, which is replaced', async () => {
    const [still = 0, other = 0] = service.workers();
    const applied = () => service.said().split('applied the configuration').length;
    const before = applied();
    process.kill(still, 'SIGSTOP');
    await service.configure((config) => ({
      ...config,
      bindings: [...(config['bindings'] as object[]), { subjects: ['pia'], role: 'viewer' }],
    }));
    process.kill(service.pid, 'SIGHUP');
    while (applied() === before) await wait(20);
    expect(service.said()).toContain('a worker gave no answer to the reload');
    await service.says('a worker ended by SIGKILL');
    await untilWorkers(2);
    expect(service.workers()).toContain(other);
    expect(service.workers()).not.toContain(still);
    const pia = await signIn('pia');
    await times(EVERY_WORKER, async () =>
      expect((await service.ask('/api/providers/main/buckets', { credential: pia })).text).toContain('"files"'),
    );
  });

  it('names in each line of the log the worker that wrote it', async () => {
    const allHave = () => service.workers().length === 2 && [1, 2].every((worker) => isNamed(worker));
    const isNamed = (worker: number) => new RegExp(`"worker":${worker}[,}]`).test(service.said());
    while (!allHave()) await times(EVERY_WORKER, () => service.ask('/v1/auth/session', { credential: 'unknown' }));
  });

  it('replaces a worker that is killed, and loses nothing that was acknowledged', async () => {
    for (let round = 0; round < 3; round += 1) {
      const kept = await keptOpenByEach();
      const early = await ticket('upload', `early ${round}`);
      const acknowledged: string[] = [];
      const keys: string[] = [];
      let isOver = false;
      const writers = times(6, async (writer) => {
        for (let i = 0; !isOver; i += 1) {
          const key = `under kill ${round} ${writer} ${i}`;
          const put = service.ask(objectPath(key), {
            method: 'PUT',
            credential: ada,
            headers: { origin: service.origin },
            body: key,
          });
          if (((await put.catch(() => undefined))?.status ?? 0) === 200) acknowledged.push(key);
          const made = await rpc('apiKey/create', { description: key, scope: SCOPE }).catch(() => undefined);
          if (made !== undefined) keys.push(made['credential']!);
        }
      });
      await until(() => acknowledged.length > 10);
      const [victim = 0] = service.workers();
      process.kill(victim, 'SIGKILL');
      await until(() => kept.some(({ destroyed }) => destroyed));
      const left = kept.filter(({ destroyed }) => !destroyed).length;
      await until(() => service.workers().length === 2 && !service.workers().includes(victim));
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 10);
      isOver = true;
      await writers;
      for (const socket of kept) socket.destroy();
      // The other worker, which did not end, has kept its connections.
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(kept.length);
      expect(service.workers()).not.toContain(victim);
      expect(acknowledged.length).toBeGreaterThan(20);
      const found = await times(acknowledged.length, (i) =>
        service.ask(objectPath(acknowledged[i]!), { credential: ada }).then(({ text }) => text),
      );
      expect(found).toEqual(acknowledged);
      await times(keys.length, (i) => rpc('provider/list', {}, keys[i]));
      expect((await service.ask(early, { method: 'PUT', body: 'early' })).status).toBe(200);
    }
    expect(service.said()).toContain('a worker ended by SIGKILL, and another one takes its place');
  });

  it('continues while no process can be started, and tries again', async () => {
    const limitFiles = (most: number) =>
      expect(spawnSync('prlimit', ['--pid', String(service.pid), `--nofile=${most}:`]).status).toBe(0);
    // The worker that is left answers already.
    for (const socket of await keptOpenByEach()) socket.destroy();
    // The parent can open no more files, so it cannot make the channel to a worker.
    limitFiles(10);
    process.kill(service.workers()[0]!, 'SIGKILL');
    await service.says('a worker ended before its start');
    await times(EVERY_WORKER, async () => expect((await session(ada)).status).toBe(200));
    limitFiles(1024);
    await untilWorkers(2);
  });

  it('finishes its requests after SIGTERM, and leaves no process', async () => {
    const { port } = new URL(service.origin);
    const slow = createConnection({ host: '127.0.0.1', port: Number(port) });
    let text = '';
    slow.setEncoding('utf8').on('data', (part: string) => (text += part));
    slow.write(
      `PUT ${objectPath('slow')} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${service.origin}\r\nAuthorization: Bearer ${ada}\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n`,
    );
    await once(slow, 'data');
    slow.write('slow');
    const pids = [service.pid, ...service.workers()];
    // As systemd and a terminal do, to every process of the group.
    for (const pid of pids.toReversed()) process.kill(pid, 'SIGTERM');
    await wait(500);
    slow.write('ness');
    await once(slow, 'end');
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    expect(await service.exit).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
  });
});

it('svc config check and svc serve refuse workers that do not know the same sessions', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-workers-'));
  const file = join(directory, 'svc.yaml');
  await writeFile(
    file,
    'server: {workers: auto}\nauth: {enabled: true, local_users: [{subject: ada, roles: []}]}\nproviders: []\n',
  );
  for (const command of [['config', 'check'], ['serve']]) {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [await builtProgram(), ...command, '--config', file],
      { encoding: 'utf8' },
    );
    expect({ status, said: stderr + stdout }).toEqual({
      status: 2,
      said: expect.stringContaining('server.workers: needs sessions that all workers know') as unknown,
    });
  }
  await rm(directory, { recursive: true });
});
