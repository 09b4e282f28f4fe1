import type { Settings } from '../../config/read/settings.ts';
import type { Edge, RunningService } from '../terminal/edge.ts';

/** The output of `svc serve` in addition to its log. */
export type Words = {
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly printError: (line: string) => void;
};

/** The dependencies of `serve`. Main provides them, because only the composition root combines parts. */
export type ServeParts = Pick<Edge, 'start' | 'onReload'> & {
  readonly settings: Settings;
  readonly warnings: readonly string[];
  /** Reads the configuration again. */
  readonly load: () => {
    readonly settings?: Settings | undefined;
    /** The faults of the configuration, one per line. */ readonly faults: readonly string[];
  };
  readonly words: Words;
  /** Resolves when the process is asked to stop. */
  readonly stopAsked: Promise<void>;
};

/**
 * Runs the service until the process is asked to stop.
 *
 * @returns exit status: 0, or 1 when it could not start.
 */
export async function serve({
  settings: given,
  warnings,
  start,
  words,
  stopAsked,
  load,
  onReload,
}: ServeParts): Promise<number> {
  const { print, printError } = words;
  for (const warning of warnings) words.warn(warning);
  let running: Awaited<ReturnType<typeof start>> | undefined;
  // A signal before the start is ignored, because the configuration is being read anyway.
  if (given.server.reload === 'on_signal') onReload(() => running !== undefined && void reload(running, load, print));
  try {
    running = await start(given);
  } catch (error) {
    const { host, port } = given.server;
    if (isListenError(error, 'EADDRINUSE'))
      printError(`port ${port} on ${host} is in use; choose another with \`--port\``);
    else if (isListenError(error, 'EACCES'))
      printError(`port ${port} on ${host} may not be used by this user; choose another with \`--port\``);
    else printError(`the service could not start: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
  printAddresses(running.settings, print);
  await stopAsked;
  print('stopping');
  await running.stop();
  return 0;
}

/** Applies a new configuration. If that fails, nothing changes, and the log says why. */
async function reload(running: RunningService, load: ServeParts['load'], print: Words['print']): Promise<void> {
  const { settings, faults } = load();
  if (settings === undefined) {
    running.refused(faults.join('; '));
    return;
  }
  try {
    print(`applied the configuration; policy revision ${await running.reload(settings)}`);
  } catch (error) {
    running.refused(error instanceof Error ? error.message : String(error));
  }
}

function printAddresses({ auth, server: { host, port, basePath } }: Settings, print: Words['print']): void {
  print(`svc listens on http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (auth.enabled) print(`people open ${auth.publicOrigin}${basePath}/`);
  else print('authentication is off: everyone who can connect may do everything');
  if (auth.oidc !== undefined) print(`register this redirect URI with the identity provider: ${auth.oidc.redirectUri}`);
  if (auth.enabled && auth.session.type === 'memory')
    print('sessions are kept in memory: for one instance, and lost at a restart');
}

function isListenError(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
