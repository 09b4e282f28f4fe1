import { statfsSync } from 'node:fs';
import type { Findings } from './finding.ts';

const LEAST_FREE_BYTES = 256 * 2 ** 20;

/** Warns when the disk of `folder` has less than 256 MiB left. @param harm - what happens when the disk is full. */
export function examineDisk(folder: string, harm: string, findings: Findings): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.round((bavail * bsize) / 2 ** 20);
  if (bavail * bsize < LEAST_FREE_BYTES)
    findings.warn(`the disk of ${folder} has ${free} MiB left; make room, because ${harm}`);
  else findings.ok(`the disk of ${folder} has ${free} MiB left`);
}
