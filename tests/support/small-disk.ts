import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Only root can mount a disk. */
export const isRoot = process.getuid?.() === 0;

/** A small disk of its own, which can be filled and emptied. */
export class SmallDisk {
  readonly path = mkdtempSync(join(tmpdir(), 'svc-small-disk-'));

  constructor() {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k,mode=0700', 'svc-test', this.path]);
  }

  fill(): void {
    try {
      writeFileSync(join(this.path, 'ballast'), Buffer.alloc(1_048_576));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  empty(): void {
    rmSync(join(this.path, 'ballast'), { force: true });
  }

  remove(): void {
    execFileSync('umount', ['--lazy', this.path]);
    rmSync(this.path, { recursive: true });
  }
}
