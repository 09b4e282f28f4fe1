/**
 * `npm run bench -- cluster [--full]`: instances behind nginx, with PostgreSQL and then with Redis for sessions.
 *
 * Of three instances one is killed (`kill -9`) every two seconds and started again, while keys are made and revoked, sessions are begun and
 * ended, sockets stand open, folders are listed and files are copied in parts. Then the primary of PostgreSQL is killed and its standby promoted.
 * Last, one, two and three instances are asked as fast as they answer.
 *
 * The kills last 20 seconds for each, and with `--full` 5 minutes.
 */
import { parseArgs } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { startCluster, type Cluster } from '../tests/support/cluster.ts';
import { signInDesktop } from '../tests/support/desktop-client.ts';
import { PostgresServer, missingForPostgres, urlOf } from '../tests/support/postgres-server.ts';
import { RedisServer } from '../tests/support/redis-server.ts';
import { Disturbance } from './bench-cluster/disturbance.ts';
import { failOver } from './bench-cluster/failover.ts';
import { measureRates, type Rates } from './bench-cluster/rates.ts';
import { Uploads } from './bench-cluster/uploads.ts';

const { values } = parseArgs({ args: process.argv.slice(3), options: { full: { type: 'boolean', default: false } } });
const SECONDS = values.full ? 300 : 20;
/** What the service may take longer than its database. */
const BEYOND_DATABASE_MS = 2_000;
const ENDED_MS = 1_000;
/** Of the requests for each second of processor time that one instance answers. */
const KEPT = 0.9;

// The storage of the tests ends its process where an upload is completed a second time meanwhile, as happens when the instance that had asked is killed.
process.on('uncaughtException', (error) => {
  if (!error.message.includes('._S3rver_uploads')) throw error;
});

if (missingForPostgres.length > 0)
  console.log(`Nothing is measured: this machine has no ${missingForPostgres.join(', ')}`);
else {
  const postgres = await PostgresServer.start();
  const redis = await RedisServer.start();
  await measureKills('PostgreSQL', { state: { url: urlOf(await postgres.database()) }, session: { type: 'database' } });
  await measureKills('keys in PostgreSQL, sessions in Redis', {
    state: { url: urlOf(await postgres.database()) },
    session: { type: 'redis', url: redis.url },
  });
  await redis.stop();
  await measureGrowth(postgres);
  await measureFailover(postgres);
  await postgres.stop();
}
process.exit();

async function measureKills(name: string, shared: { readonly state: object; readonly session: object }): Promise<void> {
  const cluster = await startCluster({ size: 3, shared });
  const [admin, uploader] = [await credentialOf(cluster, 'ada'), await credentialOf(cluster, 'ada')];
  const disturbance = new Disturbance(cluster, admin, () => credentialOf(cluster, 'eve'));
  const uploads = new Uploads(cluster, uploader);
  const end = performance.now() + SECONDS * 1_000;
  const [figures] = await Promise.all([disturbance.run(end), uploads.run(end), killInTurn(cluster, end)]);
  const compared = await disturbance.compare(figures);
  const { finished, unfinished, damaged } = await uploads.compare();
  await cluster.close();
  console.log(`\n${name}, ${SECONDS} s, an instance killed every 2 s`);
  console.log(
    `  keys made ${compared.made}, revoked ${compared.revoked}; sessions begun and ended ${compared.sessions}; sockets ${compared.sockets}; listings ${compared.listings}; files copied ${finished}; answered 502 or 503, or cut off: ${compared.failed}`,
  );
  atMost('acknowledged changes that were lost', compared.lost, 0);
  atMost('wrong 401', compared.wrong, 0);
  atMost('copies that did not finish', unfinished, 0);
  atMost('copies with another checksum', damaged, 0);
  atMost('slowest end of a revoked key or session on every instance, ms', compared.slowestEndMs, ENDED_MS);
  atMost('slowest end of a socket of a revoked key, ms', compared.slowestSocketMs, ENDED_MS);
}

async function killInTurn(cluster: Cluster, end: number): Promise<void> {
  for (let i = 0; performance.now() < end; i += 1) {
    await wait(2_000);
    await cluster.kill(i % 3);
    await cluster.restart(i % 3);
  }
}

async function measureFailover(primary: PostgresServer): Promise<void> {
  const options = await primary.database();
  const standby = await PostgresServer.start({ standbyOf: primary });
  // What is acknowledged is on the standby too.
  await primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.sql('SELECT pg_reload_conf()');
  const servers = [primary, standby].map(({ port }) => ({ host: '127.0.0.1', port }));
  const cluster = await startCluster({
    size: 3,
    shared: { state: { url: urlOf({ ...options, servers }) }, session: { type: 'database' } },
  });
  const { made, lost, wrong, databaseMs, serviceMs } = await failOver(
    cluster,
    await credentialOf(cluster, 'ada'),
    primary,
    standby,
  );
  await cluster.close();
  await standby.stop();
  console.log(
    `\nthe primary of PostgreSQL is killed and its standby promoted; it takes changes after ${databaseMs.toFixed(0)} ms`,
  );
  console.log(`  keys made ${made}`);
  atMost('acknowledged changes that were lost', lost, 0);
  atMost('wrong 401', wrong, 0);
  atMost(
    'longest time without a change on an instance, beyond that of the database, ms',
    serviceMs - databaseMs,
    BEYOND_DATABASE_MS,
  );
}

/**
 * Instances, nginx, database and load share the processors of this machine, so that what counts is what each second of processor time brings, beside processes
 * that share nothing and take about as long for a request.
 */
async function measureGrowth(postgres: PostgresServer): Promise<void> {
  const rates: Rates[] = [];
  for (const size of [1, 2, 3]) {
    const cluster = await startCluster({
      size,
      shared: { state: { url: urlOf(await postgres.database()) }, session: { type: 'database' } },
    });
    rates.push(await measureRates(cluster, await credentialOf(cluster, 'ada')));
    await cluster.close();
  }
  console.log('\nwho is signed in, 64 connections, through nginx');
  for (const [i, { instances, bare }] of rates.entries()) {
    console.log(
      `  ${i + 1} of 3: ${instances.perSecond.toFixed(0)} a second, ${instances.perProcessorSecond.toFixed(0)} for a second of processor time of the instances; processes that share nothing: ${bare.perSecond.toFixed(0)} and ${bare.perProcessorSecond.toFixed(0)}`,
    );
  }
  const lost = (of: keyof Rates) => rates[0]![of].perProcessorSecond / rates[2]![of].perProcessorSecond;
  atMost(
    'one instance beside three, for a second of processor time, of that of processes that share nothing',
    lost('instances') / lost('bare'),
    1 / KEPT,
  );
}

async function credentialOf(cluster: Cluster, account: string): Promise<string> {
  return (await signInDesktop(cluster, account)).access_token;
}

function atMost(text: string, value: number, most: number): void {
  const isReached = value <= most;
  if (!isReached) process.exitCode = 1;
  console.log(
    `  ${isReached ? 'ok    ' : 'FAILED'} ${text}: ${Number(value.toFixed(2))} (at most ${Number(most.toFixed(2))})`,
  );
}
