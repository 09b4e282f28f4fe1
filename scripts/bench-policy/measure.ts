/** Something to time. `run(from, count)` does `count` units of work, beginning at the `from`-th; what it returns makes the work needed. */
export type Timed = { readonly run: (from: number, count: number) => unknown };

const ROUNDS = 31;
const ROUND_NS = 15e6;
/** A unit slower than a round runs once or a few times in it. */
const MIN_UNITS = 2;

/**
 * Times several things side by side: in every round each of them has its turn, so that whatever else the machine does strikes all alike.
 *
 * @returns the median of nanoseconds of the thread's time per unit, for each.
 */
export function medians(timed: readonly Timed[]): number[] {
  const counts = timed.map(calibrate);
  const samples = timed.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { run }] of timed.entries()) samples[i]!.push(time(run, round * counts[i]!, counts[i]!) / counts[i]!);
  }
  const results = samples.map(median);
  if (!results.every((result) => result > 0)) throw new Error(`the clock did not move: ${results.join(', ')}`);
  return results;
}

/** How many units fill a round. The shorter of two tries counts: one pause must not pass for work. It also warms the code up. */
function calibrate({ run }: Timed): number {
  for (let count = MIN_UNITS; ; count *= 2) {
    const elapsed = Math.min(time(run, 0, count), time(run, count, count));
    if (elapsed > ROUND_NS) return Math.max(MIN_UNITS, Math.round((count * ROUND_NS) / elapsed));
  }
}

function time(run: Timed['run'], from: number, count: number): number {
  const elapsed = stopwatch();
  run(from, count);
  return elapsed();
}

/** Counts the nanoseconds that this thread is at work, so that other programs on the machine count as little as they can. */
export function stopwatch(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) * 1e3;
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

export function formatTime(nanoseconds: number): string {
  const [value, unit] = nanoseconds < 1e3 ? [nanoseconds, 'ns'] : nanoseconds < 1e6 ? [nanoseconds / 1e3, 'µs'] : [nanoseconds / 1e6, 'ms'];
  return `${value >= 100 ? Math.round(value) : value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}
