import cluster from 'node:cluster';
import { createReadStream, fstatSync, readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { Edge } from './cli/terminal/edge.ts';
import { linePrinter, messagePrinter } from './cli/terminal/printing.ts';
import { run } from './cli/run.ts';
import { giveBackMemory } from './garbage.ts';
import { logConsoleWarnings } from './log/console-warnings.ts';
import { inheritedSocket, tellSystemd } from './systemd.ts';
import { openBrowser } from './client/browser.ts';

const PARENT_LOOK_MS = 250;
/** Milliseconds after the start. What has waited for it is answered by then. */
const GIVE_BACK_MS = 1_000;

/**
 * Connects the command line to the process: arguments, environment and signals. Each verb loads only the modules that it needs. `root` is the folder of the
 * package: a checkout or an installed package.
 */
export async function main(args: readonly string[], root: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const webDirectory = join(root, 'dist', 'web');
  const { stdin, stdout, stderr } = process;
  // What nobody reads any more, or does not fit on the disk, ends no work.
  stderr.on('error', () => undefined);
  if (cluster.isWorker) {
    (await import('./compose/run-worker.ts')).runWorker({ version, webDirectory });
    return;
  }
  let isService = false;
  // The reader of a pipe may close it early, as in `svc ls | head`.
  stdout.on('error', (error: NodeJS.ErrnoException) => isService || process.exit(error.code === 'EPIPE' ? 0 : 1));
  const command = [process.execPath, join(root, 'bin', 'svc.js')];
  const edge: Edge = {
    env: process.env,
    command,
    print: linePrinter(stdout),
    printError: messagePrinter(stderr),
    stdout,
    stderr,
    watched: stderr.isTTY,
    isTerminal: stdout.isTTY,
    confirm: stdin.isTTY && stderr.isTTY ? confirm : undefined,
    input: () => text(stdin),
    // Node gives the end of a folder at once, instead of its error.
    stdin: () => (fstatSync(0).isDirectory() ? createReadStream('', { fd: 0 }) : stdin),
    beforeInterrupt,
    version,
    start: async (settings) => {
      isService = true;
      const log = (await import('./log/logger.ts')).createLogger(settings.log);
      logConsoleWarnings(log);
      const socketFd = inheritedSocket(process.env);
      const count = settings.server.workers === 'auto' ? availableParallelism() : settings.server.workers;
      if (count > 1) {
        const workers = await (
          await import('./compose/start-workers.ts')
        ).startWorkers(settings, { count, log, socketFd });
        tellSystemd(process.env, () => workers.live());
        return workers;
      }
      const { startService } = await import('./compose/start-service.ts');
      const service = await startService(settings, { log, version, webDirectory, socketFd });
      tellSystemd(process.env);
      // Node writes its compile cache at exit, which a killed service never reaches.
      flushCompileCache();
      setTimeout(giveBackMemory, GIVE_BACK_MS).unref();
      return service;
    },
    examine: async (settings, examination) => (await import('./doctor/doctor.ts')).examine(settings, examination),
    upkeep: () => import('./upkeep/upkeep.ts'),
    audit: async () => {
      const [
        { auditPlace },
        { verifyAudit },
        { latestLines, matchingLines, NewLines },
        { AuditHistory },
        { revisionOf },
        { operations },
      ] = await Promise.all([
        import('./audit/audit-place.ts'),
        import('./audit/verify.ts'),
        import('./audit/audit-lines.ts'),
        import('./audit/audit-history.ts'),
        import('./access/policy-revision.ts'),
        import('./audit/operations.ts'),
      ]);
      return {
        operationNames: Object.keys(operations),
        auditPlace,
        verifyAudit,
        latestLines,
        matchingLines,
        follow: (path) => new NewLines(path),
        history: ({ path, keys }, span) => new AuditHistory(path, keys, span),
        revisionOf,
      };
    },
    desktop: async ({ place, ...start }) => {
      const [{ runDesktop }, { placeOf }] = await Promise.all([
        import('./desktop/desktop.ts'),
        import('./desktop/place-address.ts'),
      ]);
      const named = place === undefined ? { server: start.server, path: '' } : placeOf(place);
      await runDesktop({
        ...start,
        ...named,
        env: process.env,
        version,
        webDirectory,
        openOutside: (url) => void openBrowser(url),
        say: edge.printError,
        stopAsked: stopAsked(['SIGHUP']),
      });
    },
    registerDesktop: async () =>
      (await import('./desktop/register.ts')).register(
        {
          command: [...command, 'desktop'],
          icon: join(root, 'dist', 'web', 'icon-512.png'),
        },
        process.env,
      ),
    stopAsked,
    onReload: (reload) => void process.on('SIGHUP', reload),
  };
  await end(await run(args, edge));
}

/**
 * Ends the process when its output is written. A command of the AWS default chain that hangs, which nothing here can close, would keep it from ending by itself.
 */
async function end(status: number): Promise<never> {
  // The last lines of the log may be written only now.
  await setImmediate();
  for (const stream of [process.stdout, process.stderr])
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve));
  process.exit(status);
}

/** Resolves when the process is asked to stop. From the call on, the signals no longer end the process. */
function stopAsked(also: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', ...also] as const) process.once(signal, () => resolve());
    if (process.env['npm_lifecycle_event'] !== undefined) whenOrphaned(resolve);
  });
}

/** Calls back when npm has ended. npm forwards no signals: it just ends, and this process gets another parent. */
function whenOrphaned(then: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, PARENT_LOOK_MS).unref();
}

/** Asks a question on the terminal. Every answer but a yes is a no. */
async function confirm(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline');
  const { stdin, stderr } = process;
  stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  return await new Promise((resolve) => {
    lines.once('close', () => resolve(false));
    lines.once('line', (line) => {
      resolve(/^\s*y(?:es)?\s*$/i.test(line));
      lines.close();
    });
  });
}

/** Runs the cleanup on a signal, then ends the process by the same signal, as its parent expects. */
function beforeInterrupt(tidy: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      tidy();
      process.kill(process.pid, signal);
    });
  }
}
