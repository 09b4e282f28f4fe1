import type { ChildProcess } from 'node:child_process';
import { load, type Load } from '../bench-storage/load.ts';
import { figure } from './figures.ts';
import { median } from './median.ts';
import { processorTime } from './processor-time.ts';

const ROUNDS = 5;
const SECONDS = 2;
const CONNECTIONS = 64;
const MAX_P99_RATIO = 2;

/** One who answers the requests of a row. */
export type Contender = { readonly name: string; readonly child: ChildProcess; readonly asked: Load };

/** `atLeast` is a part of the proxy's rate, and of its requests for the same processor time. */
export type ProxyRow = { readonly what: string; readonly atLeast: number };

/**
 * Compares the service with the bare proxy, and shows what others do. It goes round by round, so that what else the machine does falls on all of them.
 *
 * @param others - for comparison, such as nginx.
 */
export async function besideProxy(
  { what, atLeast }: ProxyRow,
  proxy: Contender,
  service: Contender,
  others: readonly Contender[] = [],
): Promise<void> {
  const contenders = [proxy, service, ...others].map((contender) => ({
    ...contender,
    rates: [] as number[],
    tails: [] as number[],
    times: [] as number[],
  }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { asked, child, rates, tails, times } of contenders) {
      const before = await processorTime(child.pid!);
      const { requests, rate, p99 } = await load(asked, CONNECTIONS, SECONDS);
      if (round === 0) continue;
      rates.push(rate);
      tails.push(p99);
      times.push(((await processorTime(child.pid!)) - before) / requests);
    }
  }
  const [bare, ours] = contenders as [(typeof contenders)[0], (typeof contenders)[0]];
  console.log(`\n${what}, ${CONNECTIONS} connections, median of ${ROUNDS} rounds of ${SECONDS} s`);
  for (const { name, rates, tails, times } of contenders) {
    const [rate, time] = [Math.round(median(rates)).toLocaleString('en').padStart(7), Math.round(median(times) * 1000)];
    console.log(
      `  ${name.padEnd(16)} ${rate} a second, ${time} µs of processor time each, p99 ${median(tails).toFixed(1)} ms`,
    );
  }
  figure(`${what}, rate, of a bare proxy`, median(ours.rates) / median(bare.rates), { atLeast });
  figure(`${what}, requests for the same processor time`, median(bare.times) / median(ours.times), { atLeast });
  if (what.endsWith('kB'))
    figure(`${what}, p99 of a bare proxy's`, median(ours.tails) / median(bare.tails), { atMost: MAX_P99_RATIO });
}
