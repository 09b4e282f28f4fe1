/** A guarded GET with live sessions on each store, beside bare Express and its session libraries, in one run. */
import type { ChildProcess } from 'node:child_process';
import autocannon from 'autocannon';
import { RedisServer } from '../tests/support/redis-server.ts';
import type { ContenderName, Ready } from './bench-sessions/contender.ts';
import { median } from './measuring/median.ts';
import { startContender } from './measuring/start-contender.ts';

const ROUTE = '/api/providers/main/buckets/photos/permissions';
const SESSIONS = 4_096;
const ROUNDS = 5;
const SECONDS = 2;
/** Enough to keep the load generator busy: where it sleeps between answers, the ratios measure how fast the machine wakes it. */
const CONNECTIONS = 256;

type Contender = { readonly name: string; readonly ready: Ready; readonly rates: number[] };

const redis = await RedisServer.start();
const crowded = await RedisServer.start();
const contenders: Contender[] = [];
const children: ChildProcess[] = [];
try {
  for (const [name, kind, count, url] of [
    ['bare Express', 'bare', 0, ''],
    ['express-session, MemoryStore', 'express-session', SESSIONS, ''],
    ['express-openid-connect', 'express-openid-connect', 1, ''],
    ['svc, memory', 'memory', SESSIONS, ''],
    ['svc, database', 'database', SESSIONS, ''],
    ['svc, redis, 100 sessions', 'redis', 100, redis.url],
    ['svc, redis, 100,000 sessions', 'redis', 100_000, crowded.url],
  ] as const) {
    contenders.push(await start(name, kind, count, url));
    console.error(`${name}: ready`);
  }
  // Round by round, so that what else the machine does falls on all of them.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const contender of contenders) {
      const rate = await load(contender);
      if (round > 0) contender.rates.push(rate);
    }
  }
  report();
} finally {
  for (const child of children) child.kill('SIGKILL');
  await redis.stop();
  await crowded.stop();
}

async function start(name: string, kind: ContenderName, count: number, url: string): Promise<Contender> {
  const ready = await startContender<Ready>('bench-sessions/contender.ts', [kind, String(count), url], children, {
    ...process.env,
    NODE_ENV: 'production',
  });
  return { name, ready, rates: [] };
}

/** Requests a second. Every answer has to be a 200 with the same permissions. */
async function load({ name, ready: { port, cookies } }: Contender): Promise<number> {
  const url = `http://127.0.0.1:${port}`;
  const one = await fetch(url + ROUTE, { headers: { cookie: cookies[0] ?? '' } });
  const body = await one.text();
  if (one.status !== 200 || !body.includes('"objects:get"'))
    throw new Error(`${name} answered ${one.status}: ${body.slice(0, 200)}`);
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: SECONDS,
    requests: cookies.map((cookie) => ({ path: ROUTE, headers: { cookie } })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} answers were not 200, ${result.errors} errors`);
  return result.requests.average;
}

function report(): void {
  const rate = (name: string) => median(contenders.find((contender) => contender.name === name)?.rates ?? []);
  const bare = rate('bare Express');
  console.log(
    `guarded GET, ${SESSIONS.toLocaleString('en')} live sessions, median of ${ROUNDS} rounds of ${SECONDS} s with ${CONNECTIONS} connections\n`,
  );
  for (const { name } of contenders)
    console.log(
      `${name.padEnd(32)} ${Math.round(rate(name)).toLocaleString('en').padStart(8)} requests a second   ${(rate(name) / bare).toFixed(2)} of bare Express`,
    );
  console.log('');
  const figures = [
    figure('memory, of bare Express', rate('svc, memory') / bare, 0.8),
    figure('database, of bare Express', rate('svc, database') / bare, 0.6),
    figure('memory, of express-session', rate('svc, memory') / rate('express-session, MemoryStore'), 2),
    figure('memory, of express-openid-connect', rate('svc, memory') / rate('express-openid-connect'), 1),
    figure(
      'redis with 100,000 sessions, of redis with 100',
      rate('svc, redis, 100,000 sessions') / rate('svc, redis, 100 sessions'),
      0.9,
    ),
  ];
  if (figures.includes(false)) process.exitCode = 1;
}

function figure(name: string, value: number, atLeast: number): boolean {
  const reached = value >= atLeast;
  console.log(`${reached ? 'reached    ' : 'NOT REACHED'}  ${name}: ${value.toFixed(2)} (at least ${atLeast})`);
  return reached;
}
