import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from '../../tests/support/cluster.ts';

/** Two parts and a bit. */
const BYTES = 20 * 2 ** 20;
const CHECKOUT = join(import.meta.dirname, '..', '..');

export type UploadFigures = { readonly finished: number; readonly unfinished: number; readonly damaged: number };

/** Files of several parts that the command line copies, one after another, while instances are killed. */
export class Uploads {
  readonly #cluster: Cluster;
  readonly #credential: string;
  readonly #checksums: string[] = [];
  #unfinished = 0;

  constructor(cluster: Cluster, credential: string) {
    this.#cluster = cluster;
    this.#credential = credential;
  }

  async run(end: number): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), 'svc-uploads-'));
    const file = join(directory, 'file');
    while (performance.now() < end) {
      const content = randomBytes(BYTES);
      await writeFile(file, content);
      try {
        await this.#copy(file, `svc:main/files/upload-${this.#checksums.length}`);
        this.#checksums.push(createHash('sha256').update(content).digest('hex'));
      } catch (error) {
        this.#unfinished += 1;
        console.error((error as { stderr?: string }).stderr ?? error);
      }
    }
    await rm(directory, { recursive: true });
  }

  /** Reads what was copied, while nothing is killed. */
  async compare(): Promise<UploadFigures> {
    let damaged = 0;
    for (const [i, checksum] of this.#checksums.entries()) {
      const answer = await fetch(`${this.#cluster.origin}/api/providers/main/buckets/files/object?key=upload-${i}`, {
        headers: { authorization: `Bearer ${this.#credential}` },
      });
      if (
        createHash('sha256')
          .update(new Uint8Array(await answer.arrayBuffer()))
          .digest('hex') !== checksum
      )
        damaged += 1;
    }
    return { finished: this.#checksums.length, unfinished: this.#unfinished, damaged };
  }

  async #copy(from: string, to: string): Promise<void> {
    const env = { ...process.env, SVC_SERVER: this.#cluster.origin, SVC_CREDENTIAL: this.#credential };
    await promisify(execFile)(process.execPath, ['bin/svc.js', 'cp', '--quiet', from, to], { cwd: CHECKOUT, env });
  }
}
