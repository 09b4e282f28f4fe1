/** What workers cost: one service as one process, and with two workers that share a SQLite file, in one run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../tests/support/free-port.ts';
import type { Ready } from './bench-storage/contender.ts';
import { load } from './bench-storage/load.ts';
import { ROUTE } from './measuring/beside.ts';
import { median } from './measuring/median.ts';
import { processorTime } from './measuring/processor-time.ts';
import { startContender } from './measuring/start-contender.ts';

const ROUNDS = 7;
const SECONDS = 2;
const CONNECTIONS = 64;
const MAX_COST = 1.05;

type Service = { readonly child: ChildProcess; readonly port: number; readonly cookie: string };

const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
const children: ChildProcess[] = [];
try {
  const storage = await startContender<Ready>('bench-storage/contender.ts', ['storage', ''], children);
  const one = await start(1, storage.port);
  const two = await start(2, storage.port);
  for (const [what, path] of [
    ['permissions', `${ROUTE}/permissions`],
    ['GET 1 kB', `${ROUTE}/object?key=folder%2Fa.txt`],
  ] as const)
    await compare(what, path, one, two);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
}

async function start(workers: number, storagePort: number): Promise<Service> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const file = join(directory, `${workers}.yaml`);
  const config = {
    server: { port, workers, rate_limit: { sign_in_per_minute: 0 } },
    auth: {
      enabled: true,
      public_origin: origin,
      local_users: [{ subject: 'dev', roles: ['admin'] }],
      session: { type: 'database' },
    },
    state: { path: `${workers}.db` },
    policy: { defaults: true },
    roles: { admin: { policies: ['default-admin'] } },
    providers: [
      {
        name: 'main',
        type: 's3',
        endpoint: `http://127.0.0.1:${storagePort}`,
        path_style: true,
        credentials: { access_key_id: 'a', secret_access_key: 'b' },
      },
    ],
  };
  await writeFile(file, JSON.stringify(config));
  const child = spawn(process.execPath, ['bin/svc.js', 'serve', '--config', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, SVC_SESSION_SECRET: 'a secret of the benchmark, which is long enough' },
  });
  children.push(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (status) => reject(new Error(`the service ended with status ${status}`)));
  });
  const answer = await fetch(`${origin}/api/auth/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
    body: 'subject=dev',
  });
  const cookie = answer.headers.getSetCookie().find((each) => each.startsWith('svc_session='));
  if (cookie === undefined) throw new Error(`the sign-in was answered with ${answer.status}`);
  return { child, port, cookie: cookie.split(';', 1)[0]! };
}

/** Each round asks both, in turns first, so that what else the machine does falls on both. */
async function compare(what: string, path: string, one: Service, two: Service): Promise<void> {
  const measured = {
    one: { rates: [] as number[], times: [] as number[] },
    two: { rates: [] as number[], times: [] as number[] },
  };
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const order = round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const);
    const of = { one: 0, two: 0 };
    for (const name of order) {
      const { child, port, cookie } = name === 'one' ? one : two;
      const before = await timeOfAll(child.pid!);
      const { requests, rate } = await load(
        { port, method: 'GET', paths: [path], headers: { cookie } },
        CONNECTIONS,
        SECONDS,
      );
      of[name] = ((await timeOfAll(child.pid!)) - before) / requests;
      if (round === 0) continue;
      measured[name].rates.push(rate);
      measured[name].times.push(of[name]);
    }
    if (round > 0) ratios.push(of.two / of.one);
  }
  console.log(`\n${what}, ${CONNECTIONS} connections, median of ${ROUNDS} rounds of ${SECONDS} s`);
  for (const [name, { rates, times }] of Object.entries(measured))
    console.log(
      `  ${name.padEnd(4)} ${Math.round(median(rates)).toLocaleString('en')} a second, ${Math.round(median(times) * 1000)} µs of processor time each`,
    );
  const ratio = median(ratios);
  const reached = ratio <= MAX_COST;
  if (!reached) process.exitCode = 1;
  console.log(
    `  ${reached ? 'reached    ' : 'NOT REACHED'}  processor time of a request, of one process: ${ratio.toFixed(3)} (at most ${MAX_COST})`,
  );
}

/** Milliseconds of a process and of those that it started. */
async function timeOfAll(pid: number): Promise<number> {
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean);
  const times = await Promise.all([pid, ...workers.map(Number)].map(processorTime));
  return times.reduce((sum, time) => sum + time, 0);
}
