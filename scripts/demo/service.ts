import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHECKOUT } from './folder.ts';

const ENDS_WITH_PARENT = new URL('ends-with-parent.ts', import.meta.url).href;
/** A busy machine takes more than 40 seconds. A service that cannot start ends by itself. */
const START_WITHIN_MS = 150_000;
const STOP_WITHIN_MS = 12_000;

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
export async function startService({
  config,
  origin,
  port,
  environment,
  logFile,
}: ServiceOptions): Promise<RunningService> {
  const child = spawn(
    process.execPath,
    ['--import', ENDS_WITH_PARENT, 'bin/svc.js', 'serve', '--config', config, '--port', String(port)],
    {
      cwd: CHECKOUT,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const log = createWriteStream(logFile);
  const [stdout, stderr] = [child.stdout!, child.stderr!];
  stdout.pipe(log, { end: false });
  stderr.pipe(log, { end: false });
  const ended = once(child, 'close').then(async () => {
    await new Promise<void>((resolve) => log.end(resolve));
    return lastWords(logFile);
  });

  const fault = await Promise.race([
    ended.then(() => 'it ended'),
    listens(stdout).then(() => faultOf(`${origin}/api/health`)),
    sleep(START_WITHIN_MS, 'it took too long', { ref: false }),
  ]);
  if (fault !== undefined) {
    await stop(child, ended);
    throw new Error(`the service did not start: ${fault}\n${await ended}`);
  }
  return { ended, stop: () => stop(child, ended) };
}

/** Waits for the line that says so: to ask a port where nothing listens yet can, on one machine, take the port away. */
async function listens(output: Readable): Promise<void> {
  let said = '';
  await new Promise<void>((resolve) => {
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      if (!said.includes('listens on')) return;
      output.off('data', read);
      resolve();
    };
    output.on('data', read);
  });
}

async function faultOf(url: string): Promise<string | undefined> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(START_WITHIN_MS) }).catch((error: unknown) => error);
  return answer instanceof Response && answer.ok
    ? undefined
    : `${url} answered ${answer instanceof Response ? answer.status : String(answer)}`;
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
