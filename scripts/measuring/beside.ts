import type { ChildProcess } from 'node:child_process';
import type { ContenderName, Ready } from '../bench-storage/contender.ts';
import { load } from '../bench-storage/load.ts';
import { median } from './median.ts';
import { startContender } from './start-contender.ts';

const ROUNDS = 9;
const SECONDS = 2;
const CONNECTIONS = 64;
export const ROUTE = '/api/providers/main/buckets/bucket';

export type Row = {
  readonly what: string;
  readonly method: 'GET' | 'HEAD' | 'PUT';
  readonly paths: readonly string[];
  readonly atLeast: number;
};

/** Compares the service beside the same service without something, in one run. Whoever calls exits with 1 when it takes more than a row allows. */
export async function compareBeside(
  name: ContenderName,
  said: string,
  rows: readonly Row[],
  without: ContenderName = 'service',
): Promise<void> {
  const children: ChildProcess[] = [];
  const start = (contender: ContenderName, target = '') =>
    startContender<Ready>('bench-storage/contender.ts', [contender, target], children);
  try {
    const storage = await start('storage');
    const target = `http://127.0.0.1:${storage.port}`;
    const [plain, other] = [await start(without, target), await start(name, target)];
    for (const row of rows) if (!(await compare(row, plain, other, said))) process.exitCode = 1;
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Each round asks both, in turns first, and what counts is the middle of the ratios: what else the machine does falls on both. @returns whether the row is reached. */
async function compare(row: Row, plain: Ready, other: Ready, said: string): Promise<boolean> {
  const rates = { plain: [] as number[], other: [] as number[] };
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const order = round % 2 === 0 ? (['plain', 'other'] as const) : (['other', 'plain'] as const);
    const of = { plain: 0, other: 0 };
    for (const one of order) of[one] = await rateOf(row, one === 'plain' ? plain : other);
    if (round === 0) continue;
    rates.plain.push(of.plain);
    rates.other.push(of.other);
    ratios.push(of.other / of.plain);
  }
  console.log(`\n${row.what}, ${CONNECTIONS} connections, median of ${ROUNDS} rounds of ${SECONDS} s`);
  console.log(
    `  without ${Math.round(median(rates.plain)).toLocaleString('en')} a second, ${said} ${Math.round(median(rates.other)).toLocaleString('en')}`,
  );
  const ratio = median(ratios);
  const reached = ratio >= row.atLeast;
  console.log(
    `  ${reached ? 'reached    ' : 'NOT REACHED'}  of the service without: ${ratio.toFixed(3)} (at least ${row.atLeast})`,
  );
  return reached;
}

async function rateOf({ method, paths }: Row, { port, cookie }: Ready): Promise<number> {
  const headers = {
    cookie,
    ...(method === 'PUT' && { 'content-type': 'text/plain', origin: `http://127.0.0.1:${port}` }),
  };
  const { rate } = await load(
    { port, method, paths, headers, ...(method === 'PUT' && { body: 'x'.repeat(1024) }) },
    CONNECTIONS,
    SECONDS,
  );
  return rate;
}
