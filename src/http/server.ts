import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { Connections } from './connections.ts';

export type HttpServerOptions = {
  readonly host: string;
  readonly port: number;
  /** Milliseconds that a client may neither send nor take anything; 120,000 when left out. */
  readonly silenceMs?: number;
  /** Requests that leave HTTP; the others, whatever `Upgrade` they ask for, are answered as HTTP/1.1. */
  readonly shouldUpgrade?: (req: IncomingMessage) => boolean;
  readonly onUpgrade?: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
};

export type RunningServer = {
  readonly server: Server;
  /** The port that it listens on; differs from the option when that was 0. */
  readonly port: number;
  /**
   * Takes no further connections and lets requests in flight finish.
   *
   * @param graceMs - what is not finished then is cut off.
   */
  stop(graceMs: number): Promise<void>;
};

/** How long a client may take for its headers. Half-open connections cost this long and no more. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How long a connection may stay silent in the middle of a request or an answer. What a handler takes between the two does not count. */
const SILENCE_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** For requests that are on their way while the service is told to stop. */
const LAST_ARRIVALS_MS = 100;

/** Listens. Long transfers are not cut by their length, only by their silence. */
export async function listen(app: RequestListener, options: HttpServerOptions): Promise<RunningServer> {
  const server = createServer({ requestTimeout: 0, headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 5_000, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, shouldUpgradeCallback: (req) => options.shouldUpgrade?.(req) ?? false }, app);
  const { silenceMs = SILENCE_TIMEOUT_MS } = options;
  const connections = new Connections(server);
  server.setTimeout(silenceMs, (socket) => {
    // A large copy takes storage many minutes, in which there is nothing for the client to do.
    if (connections.isWaiting(socket)) socket.setTimeout(silenceMs);
    else socket.destroy();
  });
  // `server.close` calls it too.
  server.closeIdleConnections = () => connections.closeThoseAtRest();
  if (options.onUpgrade !== undefined) server.on('upgrade', options.onUpgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return { server, port, stop: (graceMs) => stop(server, connections, graceMs) };
}

async function stop(server: Server, connections: Connections, graceMs: number): Promise<void> {
  connections.keepNone();
  await readWhatWasSent();
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  // Those whose headers had promised to keep them come to rest later.
  const sweep = setInterval(() => connections.closeThoseAtRest(), 100);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
}

/** A request that was sent before the stop may not be read yet, its connection not be accepted: each takes a turn of the event loop. */
async function readWhatWasSent(): Promise<void> {
  await wait(LAST_ARRIVALS_MS);
  await turn();
  await turn();
}
