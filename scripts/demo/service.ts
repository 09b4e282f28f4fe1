import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const CHECKOUT = new URL('../../', import.meta.url).pathname;
const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 12_000;
const POLL_MS = 50;

/** The service, running in a process of its own just as `svc serve` starts it. */
export type RunningService = {
  /** Resolves with what it last said when it ends by itself. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
};

export type ServiceOptions = {
  readonly config: string;
  readonly origin: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Where its log goes: the terminal belongs to the accounts. */
  readonly logFile: string;
};

/**
 * Runs `svc serve` and waits until it answers.
 *
 * @throws {Error} with what it said, when it does not start.
 */
export async function startService({ config, origin, port, environment, logFile }: ServiceOptions): Promise<RunningService> {
  const child = spawn(process.execPath, ['bin/svc.js', 'serve', '--config', config, '--port', String(port)], {
    cwd: CHECKOUT,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = once(child, 'close').then(async () => {
    await new Promise<void>((resolve) => log.end(resolve));
    return lastWords(logFile);
  });

  const answered = await Promise.race([ended.then(() => false), answers(`${origin}/api/health`)]);
  if (!answered) {
    await stop(child, ended);
    throw new Error(`the service did not start:\n${await ended}`);
  }
  return { ended, stop: () => stop(child, ended) };
}

async function answers(url: string): Promise<boolean> {
  const deadline = Date.now() + START_WITHIN_MS;
  while (Date.now() < deadline) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return true;
    await sleep(POLL_MS);
  }
  return false;
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(hard);
}

async function lastWords(logFile: string): Promise<string> {
  return (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-20).join('\n');
}
