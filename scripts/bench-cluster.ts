/**
 * `npm run bench -- cluster [--full]`: three instances behind nginx, with PostgreSQL and then with Redis for sessions. One instance is killed
 * (`kill -9`) every two seconds and started again, while keys are made and revoked, sessions are begun and ended, and folders are listed.
 *
 * It lasts 20 seconds for each, and with `--full` 5 minutes.
 */
import { parseArgs } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { startCluster, type Cluster } from '../tests/support/cluster.ts';
import { signInDesktop } from '../tests/support/desktop-client.ts';
import { PostgresServer, missingForPostgres, urlOf } from '../tests/support/postgres-server.ts';
import { RedisServer } from '../tests/support/redis-server.ts';
import { Disturbance, type ClusterFigures } from './bench-cluster/disturbance.ts';

const { values } = parseArgs({ args: process.argv.slice(3), options: { full: { type: 'boolean', default: false } } });
const SECONDS = values.full ? 300 : 20;

async function measure(name: string, cluster: Cluster): Promise<boolean> {
  const admins = [await signInDesktop(cluster, 'ada'), await signInDesktop(cluster, 'ada')].map(({ access_token: credential }) => credential);
  const disturbance = new Disturbance(cluster, admins[0]!, async () => (await signInDesktop(cluster, 'eve')).access_token);
  const end = performance.now() + SECONDS * 1000;
  const killing = (async () => {
    for (let i = 0; performance.now() < end; i += 1) {
      await wait(2_000);
      await cluster.kill(i % 3);
      await cluster.restart(i % 3);
    }
  })();
  const figures = await disturbance.run(end);
  await killing;
  return report(name, await disturbance.compare(figures));
}

function report(name: string, figures: ClusterFigures): boolean {
  console.log(`\n${name}, ${SECONDS} s, an instance killed every 2 s`);
  console.log(`  keys made ${figures.made}, revoked ${figures.revoked}; sessions begun and ended ${figures.sessions}; listings ${figures.listings}; answered 502 or 503, or cut off: ${figures.failed}`);
  const limits: [text: string, value: number, most: number][] = [
    ['acknowledged changes that were lost', figures.lost, 0],
    ['wrong 401', figures.wrong, 0],
    ['slowest end of a revoked key or session on every instance, ms', Math.round(figures.slowestEndMs), 1_000],
  ];
  for (const [text, value, most] of limits) console.log(`  ${value <= most ? 'ok    ' : 'FAILED'} ${text}: ${value} (at most ${most})`);
  return limits.every(([, value, most]) => value <= most);
}

let isWell = true;
if (missingForPostgres.length > 0) console.log(`PostgreSQL is not measured: this machine has no ${missingForPostgres.join(', ')}`);
else {
  const postgres = await PostgresServer.start();
  const cluster = await startCluster({ size: 3, shared: { state: { url: urlOf(await postgres.database()) }, session: { type: 'database' } } });
  isWell = await measure('PostgreSQL', cluster);
  await cluster.close();
  const redis = await RedisServer.start();
  const both = await startCluster({ size: 3, shared: { state: { url: urlOf(await postgres.database()) }, session: { type: 'redis', url: redis.url } } });
  isWell = (await measure('keys in PostgreSQL, sessions in Redis', both)) && isWell;
  await both.close();
  await redis.stop();
  await postgres.stop();
}
process.exit(isWell ? 0 : 1);
