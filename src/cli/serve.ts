import type { Settings } from '../config/settings.ts';

/** What `serve` needs of the rest: handed in by main, because only the composition root joins parts. */
export type ServeParts = {
  readonly settings: Settings;
  readonly warnings: readonly string[];
  readonly start: (settings: Settings) => Promise<{ /** With the port that it listens on. */ readonly settings: Settings; /** @returns the revision of the policies. */ reload(next: Settings): string; /** Tells that what was to be taken over was not. */ refused(why: string): void; stop(): Promise<void> }>;
  /** Reads the configuration again. */
  readonly load: () => { readonly settings?: Settings | undefined; /** What is wrong with it, a line each. */ readonly faults: readonly string[] };
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** Resolves when the process is asked to stop. */
  readonly stopAsked: Promise<void>;
  /** Calls back whenever the process is asked to read its configuration again. */
  readonly onReload: (reload: () => void) => void;
};

/**
 * Runs the service until the process is asked to stop.
 *
 * @returns exit status: 0, or 1 when it could not listen.
 */
export async function serve({ settings: given, warnings, start, print, printError, stopAsked, load, onReload }: ServeParts): Promise<number> {
  for (const warning of warnings) print(`warning: ${warning}`);
  let running: Awaited<ReturnType<typeof start>> | undefined;
  // A signal that comes early asks for what is being read anyway.
  if (given.server.reload === 'on_signal') onReload(() => running !== undefined && reload(running, load, { print, printError }));
  try {
    running = await start(given);
  } catch (error) {
    const { host, port } = given.server;
    if (isListenError(error, 'EADDRINUSE')) printError(`port ${port} on ${host} is in use; choose another with \`--port\``);
    else if (isListenError(error, 'EACCES')) printError(`port ${port} on ${host} may not be used by this user; choose another with \`--port\``);
    else printError(`the service could not start: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
  printAddresses(running.settings, print);
  await stopAsked;
  print('stopping');
  await running.stop();
  return 0;
}

/** A configuration that cannot be taken over changes nothing. */
function reload(running: Awaited<ReturnType<ServeParts['start']>>, load: ServeParts['load'], { print, printError }: Pick<ServeParts, 'print' | 'printError'>): void {
  const { settings, faults } = load();
  for (const fault of faults) printError(fault);
  if (settings === undefined) {
    printError('nothing was taken over: the configuration has faults');
    running.refused(faults.join('; '));
    return;
  }
  try {
    print(`took over the configuration; the policies have the revision ${running.reload(settings)}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    printError(why);
    running.refused(why);
  }
}

function printAddresses({ auth, server: { host, port, basePath } }: Settings, print: ServeParts['print']): void {
  print(`svc listens on http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (auth.enabled) print(`people open ${auth.publicOrigin}${basePath}/`);
  else print('authentication is off: everyone who can connect may do everything');
  if (auth.oidc !== undefined) print(`register this redirect URI with the identity provider: ${auth.oidc.redirectUri}`);
  if (auth.enabled && auth.session.type === 'memory') print('sessions are kept in memory: for one instance, and lost at a restart');
}

function isListenError(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
