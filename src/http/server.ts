import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Connections } from './connections.ts';

export type HttpServerOptions = {
  readonly host: string;
  readonly port: number;
  /** A socket that listens already, which this process was given; in place of `host` and `port`. */
  readonly fd?: number | undefined;
  /** Milliseconds for which a client may neither send nor read; 120,000 when left out. */
  readonly silenceMs?: number;
  /** Says which requests change to another protocol. All others are answered as HTTP/1.1, whatever `Upgrade` they ask for. */
  readonly shouldUpgrade?: (req: IncomingMessage) => boolean;
  readonly onUpgrade?: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
};

export type RunningServer = {
  readonly server: Server;
  /** The address and the port that it listens on; they differ from the options when the port was 0, and where a socket was given. */
  readonly host: string;
  readonly port: number;
  /**
   * Takes no further connections and lets requests in flight finish.
   *
   * @param graceMs - requests that are not finished after this time are cut off.
   */
  stop(graceMs: number): Promise<void>;
};

/** How long a client may take to send its headers, so that a half-open connection is closed after this time. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How long a connection may stay silent in the middle of a request or an answer. The time that a handler takes between the two does not count. */
const SILENCE_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** At a stop, requests that are still on their way have this long to arrive. */
const LAST_ARRIVALS_MS = 100;

/** How much of a body may wait in each direction: a few reads of a socket, so that neither side of a transfer waits for the other after each of them. */
const AHEAD_BYTES = 262_144;
/**
 * Lets V8 look for unused buffers whenever there are 32 MiB of new ones. By default it collects the whole heap after some 40 MiB of them, so that
 * each chunk of a stream lies in memory that the processor no longer has in its cache: a stream then takes twice the processor time and 100 MB.
 */
const COLLECT_BUFFERS_EARLY = '--scavenger-max-new-space-capacity-mb=8';

/** Starts a server. A transfer may take as long as it needs; it is cut off only when the client stays silent. */
export async function listen(app: RequestListener, options: HttpServerOptions): Promise<RunningServer> {
  setFlagsFromString(COLLECT_BUFFERS_EARLY);
  const server = createServer({ requestTimeout: 0, highWaterMark: AHEAD_BYTES, headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 5_000, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, shouldUpgradeCallback: (req) => options.shouldUpgrade?.(req) ?? false }, app);
  const { silenceMs = SILENCE_TIMEOUT_MS } = options;
  const connections = new Connections(server);
  server.setTimeout(silenceMs, (socket) => {
    // Storage may take many minutes for a large copy, and the client can only wait.
    if (connections.isWaiting(socket)) socket.setTimeout(silenceMs);
    else socket.destroy();
  });
  // `server.close` calls this method. Node's own would cut off answers that are not sent yet, and requests that were sent and are not read yet.
  server.closeIdleConnections = () => undefined;
  if (options.onUpgrade !== undefined) server.on('upgrade', options.onUpgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.fd === undefined ? { port: options.port, host: options.host } : { fd: options.fd }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const { address: host, port } = typeof address === 'object' && address !== null ? address : { address: options.host, port: options.port };
  return { server, host, port, stop: (graceMs) => stop(server, connections, { graceMs, isShared: options.fd !== undefined }) };
}

/** @param isShared - whether connections wait in the socket for the next process. */
async function stop(server: Server, connections: Connections, { graceMs, isShared }: { graceMs: number; isShared: boolean }): Promise<void> {
  connections.keepNone();
  if (!isShared) await readWhatWasSent();
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  await readWhatWasSent();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  // An answer whose headers promised keep-alive leaves its connection open, so idle connections are closed again and again.
  const sweep = setInterval(() => connections.closeThoseAtRest(), 100);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
}

/** Reads requests that were sent before the stop: to accept the connection and to read the request each takes a turn of the event loop. */
async function readWhatWasSent(): Promise<void> {
  await wait(LAST_ARRIVALS_MS);
  await turn();
  await turn();
}
