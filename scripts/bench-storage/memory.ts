import { execFileSync } from 'node:child_process';

const SAMPLE_MS = 250;

/** Resident memory of a process, in MB. */
export function memoryOf(pid: number | undefined): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1000;
}

/** How much the memory of a process grows at most while `work` runs, in MB. */
export async function growthDuring(pid: number | undefined, work: () => Promise<unknown>): Promise<number> {
  const before = memoryOf(pid);
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, memoryOf(pid))), SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  return Math.max(most, memoryOf(pid)) - before;
}
