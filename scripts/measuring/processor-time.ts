import { readFile } from 'node:fs/promises';

/** Milliseconds that a process has had in user and in kernel mode. Of Linux: fields 14 and 15 of `/proc/PID/stat`, in hundredths of a second. */
export async function processorTime(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
