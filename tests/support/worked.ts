/** Milliseconds for which the processor was at work for this thread. Whatever else is running does not count. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
