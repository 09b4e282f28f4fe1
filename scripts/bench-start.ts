/** How long the service takes until it answers, and what it then holds: the build as it is installed, a checkout, and beside them a bare Express server; and what short commands take. */
import { execFileSync, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../tests/support/free-port.ts';
import { median } from './measuring/median.ts';
import { processorTime } from './measuring/processor-time.ts';

const ROUNDS = 7;
/** Milliseconds after its first answer at which the memory of a service is read. */
const IDLE_MS = 3_000;
const LIMITS = { readyMs: 600, processorMs: 330, memoryMb: 95 };
/** Commands of the build, each with its limit in milliseconds of processor time. Nothing listens where `ls` asks. */
const COMMANDS = [
  { args: '--version', processorMs: 110 },
  { args: 'ls --server http://127.0.0.1:9 --credential svc_none', processorMs: 140 },
];
const CHECKOUT = join(import.meta.dirname, '..');

type Contender = { readonly name: string; readonly args: (port: number) => readonly string[]; readonly path: string };
type Start = { readonly readyMs: number; readonly processorMs: number; readonly memoryMb: number };

const directory = await mkdtemp(join(tmpdir(), 'svc-start-'));
try {
  const installed = join(directory, 'installed');
  for (const part of ['bin', 'dist', 'package.json'])
    await cp(join(CHECKOUT, part), join(installed, part), { recursive: true });
  await symlink(join(CHECKOUT, 'node_modules'), join(installed, 'node_modules'));
  const config = join(directory, 'svc.yaml');
  await writeFile(config, JSON.stringify(settings()));
  const express = join(directory, 'express.mjs');
  await writeFile(
    express,
    `import { enableCompileCache } from 'node:module';\nenableCompileCache(${JSON.stringify(join(directory, 'express-cache'))});\nconst { default: express } = await import(${JSON.stringify(import.meta.resolve('express'))});\nexpress().get('/', (_req, res) => void res.send('ok')).listen(Number(process.argv[2]), '127.0.0.1');\n`,
  );
  const serve = (root: string) => (port: number) => [
    join(root, 'bin/svc.js'),
    'serve',
    '--config',
    config,
    '--port',
    String(port),
  ];
  const contenders: readonly Contender[] = [
    { name: 'bare Express', args: (port) => [express, String(port)], path: '/' },
    { name: 'svc, built', args: serve(installed), path: '/api/health' },
    { name: 'svc, checkout', args: serve(CHECKOUT), path: '/api/health' },
  ];
  const starts = new Map<Contender, Start[]>(contenders.map((contender) => [contender, []]));
  // The first round fills the compile cache, as the first start after an installation does, and is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const contender of contenders) {
      const start = await startOnce(contender);
      if (round > 0) starts.get(contender)!.push(start);
    }
  }
  const baseline = median(starts.get(contenders[0]!)!.map(({ readyMs }) => readyMs));
  for (const [{ name }, all] of starts) {
    const [readyMs, processorMs, memoryMb] = [
      median(all.map((start) => start.readyMs)),
      median(all.map((start) => start.processorMs)),
      median(all.map((start) => start.memoryMb)),
    ];
    const reached = readyMs < LIMITS.readyMs && processorMs < LIMITS.processorMs && memoryMb < LIMITS.memoryMb;
    const verdict =
      name !== 'svc, built'
        ? ''
        : `, ${reached ? 'reached' : 'MISSED'} (limits ${LIMITS.readyMs} ms, ${LIMITS.processorMs} ms, ${LIMITS.memoryMb} MB)`;
    console.log(
      `${name}: answers after ${readyMs.toFixed(0)} ms (${(readyMs / baseline).toFixed(1)}x), ${processorMs.toFixed(0)} ms of processor time, ${memoryMb.toFixed(0)} MB idle${verdict}`,
    );
    if (name === 'svc, built' && !reached) process.exitCode = 1;
  }
  for (const { args, processorMs: limit } of COMMANDS) {
    const all = Array.from({ length: ROUNDS + 1 }, () => commandTime(join(installed, 'bin/svc.js'), args)).slice(1);
    const took = median(all);
    if (took > limit) process.exitCode = 1;
    console.log(
      `svc ${args.split(' ')[0]}: ${took.toFixed(0)} ms of processor time, ${took > limit ? 'MISSED' : 'reached'} (limit ${limit} ms)`,
    );
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function startOnce({ args, path }: Contender): Promise<Start> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, args(port), { stdio: 'ignore', env: environment() });
  try {
    while (
      !(await fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`${args(port).join(' ')} ended with ${child.exitCode}`);
      await wait(2);
    }
    const readyMs = performance.now() - began;
    const processorMs = await processorTime(child.pid!);
    await wait(IDLE_MS);
    return { readyMs, processorMs, memoryMb: await memory(child.pid!) };
  } finally {
    child.kill('SIGKILL');
  }
}

function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_ENV: 'production',
    XDG_CACHE_HOME: join(directory, 'cache'),
    SVC_SESSION_SECRET: 'a session secret of the benchmark, long enough',
    NODE_COMPILE_CACHE: undefined,
  };
}

/** Milliseconds of processor time of a command. The shell tells what its children took: minutes and seconds in user and in kernel mode. */
function commandTime(program: string, args: string): number {
  const told = execFileSync('sh', ['-c', `"$0" "$1" ${args} >&2; times`, process.execPath, program], {
    encoding: 'utf8',
    env: environment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [, ...parts] = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n*$/.exec(told)!.map(Number);
  return parts.reduce((total, value, i) => total + value * (i % 2 === 0 ? 60_000 : 1_000), 0);
}

async function memory(pid: number): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

/** An ordinary installation: sign-in through a provider, state in a file, two providers of storage. Nothing of it is asked before somebody signs in. */
function settings(): Record<string, unknown> {
  const storage = {
    type: 's3',
    endpoint: 'http://127.0.0.1:9',
    region: 'us-east-1',
    credentials: { access_key_id: 'a', secret_access_key: 'b' },
  };
  return {
    auth: {
      enabled: true,
      public_origin: 'http://127.0.0.1:8080',
      oidc: { issuer: 'http://127.0.0.1:9', client_id: 'svc', client_secret: 'secret' },
      api_keys: {},
      session: { type: 'database' },
    },
    state: { path: 'state.db' },
    providers: [
      { name: 'main', ...storage },
      { name: 'archive', ...storage },
    ],
    policy: { defaults: true },
    roles: { admin: { policies: ['default-admin'] }, viewer: { policies: ['default-viewer'] } },
    bindings: [
      { groups: ['admins'], role: 'admin' },
      { groups: ['staff'], role: 'viewer' },
    ],
  };
}
