import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { answers, startNginx, type Cluster } from '../../tests/support/cluster.ts';
import { freePort } from '../../tests/support/free-port.ts';
import { median } from '../measuring/median.ts';
import { processorTime } from '../measuring/processor-time.ts';
import { startContender } from '../measuring/start-contender.ts';
import type { Ready } from './bare.ts';

const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 64;

/** Requests a second through nginx, and for each second of processor time of the instances together. */
export type Rate = { readonly perSecond: number; readonly perProcessorSecond: number };

/** The instances of a cluster, and as many processes that share nothing. */
export type Rates = { readonly instances: Rate; readonly bare: Rate };

/**
 * Asks the instances who is signed in, and in turns with them as many processes that share nothing: what those lose when there are more of them is what this
 * machine takes, because its processors share caches and units.
 */
export async function measureRates(cluster: Cluster, credential: string): Promise<Rates> {
  const children: ChildProcess[] = [];
  const directory = await mkdtemp(join(tmpdir(), 'svc-rates-'));
  try {
    const ports: number[] = [];
    while (ports.length < cluster.instances.length)
      ports.push((await startContender<Ready>('bench-cluster/bare.ts', [], children)).port);
    const pids = children.flatMap(({ pid }) => pid ?? []);
    const port = await freePort();
    children.push(await startNginx(directory, port, ports));
    const origin = `http://127.0.0.1:${port}`;
    await answers(origin);
    const [instances, bare]: [Rate[], Rate[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      instances.push(
        await rateOf(`${cluster.origin}/v1/auth/session`, cluster.pids(), { authorization: `Bearer ${credential}` }),
      );
      bare.push(await rateOf(`${origin}/`, pids));
    }
    // In the first round sessions are looked up, and what runs is compiled.
    return { instances: middle(instances.slice(1)), bare: middle(bare.slice(1)) };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
}

async function rateOf(url: string, pids: readonly number[], headers: Record<string, string> = {}): Promise<Rate> {
  const processorSeconds = async () =>
    (await Promise.all(pids.map(processorTime))).reduce((sum, ms) => sum + ms / 1_000, 0);
  const before = await processorSeconds();
  const { '2xx': good, non2xx: bad } = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, headers });
  if (bad > 0) throw new Error(`${bad} answers were no success`);
  return { perSecond: good / SECONDS, perProcessorSecond: good / ((await processorSeconds()) - before) };
}

function middle(rates: readonly Rate[]): Rate {
  return {
    perSecond: median(rates.map(({ perSecond }) => perSecond)),
    perProcessorSecond: median(rates.map(({ perProcessorSecond }) => perProcessorSecond)),
  };
}
