import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { missingPrograms } from './programs.ts';

const run = promisify(execFile);
const BOOT_MS = 60_000;

export const missingForSystemd = [
  ...missingPrograms('mmdebstrap', 'systemd-nspawn', 'nsenter'),
  ...(process.getuid?.() === 0 ? [] : ['root']),
];

/** An empty Debian with systemd, in a folder, on the network of this machine. */
export class SystemdMachine {
  readonly #directory: string;
  #nspawn: ChildProcess | undefined;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async make(): Promise<SystemdMachine> {
    const machine = new SystemdMachine(await mkdtemp(join(tmpdir(), 'svc-systemd-')));
    await run('mmdebstrap', [
      '--quiet',
      '--variant=minbase',
      '--include=systemd,systemd-sysv,passwd,libstdc++6',
      'bookworm',
      machine.root,
    ]);
    // What is on this disk need not outlast a loss of power.
    await machine.write('etc/dpkg/dpkg.cfg.d/unsafe-io', 'force-unsafe-io\n');
    return machine;
  }

  get root(): string {
    return join(this.#directory, 'root');
  }

  /** Runs a line of the shell in the home of root. @returns what it says. @throws when it fails. */
  shell(line: string): Promise<string> {
    return this.do('sh', '-ec', `cd /root; ${line}`);
  }

  /** Puts a file of this machine into a folder of the other. */
  async put(file: string, folder: string): Promise<void> {
    await mkdir(join(this.root, folder), { recursive: true });
    await copyFile(file, join(this.root, folder, basename(file)));
  }

  async write(path: string, content: string): Promise<void> {
    await mkdir(dirname(join(this.root, path)), { recursive: true });
    await writeFile(join(this.root, path), content);
  }

  append(path: string, content: string): Promise<void> {
    return appendFile(join(this.root, path), content);
  }

  async boot(): Promise<void> {
    this.#nspawn = spawn(
      'systemd-nspawn',
      ['--quiet', '--register=no', '--keep-unit', '--machine=svc-test', '--directory', this.root, '--boot'],
      { stdio: 'ignore' },
    );
    for (const end = performance.now() + BOOT_MS; performance.now() < end;) {
      const state = await this.do('systemctl', 'is-system-running').catch(
        (error: unknown) => (error as { stdout?: string }).stdout ?? '',
      );
      // A container without a console or a clock of its own is `degraded`.
      if (/^(?:running|degraded)/.test(state)) return;
      await wait(200);
    }
    throw new Error(`systemd was not there within ${BOOT_MS} ms`);
  }

  /** Runs a command on the machine. @returns what it says. @throws when it fails. */
  async do(...command: readonly string[]): Promise<string> {
    const init = (await readFile(`/proc/${this.#nspawn?.pid}/task/${this.#nspawn?.pid}/children`, 'utf8')).trim();
    return (
      await run('nsenter', ['--target', init, '--mount', '--pid', '--uts', '--ipc', '--root', '--wd', ...command])
    ).stdout.trim();
  }

  /** What a unit says. */
  async journal(unit: string): Promise<string> {
    return this.do('journalctl', '--no-pager', '--output=cat', '--unit', unit);
  }

  async close(): Promise<void> {
    if (this.#nspawn !== undefined && this.#nspawn.exitCode === null) {
      const ended = once(this.#nspawn, 'exit');
      this.#nspawn.kill('SIGTERM');
      await Promise.race([ended, wait(15_000, undefined, { ref: false })]);
      this.#nspawn.kill('SIGKILL');
    }
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
