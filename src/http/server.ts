import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Messages } from './own-messages.ts';
import { Connections } from './routing/connections.ts';

export type HttpServerOptions = {
  readonly host: string;
  readonly port: number;
  /** A listening socket that this process was given, instead of `host` and `port`. */
  readonly fd?: number | undefined;
  /** The classes of the requests and answers; those of Node when left out. */
  readonly messages?: Messages;
  /** Milliseconds for which a client may neither send nor read; 120,000 when left out. */
  readonly silenceMs?: number;
  /** Whether a request may upgrade to another protocol. All others are answered as HTTP/1.1, whatever `Upgrade` they ask for. */
  readonly shouldUpgrade?: (req: IncomingMessage) => boolean;
  readonly onUpgrade?: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
};

export type RunningServer = {
  readonly server: Server;
  /** The address and port on which it listens. They differ from the options when the port was 0 or a socket was given. */
  readonly host: string;
  readonly port: number;
  /**
   * Accepts no further connections and lets running requests finish.
   *
   * @param graceMs - requests that are not finished after this time are cut off.
   */
  stop(graceMs: number): Promise<void>;
};

/** How long a client may take to send its headers. A half-open connection is closed after this time. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How long a connection may be silent in the middle of a request or an answer. The time that a handler takes in between does not count. */
const SILENCE_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** When the server stops, requests that were already sent have this long to arrive. */
const LAST_ARRIVALS_MS = 100;
/** A busy process accepts the connections that already wait for this much longer at most. */
const MOST_ARRIVALS_MS = 1_000;

/** How much of a body may wait in each direction: a few reads of a socket, so that neither side of a transfer waits for the other after each of them. */
const AHEAD_BYTES = 262_144;
/**
 * Makes V8 look for unused buffers after every 32 MiB of new ones. By default it collects the whole heap after some 40 MiB of them, so that each chunk of a
 * stream is in memory that is no longer in the processor's cache: a stream then takes twice the processor time and 100 MB.
 */
const COLLECT_BUFFERS_EARLY = '--scavenger-max-new-space-capacity-mb=8';
/**
 * Makes V8 allocate all objects as young. It would otherwise allocate the entries of lists as old, and these keep the texts of their page in memory until the
 * next collection of the whole heap.
 */
const ALLOCATE_YOUNG = '--no-allocation-site-pretenuring';

/** Starts a server. A transfer may take as long as it needs; it is cut off only when the client is silent. */
export async function listen(app: RequestListener, options: HttpServerOptions): Promise<RunningServer> {
  setFlagsFromString(COLLECT_BUFFERS_EARLY);
  setFlagsFromString(ALLOCATE_YOUNG);
  const server = createServer({
    ...options.messages,
    requestTimeout: 0,
    highWaterMark: AHEAD_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requireHostHeader: false,
    // The answer to an upgrade would overtake those that are due.
    shouldUpgradeCallback: (req): boolean =>
      namesHost(req) && !connections.isInUse(req.socket) && (options.shouldUpgrade?.(req) ?? false),
  });
  const { silenceMs = SILENCE_TIMEOUT_MS } = options;
  const connections: Connections = new Connections(server);
  server.on('request', connections.oneByOne(orRefuse(app)));
  server.setTimeout(silenceMs, (socket) => {
    // Storage may take many minutes for a large copy, and the client can only wait.
    if (connections.isWaiting(socket)) socket.setTimeout(silenceMs);
    else socket.destroy();
  });
  // `server.close` calls this method. Node's own would cut off answers that are not sent yet, and requests that were sent but not read yet.
  server.closeIdleConnections = () => undefined;
  server.on('checkContinue', (req, res) => {
    inviteWhenRead(req, res);
    server.emit('request', req, res);
  });
  server.on('checkExpectation', (req, res) => void server.emit('request', req, res));
  const { onUpgrade } = options;
  if (onUpgrade !== undefined)
    server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      // Node does not listen to it any more, and an error to which nobody listens ends the process.
      socket.on('error', () => socket.destroy());
      onUpgrade(req, socket, head);
    });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.fd === undefined ? { port: options.port, host: options.host } : { fd: options.fd }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const { address: host, port } =
    typeof address === 'object' && address !== null ? address : { address: options.host, port: options.port };
  return {
    server,
    host,
    port,
    stop: (graceMs) => stop(server, connections, { graceMs, isShared: options.fd !== undefined }),
  };
}

/** Refuses what Node itself would refuse as soon as it arrives: it would then hold each of these answers until the client reads it. */
function orRefuse(app: RequestListener): RequestListener {
  return (req, res) => {
    const { expect } = req.headers;
    if (!namesHost(req)) res.writeHead(400, { Connection: 'close' }).end();
    else if (req.httpVersion === '1.1' && expect !== undefined && expect.toLowerCase() !== '100-continue')
      res.writeHead(417).end();
    else app(req, res);
  };
}

/** Whether a request has one `Host`, as HTTP/1.1 requires, or in HTTP/1.0 at most one. A proxy may heed another of two than Node, which keeps the first. */
function namesHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') count += 1;
  return count === 1 || (count === 0 && httpVersion !== '1.1');
}

/** Tells a client that waits for it (`Expect: 100-continue`) to send the body when the body is read. A refused request ends its connection instead. */
function inviteWhenRead(req: IncomingMessage, res: ServerResponse): void {
  const { shouldKeepAlive } = res;
  const read = req._read.bind(req);
  res.shouldKeepAlive = false;
  req._read = (size) => {
    req._read = read;
    if (!res.headersSent) {
      res.shouldKeepAlive = shouldKeepAlive;
      res.writeContinue();
    }
    read(size);
  };
}

/** @param isShared - whether new connections wait in the socket for the next process. */
async function stop(
  server: Server,
  connections: Connections,
  { graceMs, isShared }: { graceMs: number; isShared: boolean },
): Promise<void> {
  connections.keepNone();
  if (!isShared) await readWhatWasSent(server);
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  await readWhatWasSent(server);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  // An answer whose headers promised keep-alive leaves its connection open, so idle connections are closed repeatedly.
  const sweep = setInterval(() => connections.closeThoseAtRest(), 100);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
}

/** Reads requests that were sent before the stop. Accepting a connection takes a turn of the event loop, and reading its request another one. */
async function readWhatWasSent(server: Server): Promise<void> {
  let accepted = 0;
  const accept = (): void => void (accepted += 1);
  server.on('connection', accept);
  await wait(LAST_ARRIVALS_MS);
  const end = performance.now() + MOST_ARRIVALS_MS;
  let before: number;
  do {
    before = accepted;
    await turn();
    await turn();
  } while (accepted > before && performance.now() < end);
  server.off('connection', accept);
}
