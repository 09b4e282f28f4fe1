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

  /** Starts a container on the network of this machine, with a root that nobody can write and without any capability. @returns its id. */
  start(args: readonly string[]): Promise<string> {
    // The limits of this process, because a machine may forbid to raise them.
    return this.do('run', '--detach', '--network', 'host', '--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096', '--log-driver', 'k8s-file', '--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges', ...args);
  }

  async close(): Promise<void> {
    await this.do('rm', '--all', '--force', '--time', '0').catch(() => undefined);
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
