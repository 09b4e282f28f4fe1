import { median } from '../measuring/median.ts';
/** Something to time. `run(from, count)` does `count` units of work, beginning at the `from`-th; what it returns makes the work needed. */
export type Timed = { readonly run: (from: number, count: number) => unknown };

const ROUNDS = 201;
/** Shorter than the turns that an operating system gives: most rounds are not interrupted, and the median is one of those. */
const ROUND_NS = 1e6;
/** What is too slow for all rounds stops when it has had this long, but not before it had a few. */
const BUDGET_NS = 600e6;
const FEWEST_ROUNDS = 5;

/**
 * Times several things side by side: in every round each of them has its turn, so that whatever else the machine does strikes all alike.
 *
 * @returns the median of nanoseconds per unit, for each.
 */
export function medians(timed: readonly Timed[]): number[] {
  const runs = timed.map((one) => ({ ...one, count: calibrate(one), spent: 0, samples: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of runs) {
      if (one.spent > BUDGET_NS && one.samples.length >= FEWEST_ROUNDS) continue;
      if (one.count > 1) one.run(round * one.count, one.count); // The others have filled the caches with theirs.
      const elapsed = time(one.run, round * one.count, one.count);
      one.samples.push(elapsed / one.count);
      one.spent += elapsed;
    }
  }
  return runs.map(({ samples }) => median(samples));
}

/** How many units fill a round. The shorter of two tries counts: one pause must not pass for work. It also warms the code up. */
function calibrate({ run }: Timed): number {
  const warmUntil = performance.now() + 100;
  for (let count = 1; ; count *= 2) {
    const elapsed = Math.min(time(run, 0, count), time(run, count, count));
    if (elapsed > ROUND_NS && performance.now() > warmUntil)
      return Math.max(1, Math.round((count * ROUND_NS) / elapsed));
    if (elapsed > ROUND_NS) count /= 2;
  }
}

function time(run: Timed['run'], from: number, count: number): number {
  const elapsed = stopwatch();
  run(from, count);
  return elapsed();
}

/** @returns the nanoseconds since. */
export function stopwatch(): () => number {
  const start = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - start);
}

export function formatTime(nanoseconds: number): string {
  const [value, unit] =
    nanoseconds < 1e3 ? [nanoseconds, 'ns'] : nanoseconds < 1e6 ? [nanoseconds / 1e3, 'µs'] : [nanoseconds / 1e6, 'ms'];
  return `${value >= 100 ? Math.round(value) : value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}
