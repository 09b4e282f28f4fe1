/** What the audit costs: the service with a line for everything that is read and changed, beside the same service without, in one run. */
import type { ChildProcess } from 'node:child_process';
import type { ContenderName, Ready } from './bench-storage/contender.ts';
import { load } from './bench-storage/load.ts';
import { median } from './measuring/median.ts';
import { startContender } from './measuring/start-contender.ts';

const ROUNDS = 9;
const SECONDS = 2;
const CONNECTIONS = 64;
const ROUTE = '/api/providers/main/buckets/bucket';

type Running = Ready & { readonly child: ChildProcess };
type Row = { readonly what: string; readonly method: 'GET' | 'PUT'; readonly path: string; readonly atLeast: number };

const ROWS: readonly Row[] = [
  { what: 'GET 1 kB', method: 'GET', path: `${ROUTE}/object?key=folder%2Fa.txt`, atLeast: 0.95 },
  { what: 'permissions', method: 'GET', path: `${ROUTE}/permissions`, atLeast: 0.95 },
  // A change waits for two syncs of the disk, so nothing is promised of it but that it is told. Each connection writes a key of its own: the writes of one key happen one after the other.
  { what: 'PUT 1 kB', method: 'PUT', path: `${ROUTE}/object?key=folder%2F{connection}.txt`, atLeast: 0 },
];

const children: ChildProcess[] = [];
const missed: string[] = [];
try {
  const storage = await start('storage');
  const target = `http://127.0.0.1:${storage.port}`;
  const [plain, audited] = [await start('service', target), await start('audited', target)];
  for (const row of ROWS) await compare(row, plain, audited);
} finally {
  for (const child of children) child.kill('SIGKILL');
}
if (missed.length > 0) process.exitCode = 1;

function start(name: ContenderName, target = ''): Promise<Running> {
  return startContender<Ready>('bench-storage/contender.ts', [name, target], children);
}

/** Each round asks both, in turns first, and what counts is the middle of the ratios: what else the machine does falls on both. */
async function compare(row: Row, plain: Running, audited: Running): Promise<void> {
  const rates = { plain: [] as number[], audited: [] as number[] };
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const order = round % 2 === 0 ? (['plain', 'audited'] as const) : (['audited', 'plain'] as const);
    const of = { plain: 0, audited: 0 };
    for (const name of order) of[name] = await rateOf(row, name === 'plain' ? plain : audited);
    if (round === 0) continue;
    rates.plain.push(of.plain);
    rates.audited.push(of.audited);
    ratios.push(of.audited / of.plain);
  }
  console.log(`\n${row.what}, ${CONNECTIONS} connections, median of ${ROUNDS} rounds of ${SECONDS} s`);
  console.log(`  without ${Math.round(median(rates.plain)).toLocaleString('en')} a second, with the audit ${Math.round(median(rates.audited)).toLocaleString('en')}`);
  const ratio = median(ratios);
  const reached = ratio >= row.atLeast;
  if (!reached) missed.push(row.what);
  console.log(`  ${reached ? 'reached    ' : 'NOT REACHED'}  of the service without: ${ratio.toFixed(3)} (at least ${row.atLeast})`);
}

async function rateOf({ method, path }: Row, { port, cookie }: Running): Promise<number> {
  const headers = { cookie, ...(method === 'PUT' && { 'content-type': 'text/plain', origin: `http://127.0.0.1:${port}` }) };
  const { rate } = await load({ port, method, path, headers, ...(method === 'PUT' && { body: 'x'.repeat(1024) }) }, CONNECTIONS, SECONDS);
  return rate;
}
