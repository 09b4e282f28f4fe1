import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atMost, type Figure } from './figure.ts';
import { startStubProcess } from './stub-process.ts';

const MIB = 2 ** 20;
const BYTES = 1024 * MIB;
const WORKER = join(import.meta.dirname, '../../tests/storage/volume-worker.ts');

/** Bodies of 1 GiB through storage, each way, by a process of its own. */
export async function largeBodies(): Promise<Figure[]> {
  const stub = await startStubProcess();
  try {
    const figures: Figure[] = [];
    for (const what of ['put of known length', 'put of unknown length', 'put of one part', 'get']) {
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--expose-gc',
        WORKER,
        stub.url,
        what,
        String(BYTES),
      ]);
      figures.push(
        atMost(`${what}: memory grew by`, (JSON.parse(stdout) as { grownBytes: number }).grownBytes / MIB, 100, 'MiB'),
      );
    }
    return figures;
  } finally {
    stub.close();
  }
}
