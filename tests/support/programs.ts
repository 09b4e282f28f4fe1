import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const START_MS = 30_000;
const STOP_MS = 5_000;

/** Those of `files`, commands or absolute paths, that this machine does not have. */
export function missingPrograms(...files: readonly string[]): string[] {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return files.filter(
    (file) => !(file.startsWith('/') ? existsSync(file) : folders.some((folder) => existsSync(join(folder, file)))),
  );
}

/** Programs of this machine that a test starts together, in a folder of their own. */
export class Programs {
  readonly directory: string;
  readonly #running: { readonly name: string; readonly child: ChildProcess; readonly output: string[] }[] = [];

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async open(name: string): Promise<Programs> {
    const directory = await mkdtemp(join(tmpdir(), `svc-${name}-`));
    // Some give up root's rights and must still get in.
    await chmod(directory, 0o755);
    return new Programs(directory);
  }

  start(name: string, command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
    const PATH = `${process.env['PATH'] ?? ''}${delimiter}/usr/sbin`;
    // A group of its own: some have workers, which end with it.
    const child = spawn(command, args, {
      cwd: this.directory,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env, PATH },
    });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => void output.push(chunk.toString()));
    child.on('error', (error) => void output.push(String(error)));
    this.#running.push({ name, child, output });
  }

  /** Waits until `isThere` holds. @throws when a program ends meanwhile, with what it said. */
  async until(what: string, isThere: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + START_MS; performance.now() < end;) {
      if (await isThere().catch(() => false)) return;
      const dead = this.#running.find(
        ({ child }) => child.exitCode !== null || child.signalCode !== null || child.pid === undefined,
      );
      if (dead !== undefined) throw new Error(`${dead.name} ended: ${dead.output.join('').slice(-2000)}`);
      await wait(50);
    }
    throw new Error(
      `${what} was not there within ${START_MS} ms: ${this.#running.map(({ output }) => output.join('').slice(-1000)).join('\n')}`,
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map(({ child }) => endGroup(child)));
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const exited =
    child.exitCode !== null || child.signalCode !== null
      ? Promise.resolve()
      : once(child, 'exit').then(() => undefined);
  signalGroup(child.pid, 'SIGTERM');
  await Promise.race([exited, wait(STOP_MS, undefined, { ref: false })]);
  signalGroup(child.pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}
