import type { Settings } from '../config/settings.ts';

/** What `serve` needs of the rest: handed in by main, because only the composition root joins parts. */
export type ServeParts = {
  readonly settings: Settings;
  readonly warnings: readonly string[];
  readonly start: (settings: Settings) => Promise<{ readonly port: number; stop(): Promise<void> }>;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** Resolves when the process is asked to stop. */
  readonly stopAsked: Promise<void>;
};

/**
 * Runs the service until the process is asked to stop.
 *
 * @returns exit status: 0, or 1 when it could not listen.
 */
export async function serve({ settings, warnings, start, print, printError, stopAsked }: ServeParts): Promise<number> {
  for (const warning of warnings) print(`warning: ${warning}`);
  const { host, port } = settings.server;
  let running: Awaited<ReturnType<typeof start>>;
  try {
    running = await start(settings);
  } catch (error) {
    if (isListenError(error, 'EADDRINUSE')) printError(`port ${port} on ${host} is in use; choose another with \`--port\``);
    else if (isListenError(error, 'EACCES')) printError(`port ${port} on ${host} may not be used by this user; choose another with \`--port\``);
    else printError(`the service could not start: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
  const shown = host.includes(':') ? `[${host}]` : host;
  print(`svc listens on http://${shown}:${running.port}`);
  if (settings.auth.enabled) print(`people open ${settings.auth.publicOrigin}${settings.server.basePath}/`);
  else print('authentication is off: everyone who can connect may do everything');
  if (settings.auth.oidc !== undefined) {
    print(`register this redirect URI with the identity provider: ${settings.auth.oidc.redirectUri}`);
  }
  if (settings.auth.enabled && settings.auth.session.type === 'memory') print('sessions are kept in memory: for one instance, and lost at a restart');
  await stopAsked;
  print('stopping');
  await running.stop();
  return 0;
}

function isListenError(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
