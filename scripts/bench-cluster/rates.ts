import autocannon from 'autocannon';
import { readFile } from 'node:fs/promises';
import type { Cluster } from '../../tests/support/cluster.ts';

const SECONDS = 5;
const CONNECTIONS = 64;

/** Requests a second through nginx, and for each second of processor time of the instances together. */
export type Rate = { readonly perSecond: number; readonly perProcessorSecond: number };

/** Asks who is signed in. */
export async function measureRate(cluster: Cluster, credential: string): Promise<Rate> {
  const processors = async () => (await Promise.all(cluster.pids().map(processorSeconds))).reduce((sum, seconds) => sum + seconds, 0);
  const run = () => autocannon({ url: `${cluster.origin}/v1/auth/session`, connections: CONNECTIONS, duration: SECONDS, headers: { authorization: `Bearer ${credential}` } });
  // Each instance has to have looked the session up, and to have compiled what it runs.
  await run();
  const before = await processors();
  const { '2xx': good, non2xx: bad } = await run();
  if (bad > 0) throw new Error(`${bad} answers were no success`);
  return { perSecond: good / SECONDS, perProcessorSecond: good / ((await processors()) - before) };
}

/** Of Linux: fields 14 and 15 of `/proc/PID/stat`, hundredths of a second in user and in kernel mode. */
async function processorSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
