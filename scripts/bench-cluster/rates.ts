import autocannon from 'autocannon';
import type { Cluster } from '../../tests/support/cluster.ts';
import { processorTime } from '../measuring/processor-time.ts';

const SECONDS = 5;
const CONNECTIONS = 64;

/** Requests a second through nginx, and for each second of processor time of the instances together. */
export type Rate = { readonly perSecond: number; readonly perProcessorSecond: number };

/** Asks who is signed in. */
export async function measureRate(cluster: Cluster, credential: string): Promise<Rate> {
  const processorSeconds = async () => (await Promise.all(cluster.pids().map(processorTime))).reduce((sum, ms) => sum + ms / 1_000, 0);
  const run = () => autocannon({ url: `${cluster.origin}/v1/auth/session`, connections: CONNECTIONS, duration: SECONDS, headers: { authorization: `Bearer ${credential}` } });
  // Each instance has to have looked the session up, and to have compiled what it runs.
  await run();
  const before = await processorSeconds();
  const { '2xx': good, non2xx: bad } = await run();
  if (bad > 0) throw new Error(`${bad} answers were no success`);
  return { perSecond: good / SECONDS, perProcessorSecond: good / ((await processorSeconds()) - before) };
}
