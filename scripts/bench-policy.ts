/** Policy engines side by side, and the figures that ours has to reach. */
import { ENGINES, type Ask } from './bench-policy/engines.ts';
import { ownFigures, type Figure } from './bench-policy/figures.ts';
import { formatTime, medians, stopwatch } from './bench-policy/measure.ts';
import { makeWorkload, type Workload } from './bench-policy/workload.ts';

const SIZES = [10, 100, 1_000, 10_000];
const AGREEMENT_MS = 1_500;

const workloads = (['spread', 'hot'] as const).flatMap((layout) => SIZES.map((size) => makeWorkload(layout, size)));
/** Nanoseconds per decision, by workload and engine. */
const times = new Map<string, Map<string, number>>();
const loadTimes = new Map<string, Map<string, number>>();

for (const workload of workloads) {
  const { asks, loads } = await loadAll(workload);
  const compared = requireAgreement(workload, asks);
  const measured = medians(asks.map((ask) => ({ run: (from, count) => askAll(ask, workload, from, count) })));
  times.set(workload.name, byEngine(measured));
  loadTimes.set(workload.name, byEngine(loads));
  console.error(`${workload.name}: all agree (${compared})`);
}

printTable('a decision, median', times, formatTime);
printTable(
  'times as long as svc',
  ratios(times),
  (ratio) => `${ratio >= 10 ? Math.round(ratio).toLocaleString('en') : ratio.toFixed(1)}x`,
);
printTable('loading the rules, once', loadTimes, formatTime);

const figures = [...comparisons(), ...ownFigures(workloads)];
for (const { name, value, limit, reached } of figures)
  console.log(`${reached ? 'reached    ' : 'NOT REACHED'}  ${name}: ${value} (${limit})`);
if (figures.some(({ reached }) => !reached)) process.exitCode = 1;

async function loadAll(workload: Workload): Promise<{ asks: Ask[]; loads: number[] }> {
  const asks: Ask[] = [];
  const loads: number[] = [];
  for (const engine of ENGINES) {
    const elapsed = stopwatch();
    asks.push(await engine.load(workload.policy));
    loads.push(elapsed());
  }
  return { asks, loads };
}

function askAll(ask: Ask, { requests }: Workload, from: number, count: number): number {
  let allowed = 0;
  for (let i = from; i < from + count; i++) if (ask(requests[i % requests.length]!)) allowed++;
  return allowed;
}

/** Every request is put to every engine; a slow one gets as many as fit into its time. */
function requireAgreement({ name, requests }: Workload, [ours, ...others]: readonly Ask[]): string {
  const expected = requests.map(ours!);
  const compared = others.map((ask, i) => {
    const deadline = performance.now() + AGREEMENT_MS;
    let at = 0;
    for (; at < requests.length && (at < 16 || performance.now() < deadline); at++) {
      if (ask(requests[at]!) !== expected[at])
        throw new Error(`${ENGINES[i + 1]!.name} disagrees on ${JSON.stringify(requests[at])} of ${name}`);
    }
    return `${ENGINES[i + 1]!.name} on ${at}`;
  });
  return `${expected.filter(Boolean).length} of ${requests.length} allowed; compared: ${compared.join(', ')}`;
}

function byEngine(values: readonly number[]): Map<string, number> {
  return new Map(ENGINES.map(({ name }, i) => [name, values[i]!]));
}

function ratios(table: ReadonlyMap<string, ReadonlyMap<string, number>>): Map<string, Map<string, number>> {
  return new Map(
    [...table].map(([workload, row]) => [
      workload,
      new Map([...row].map(([engine, value]) => [engine, value / row.get('svc')!])),
    ]),
  );
}

function printTable(
  title: string,
  table: ReadonlyMap<string, ReadonlyMap<string, number>>,
  format: (value: number) => string,
): void {
  const columns = [...table.keys()];
  console.log(`\n| ${title} | ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length + 1)}`);
  for (const { name } of ENGINES)
    console.log(`| ${name} | ${columns.map((column) => format(table.get(column)!.get(name)!)).join(' | ')} |`);
}

function comparisons(): Figure[] {
  console.log();
  return [
    { workload: 'spread 1,000', least: 3 },
    { workload: 'hot 10,000', least: 300 },
  ].map(({ workload, least }) => {
    const row = times.get(workload)!;
    const fastest = ENGINES.filter(({ isLibrary }) => isLibrary).toSorted(
      (a, b) => row.get(a.name)! - row.get(b.name)!,
    )[0]!;
    const ratio = row.get(fastest.name)! / row.get('svc')!;
    return {
      name: `${workload} rules, faster than ${fastest.name}`,
      value: `${ratio.toFixed(1)}x`,
      limit: `at least ${least}x`,
      reached: ratio >= least,
    };
  });
}
