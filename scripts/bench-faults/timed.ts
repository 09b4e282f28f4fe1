/** How long something took, in milliseconds, and what came of it. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly outcome: T }> {
  const since = performance.now();
  const outcome = await work();
  return { ms: performance.now() - since, outcome };
}
