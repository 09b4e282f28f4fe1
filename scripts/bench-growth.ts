/** What growth costs: a session and a key looked up among many and among few, in turn; and the start of a service with thousands of policies. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { answers } from '../tests/support/cluster.ts';
import { freePort } from '../tests/support/free-port.ts';
import { missingForPostgres, PostgresServer } from '../tests/support/postgres-server.ts';
import {
  postgresPlace,
  REDIS,
  SQLITE,
  type Filling,
  type Find,
  type Fresh,
  type PlaceKind,
} from './bench-growth/places.ts';
import { median } from './measuring/median.ts';

const FEW = { sessions: 1_000, keys: 1_000 };
const MANY = { sessions: 1_000_000, keys: 100_000 };
const WARM_UP = 20;
const ROUNDS = 50;
const LOOKUPS = 100;
const AT_MOST = 1.2;
const POLICIES = 10_000;
const STARTS = 3;
const START_MS = 3_000;

const only = process.argv[3];
if (only === undefined || only === 'sqlite') await compare(SQLITE);
if (only === undefined || only === 'redis') await compare(REDIS);
if (missingForPostgres.length > 0)
  console.log(`PostgreSQL is not measured: this machine has no ${missingForPostgres.join(', ')}`);
else if (only === undefined || only === 'postgres') {
  const postgres = await PostgresServer.start();
  await compare(postgresPlace(postgres));
  await postgres.stop();
}
if (only === undefined || only === 'start') await compareStarts();
process.exit();

/** One store after the other, and the small one before and after the large one: two servers at once wake each other's processor. */
async function compare(kind: PlaceKind): Promise<void> {
  const before = await measure(kind, FEW);
  const many = await measure(kind, MANY);
  const after = await measure(kind, FEW);
  for (const what of ['session', 'key'] as const) {
    if (many[what].length === 0) continue;
    const [amongMany, amongFew] = [median(many[what]), median([...before[what], ...after[what]])];
    const ratio = amongMany / amongFew;
    const isReached = ratio <= AT_MOST;
    if (!isReached) process.exitCode = 1;
    const [large, small] = [MANY, FEW].map((filling) => filling[`${what}s`].toLocaleString('en'));
    console.log(
      `${isReached ? 'reached    ' : 'NOT REACHED'}  ${kind.name}, a ${what} among ${large}: ${amongMany.toFixed(1)} µs, ${ratio.toFixed(2)} of the ${amongFew.toFixed(1)} among ${small} (at most ${AT_MOST})`,
    );
  }
}

/** Microseconds for each lookup, round by round. Each is the first of an instance: what it keeps in memory afterwards costs the same however many there are. */
async function measure(
  { open }: PlaceKind,
  filling: Filling,
): Promise<{ readonly session: number[]; readonly key: number[] }> {
  const filled = await open(filling);
  // PostgreSQL's instance looks at the changes before it keeps what it finds.
  await wait(1_000);
  const roundsOf = async (fresh: Fresh, total: number) => {
    const times: number[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const took = await timeEach(
        fresh(),
        Array.from({ length: LOOKUPS }, (_, i) => Math.floor(((i + round / (WARM_UP + ROUNDS)) / LOOKUPS) * total)),
      );
      if (round >= WARM_UP) times.push(took);
    }
    return times;
  };
  const times = {
    session: await roundsOf(filled.sessions, filling.sessions),
    key: filled.keys === undefined ? [] : await roundsOf(filled.keys, filling.keys),
  };
  await filled.close();
  return times;
}

/** Microseconds for each. */
async function timeEach(find: Find, numbers: readonly number[]): Promise<number> {
  const began = performance.now();
  for (const number of numbers) if ((await find(number)) === undefined) throw new Error('a session or key is missing');
  return ((performance.now() - began) * 1_000) / numbers.length;
}

/** From `exec` to the first answer, with few policies, roles and bindings and with many. */
async function compareStarts(): Promise<void> {
  const took: number[] = [];
  for (const count of [10, POLICIES]) {
    const times: number[] = [];
    for (let round = 0; round < STARTS; round += 1) times.push(await timeStart(count));
    took.push(median(times));
  }
  const isReached = took[1]! <= START_MS;
  if (!isReached) process.exitCode = 1;
  console.log(
    `${isReached ? 'reached    ' : 'NOT REACHED'}  ready with ${POLICIES.toLocaleString('en')} policies and bindings: ${took[1]!.toFixed(0)} ms, with 10: ${took[0]!.toFixed(0)} ms (at most ${START_MS})`,
  );
}

async function timeStart(count: number): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-growth-'));
  const numbers = Array.from({ length: count }, (_, i) => i);
  const config = {
    auth: {
      enabled: true,
      public_origin: 'http://127.0.0.1:8080',
      oidc: { issuer: 'http://127.0.0.1:9', client_id: 'svc', client_secret: 'secret' },
    },
    providers: [
      {
        name: 'main',
        type: 's3',
        endpoint: 'http://127.0.0.1:9',
        credentials: { access_key_id: 'a', secret_access_key: 'b' },
      },
    ],
    policies: numbers.map((i) => ({
      version: 1,
      name: `policy-${i}`,
      rules: [
        {
          effect: 'allow',
          actions: ['objects:read'],
          resources: [{ type: 'prefix', provider: 'main', bucket: `bucket-${i % 100}`, prefix: `team-${i}/` }],
        },
      ],
    })),
    roles: Object.fromEntries(numbers.map((i) => [`role-${i}`, { policies: [`policy-${i}`] }])),
    bindings: numbers.map((i) => ({ groups: [`group-${i}`], role: `role-${i}` })),
  };
  await writeFile(join(directory, 'svc.yaml'), JSON.stringify(config));
  const port = await freePort();
  const began = performance.now();
  const child = spawn(
    process.execPath,
    ['bin/svc.js', 'serve', '--config', join(directory, 'svc.yaml'), '--port', String(port)],
    {
      cwd: join(import.meta.dirname, '..'),
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, SVC_SESSION_SECRET: 'a session secret of the benchmark, long enough' },
    },
  );
  try {
    await answers(`http://127.0.0.1:${port}`);
    return performance.now() - began;
  } finally {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true });
  }
}
