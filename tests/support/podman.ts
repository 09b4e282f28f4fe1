import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pRetry from 'p-retry';
import { missingPrograms } from './programs.ts';

const run = promisify(execFile);

export const missingForContainers = [
  ...missingPrograms('buildah', 'podman', 'runc', 'mmdebstrap'),
  ...(process.getuid?.() === 0 ? [] : ['root']),
];

/** Podman with images, volumes and containers of its own, which end with it. It needs neither a daemon nor systemd. */
export class Podman {
  readonly #directory: string;
  readonly #driver: string;

  private constructor(directory: string, driver: string) {
    this.#directory = directory;
    this.#driver = driver;
  }

  static async open(): Promise<Podman> {
    const directory = await mkdtemp(join(tmpdir(), 'svc-podman-'));
    return new Podman(directory, (await overlays(directory)) ? 'overlay' : 'vfs');
  }

  /** What a command says. @throws when it fails. */
  async do(...args: readonly string[]): Promise<string> {
    const own = [
      '--root',
      join(this.#directory, 'store'),
      '--runroot',
      join(this.#directory, 'run'),
      '--tmpdir',
      join(this.#directory, 'tmp'),
      '--storage-driver',
      this.#driver,
    ];
    const { stdout } = await run('podman', [
      ...own,
      '--cgroup-manager',
      'cgroupfs',
      '--runtime',
      'runc',
      '--events-backend',
      'file',
      ...args,
    ]);
    return stdout.trim();
  }

  /** Repeats its steps, because podman cleans up after a container that ended in a process of its own, which mounts the store meanwhile. */
  close(): Promise<void> {
    return pRetry(
      async () => {
        try {
          await this.do('rm', '--all', '--force', '--time', '0');
          await detach(this.#directory);
          await rm(this.#directory, { recursive: true, force: true });
        } catch (error) {
          // In jest, an error of Node is not an instance of the test's own `Error`, and p-retry tries only after such an instance.
          throw new Error(`${this.#directory} could not be removed`, { cause: error });
        }
      },
      { retries: 12, minTimeout: 200, maxTimeout: 5_000 },
    );
  }
}

/** Detaches what is mounted in a directory, because a mount point cannot be removed. */
async function detach(directory: string): Promise<void> {
  const mounted = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4] ?? '');
  const within = mounted.filter((point) => point.startsWith(`${directory}/`)).sort();
  for (const point of within.reverse()) await run('umount', ['--lazy', point]);
}

/** Whether layers can lie over one another there. Else each is a copy, which is more work. */
async function overlays(directory: string): Promise<boolean> {
  const trial =
    'cd "$0" && mkdir lower upper work merged && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged && umount merged';
  return run('sh', ['-c', trial, directory]).then(
    () => true,
    () => false,
  );
}
