import type { IncomingMessage } from 'node:http';
import { withListenedPort } from '../config/compile/listened-port.ts';
import { isLoopbackHost } from '../config/compile/origin.ts';
import { requireReloadable } from '../config/compile/reloadable.ts';
import type { Settings } from '../config/read/settings.ts';
import type { Route } from '../http/routing/route.ts';
import { ownMessages } from '../http/own-messages.ts';
import { listen, type RunningServer } from '../http/server.ts';
import type { Metrics } from '../http/rows/metrics.ts';
import { compose, type ComposeOptions, type Composition } from './compose.ts';

export type StartOptions = ComposeOptions & {
  /** A socket that is already listening, in place of `server.host` and `server.port`. */
  readonly socketFd?: number | undefined;
};

export type RunningService = {
  /** The settings, with the port that the service got in place of port 0. */
  readonly settings: Settings;
  /** The port that serves the metrics; undefined without metrics, and in a worker. */
  readonly metricsPort: number | undefined;
  /** The port on which S3 tools are answered; undefined without `s3`. */
  readonly s3Port: number | undefined;
  readonly rows: readonly Route[];
  /** Undefined without metrics. */
  readonly metrics: Metrics | undefined;
  /** @throws {RestartNeeded} when `reload` would throw it. */
  check(next: Settings): void;
  /**
   * Applies the policies, roles, bindings, providers and sign-in secrets of other settings, without ending a request or socket.
   *
   * @returns the revision of the policies. @throws {RestartNeeded} when other settings differ too; then nothing is applied.
   */
  reload(next: Settings): string;
  /** Reports in the log and in the metrics that a configuration was not applied. */
  refused(why: string): void;
  /** Finishes the requests in flight, and closes sockets and stores. */
  stop(): Promise<void>;
};

/** Milliseconds that requests in flight may take to finish when the service stops. */
const STOP_GRACE_MS = 8_000;

/** Starts the service. It listens before the parts are made, because their addresses contain the port; requests wait until then. */
export async function startService(given: Settings, options: StartOptions): Promise<RunningService> {
  const { promise: joined, resolve: answerWith } = Promise.withResolvers<Composition>();
  const { host, port, basePath, metrics: metricsAddress } = given.server;
  const messages = ownMessages();
  const running = await listen((req, res) => void joined.then(({ app }) => app(req, res)), {
    host,
    port,
    fd: options.socketFd,
    messages,
    shouldUpgrade: (req) => isSocketRequest(req, basePath),
    onUpgrade: (req, stream, head) => void joined.then(({ upgrade }) => upgrade(req, stream, head)),
  });
  let s3Server: RunningServer | undefined;
  // An inherited socket keeps its own address, whatever the configuration says.
  const asListened = (settings: Settings): Settings =>
    withListenedPort(
      options.socketFd === undefined ? settings : { ...settings, server: { ...settings.server, host: running.host } },
      running.port,
      s3Server?.port,
    );
  let composition: Composition | undefined;
  let metricsServer: RunningServer | undefined;
  try {
    if (given.s3 !== undefined)
      s3Server = await listen((req, res) => void joined.then(({ s3 }) => s3?.(req, res)), given.s3);
    const settings = asListened(given);
    if (options.socketFd !== undefined) requireLoopback(settings);
    let current = settings;
    composition = await compose(settings, { ...options, messages });
    const { metrics, rows, closeSockets, takeOver, close } = composition;
    metricsServer =
      metrics === undefined || metricsAddress === undefined || options.shared !== undefined
        ? undefined
        : await listen(metrics.listener, metricsAddress);
    answerWith(composition);
    const reloadable = (next: Settings): Settings => {
      const listening = asListened(next);
      const isSame = next.server.port === given.server.port && next.s3?.port === given.s3?.port;
      requireReloadable(current, isSame ? listening : next);
      return listening;
    };
    return {
      settings,
      metricsPort: metricsServer?.port,
      s3Port: s3Server?.port,
      rows,
      metrics,
      check: (next) => void reloadable(next),
      reload: (next) => {
        const listening = reloadable(next);
        const revision = takeOver(listening);
        current = listening;
        metrics?.reloaded(true);
        return revision;
      },
      refused: (why) => {
        options.log.error('the configuration was not applied', { why });
        metrics?.reloaded(false);
      },
      stop: async () => {
        const stopped = running.stop(STOP_GRACE_MS);
        await closeSockets();
        await Promise.all([stopped, s3Server?.stop(STOP_GRACE_MS)]);
        await metricsServer?.stop(0);
        await close();
      },
    };
  } catch (error) {
    await running.stop(0);
    await s3Server?.stop(0);
    await composition?.close();
    throw error;
  }
}

/** The configuration was checked for its own `server.host`, which may differ from the host of an inherited socket. @throws {Error} */
function requireLoopback({ auth, server: { host } }: Settings): void {
  if (isLoopbackHost(host) || (auth.enabled && auth.oidc !== undefined)) return;
  throw new Error(
    `the inherited socket listens on \`${host}\`; without an identity provider everyone who can connect could do everything, so it must listen on loopback`,
  );
}

function isSocketRequest({ method, headers, url = '' }: IncomingMessage, basePath: string): boolean {
  const path = url.split('?', 1)[0];
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    (path === '/rpc' || path === `${basePath}/rpc`)
  );
}
