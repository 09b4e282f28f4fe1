import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { growthDuring, memoryOf } from '../bench-storage/memory.ts';
import { diesWithUs } from './dies-with-us.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const LOOP_WATCH = pathToFileURL(join(import.meta.dirname, 'loop-watch.ts')).href;
const START_MS = 120_000;

/** `svc serve` in a process of its own, so that its memory is its own. */
export class ServiceProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(config: string, origin: string, secret: string): Promise<ServiceProcess> {
    const child = spawn(process.execPath, ['--import', LOOP_WATCH, 'bin/svc.js', 'serve', '--config', config], {
      cwd: CHECKOUT,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, SVC_SESSION_SECRET: secret },
    });
    diesWithUs(child);
    for (const end = performance.now() + START_MS; performance.now() < end && child.exitCode === null;) {
      const answer = await fetch(`${origin}/api/health`).catch(() => undefined);
      if (answer?.ok === true) return new ServiceProcess(child);
      await wait(100);
    }
    child.kill('SIGKILL');
    throw new Error('the service did not start');
  }

  /** Its resident memory, in MB. */
  get memory(): number {
    return memoryOf(this.#child.pid);
  }

  /** How much its memory grows at most while `work` runs, in MB. */
  growthDuring(work: () => Promise<unknown>): Promise<number> {
    return growthDuring(this.#child.pid, work);
  }

  /** What one turn of its event loop cost at most since it was last asked, in milliseconds. */
  async longestBlock(): Promise<number> {
    const told = once(this.#child, 'message') as Promise<[number]>;
    this.#child.send('how long');
    return (await told)[0];
  }

  /** Sends SIGTERM. @returns the exit status, and the milliseconds that it took. */
  async terminate(): Promise<{ readonly status: number | null; readonly ms: number }> {
    const since = performance.now();
    const exited = once(this.#child, 'exit') as Promise<[number | null]>;
    this.#child.kill('SIGTERM');
    const [status] = await exited;
    return { status, ms: performance.now() - since };
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
