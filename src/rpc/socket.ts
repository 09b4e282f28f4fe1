import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { Caller } from '../access/caller.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import { readCredentials } from '../access/credentials.ts';
import { holderOf } from '../access/holder.ts';
import type { Identify } from '../access/identify.ts';
import type { OwnOrigin } from '../access/origin.ts';
import { catalogue } from '../errors/catalogue.ts';
import { codeOf } from '../errors/svc-error.ts';
import type { Logger } from '../log/logger.ts';
import { MAX_MESSAGE_BYTES, sessionEnded, type Dispatch } from './dispatch.ts';

/** Close code for a session or key that ended; the client signs in again. */
export const SESSION_ENDED = 4001;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
const HEARTBEAT_MS = 30_000;
/** How long a client may take to leave when the service stops. */
const LEAVE_MS = 1_000;
/** Messages of one socket that may wait for their answers; more are refused by closing. */
const MAX_WAITING = 256;

export type RpcSocketParts = {
  readonly identify: Identify;
  readonly dispatch: Dispatch;
  readonly watch: CredentialWatch;
  readonly ownOrigin: OwnOrigin;
  /** Where a request really comes from, behind the proxies that are trusted. */
  readonly addressOf: (req: IncomingMessage) => string | undefined;
  readonly log: Logger;
};

type Connection = { readonly socket: WebSocket; readonly caller: Caller; readonly address: string | undefined; readonly away: AbortController; alive: boolean; waiting: number; queue: Promise<void> };

/** JSON-RPC over WebSocket. A connection lives as long as the session or key that it came with, whichever instance ends that. */
export class RpcSocket {
  readonly #parts: RpcSocketParts;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  readonly #connections = new Set<Connection>();
  readonly #heartbeat: NodeJS.Timeout;
  #isClosing = false;

  constructor(parts: RpcSocketParts) {
    this.#parts = parts;
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  /** Lets a connection in: its origin first, then its credential. */
  async upgrade(req: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    stream.on('error', () => stream.destroy());
    try {
      const { identify, ownOrigin, addressOf } = this.#parts;
      ownOrigin.admit(req.headers);
      ownOrigin.require(req.headers);
      const caller = await identify.byCredentials(readCredentials(req.headers));
      if (caller === undefined) {
        refuse(stream, 401, 'session_required');
        return;
      }
      if (stream.destroyed) return;
      this.#server.handleUpgrade(req, stream, head, (socket) => this.#open(socket, caller, addressOf(req)));
    } catch (error) {
      const code = codeOf(error) ?? 'internal';
      refuse(stream, catalogue[code].status, code);
    }
  }

  /** Tells every client that the service goes away, and cuts off those that do not leave. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#isClosing = true;
    await Promise.all(Array.from(this.#connections, ({ socket }) => sendAway(socket)));
    this.#server.close();
  }

  #open(socket: WebSocket, caller: Caller, address: string | undefined): void {
    const connection: Connection = { socket, caller, address, away: new AbortController(), alive: true, waiting: 0, queue: Promise.resolve() };
    this.#connections.add(connection);
    const leave = this.#parts.watch.watch(caller, (why) => {
      // At once: a client may take its time to leave.
      connection.away.abort(sessionEnded());
      socket.close(SESSION_ENDED, `the session has ${why}`);
    });
    socket.on('message', (data, isBinary) => this.#receive(connection, data, isBinary));
    socket.on('pong', () => void (connection.alive = true));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      leave();
      connection.away.abort();
      this.#connections.delete(connection);
    });
    // It was let in while the others were sent away.
    if (this.#isClosing) void sendAway(socket);
  }

  #receive(connection: Connection, data: RawData, isBinary: boolean): void {
    if (isBinary || connection.waiting >= MAX_WAITING) {
      connection.socket.close(isBinary ? 1003 : TRY_AGAIN_LATER, isBinary ? 'send text' : 'too many messages wait');
      return;
    }
    connection.waiting += 1;
    connection.queue = connection.queue.then(() => this.#answer(connection, textOf(data))).finally(() => void (connection.waiting -= 1));
  }

  async #answer({ socket, caller, address, away }: Connection, text: string): Promise<void> {
    if (!isOpen(socket)) return;
    try {
      const again = () => this.#parts.identify.byHolder(holderOf(caller));
      const current = await again();
      if (current === undefined) {
        socket.close(SESSION_ENDED, 'the session has ended');
        return;
      }
      const answer = await this.#parts.dispatch.answer(text, { caller: current, origin: { requestId: randomUUID(), address }, again, signal: away.signal });
      if (answer !== undefined && isOpen(socket)) socket.send(JSON.stringify(answer));
    } catch (error) {
      this.#parts.log.warn('rpc socket: a message could not be answered', { cause: error });
      socket.close(TRY_AGAIN_LATER, 'try again in a moment');
    }
  }

  #beat(): void {
    for (const connection of this.#connections) {
      if (!connection.alive) connection.socket.terminate();
      connection.alive = false;
      connection.socket.ping();
    }
  }
}

function isOpen(socket: WebSocket): boolean {
  return socket.readyState === socket.OPEN;
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data as Buffer).toString('utf8');
}

function refuse(stream: Duplex, status: number, code: string): void {
  const body = JSON.stringify({ type: `urn:svc:problem:${code}`, status, code });
  stream.end(`HTTP/1.1 ${status} ${code}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}

/** Tells a client that the service goes away, and cuts it off when it does not leave. */
async function sendAway(socket: WebSocket): Promise<void> {
  if (socket.readyState === socket.CLOSED) return;
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.close(GOING_AWAY, 'the service stops');
  const cut = setTimeout(() => socket.terminate(), LEAVE_MS);
  await closed;
  clearTimeout(cut);
}
