import { readFile } from 'node:fs/promises';

const TICK_MS = 10;

/** Milliseconds that a process has had in user and in kernel mode. */
export async function processorTime(pid: number): Promise<number> {
  return (await ticks(pid, 11)) * TICK_MS;
}

/** Milliseconds that the children of this process have had which have ended. */
export async function processorTimeOfChildren(): Promise<number> {
  return (await ticks(process.pid, 13)) * TICK_MS;
}

/** Of Linux: fields 14 and 15 of `/proc/PID/stat`, for children 16 and 17, in hundredths of a second. */
async function ticks(pid: number, first: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return Number(fields[first]) + Number(fields[first + 1]);
}
