/** The figures of a benchmark: it prints each with its limit, and the process exits with 1 when one is not reached. */
export function figure(what: string, value: number, { atLeast = -Infinity, atMost = Infinity }): void {
  const isReached = value >= atLeast && value <= atMost;
  if (!isReached) process.exitCode = 1;
  const limit = atMost === Infinity ? `at least ${atLeast}` : `at most ${atMost}`;
  console.log(`  ${isReached ? 'reached    ' : 'NOT REACHED'}  ${what}: ${value.toFixed(2)} (${limit})`);
}
