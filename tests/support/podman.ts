import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { missingPrograms } from './programs.ts';

const run = promisify(execFile);

export const missingForContainers = [...missingPrograms('buildah', 'podman', 'runc', 'mmdebstrap'), ...(process.getuid?.() === 0 ? [] : ['root'])];

/** Podman with images, volumes and containers of its own, which end with it. It needs neither a daemon nor systemd. */
export class Podman {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(): Promise<Podman> {
    return new Podman(await mkdtemp(join(tmpdir(), 'svc-podman-')));
  }

  /** What a command says. @throws when it fails. */
  async do(...args: readonly string[]): Promise<string> {
    const own = ['--root', join(this.#directory, 'store'), '--runroot', join(this.#directory, 'run'), '--tmpdir', join(this.#directory, 'tmp'), '--storage-driver', 'vfs'];
    const { stdout } = await run('podman', [...own, '--cgroup-manager', 'cgroupfs', '--runtime', 'runc', '--events-backend', 'file', ...args]);
    return stdout.trim();
  }

  async close(): Promise<void> {
    await this.do('rm', '--all', '--force', '--time', '0').catch(() => undefined);
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
