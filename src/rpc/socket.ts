import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { personIdOf, type Caller } from '../access/caller.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import type { FolderWatches, WatchedFolders } from '../access/folder-watches.ts';
import { readCredentials } from '../access/credentials.ts';
import { credentialRefOf } from '../access/credential-ref.ts';
import type { Identify } from '../access/identify.ts';
import type { OriginCheck } from '../access/origin.ts';
import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { codeOf, type SvcError } from '../errors/svc-error.ts';
import type { Logger } from '../log/logger.ts';
import type { Performer } from '../operation/perform.ts';
import { FOLDER_CHANGED } from '../wire/folder-changed.ts';
import { Connection, GOING_AWAY } from './connection.ts';
import { MAX_MESSAGE_BYTES, sessionEnded, type Dispatch, type RpcContext } from './dispatch.ts';
import { TIMES_WHILE_ANSWERED } from './rpc-request.ts';

const HEARTBEAT_MS = 30_000;
const MAX_PER_PERSON = 32;
const RETRY_AFTER_SECONDS = 5;
const SERVICE_STOPS = [GOING_AWAY, 'the service stops'] as const;

export type RpcSocketParts = {
  readonly identify: Identify;
  readonly dispatch: Dispatch;
  readonly performer: Performer;
  readonly watch: CredentialWatch;
  readonly folders: FolderWatches;
  readonly ownOrigin: OriginCheck;
  /** The client's address, as the trusted proxies report it. */
  readonly addressOf: (req: IncomingMessage) => string | undefined;
  readonly log: Logger;
  /** Milliseconds between two pings. A client that is silent for twice as long is cut off. */
  readonly heartbeatMs?: number;
};

/** JSON-RPC over WebSocket. A connection is closed when its session or key ends, on any instance. */
export class RpcSocket {
  readonly #parts: RpcSocketParts;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    // Each piece takes two hundred bytes more than its own.
    maxFragments: 1_024,
    maxBufferedChunks: 4_096,
    perMessageDeflate: false,
  });
  /** The open connections, by person. */
  readonly #connections = new Map<string, Set<Connection>>();
  /** The cookie of each open connection that was opened with one. */
  readonly #cookies = new Map<Connection, string>();
  readonly #heartbeat: NodeJS.Timeout;
  #isClosing = false;

  constructor(parts: RpcSocketParts) {
    this.#parts = parts;
    this.#heartbeat = setInterval(() => this.#beat(), parts.heartbeatMs ?? HEARTBEAT_MS).unref();
  }

  /** The number of open sockets. */
  get size(): number {
    return this.#server.clients.size;
  }

  /** Opens a socket after checking the origin and the credential. The server listens to errors of `stream`. */
  async upgrade(req: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    try {
      const { identify, ownOrigin, addressOf } = this.#parts;
      ownOrigin.admit(req.headers);
      ownOrigin.require(req.headers);
      const credentials = readCredentials(req.headers);
      const caller = await identify.byCredentials(credentials);
      if (caller === undefined) {
        refuse(stream, 'session_required');
        return;
      }
      if ((this.#connections.get(personIdOf(caller))?.size ?? 0) >= MAX_PER_PERSON) {
        refuse(stream, 'rate_limited', RETRY_AFTER_SECONDS);
        return;
      }
      if (stream.destroyed) return;
      this.#server.handleUpgrade(req, stream, head, (socket) =>
        this.#open(socket, stream, { caller, address: addressOf(req), cookie: credentials.cookie }),
      );
    } catch (error) {
      refuse(stream, codeOf(error) ?? 'internal', (error as Partial<SvcError>).retryAfterSeconds);
    }
  }

  /** Tells every client that the service stops, and cuts off those that do not close. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#isClosing = true;
    await Promise.all(
      [...this.#connections.values()].flatMap((connections) =>
        Array.from(connections, (connection) => connection.sendAway(...SERVICE_STOPS)),
      ),
    );
    this.#server.close();
  }

  /** Ends the connections whose cookie none of the current secrets verifies. */
  endUnverified(): void {
    for (const [connection, cookie] of this.#cookies)
      if (!this.#parts.identify.verifies(cookie)) connection.endWithSession('ended');
  }

  #open(
    socket: WebSocket,
    stream: Duplex,
    {
      caller,
      address,
      cookie,
    }: { readonly caller: Caller; readonly address: string | undefined; readonly cookie: string | undefined },
  ): void {
    const again = () => this.#parts.identify.byCredentialRef(credentialRefOf(caller));
    const watched = this.#parts.folders.open({ again, tell: (watch) => connection.tell(folderChanged(watch)) });
    const connection = new Connection(
      socket,
      stream,
      (text, signal, send) => this.#answer(text, { again, watched, address, signal }, send),
      (bytes, signal, work) =>
        this.#parts.performer.hold(caller, TIMES_WHILE_ANSWERED * bytes, { signal }, (keep) =>
          work((whole) => keep(TIMES_WHILE_ANSWERED * whole)),
        ),
    );
    const person = personIdOf(caller);
    const connections = this.#connections.get(person) ?? new Set<Connection>();
    this.#connections.set(person, connections.add(connection));
    const leave = this.#parts.watch.watch(caller, (why) => connection.endWithSession(why));
    socket.on('close', () => {
      leave();
      watched.close();
      connections.delete(connection);
      this.#cookies.delete(connection);
      if (connections.size === 0) this.#connections.delete(person);
    });
    if (caller.session !== undefined && cookie !== undefined) {
      this.#cookies.set(connection, cookie);
      // The secrets were replaced after the caller was identified.
      if (!this.#parts.identify.verifies(cookie)) connection.endWithSession('ended');
    }
    // This socket was opened while `close` was already closing the others.
    if (this.#isClosing) void connection.sendAway(...SERVICE_STOPS);
  }

  /**
   * Identifies the caller again and sends the answer to the message, as JSON in UTF-8.
   *
   * @throws {SvcError} `session_required` when their session or key has ended; `rate_limited`, `overloaded`.
   */
  async #answer(
    text: string,
    {
      address,
      ...context
    }: Pick<RpcContext, 'again' | 'signal'> & {
      readonly watched: WatchedFolders;
      readonly address: string | undefined;
    },
    send: (answer: Buffer | undefined) => Promise<void>,
  ): Promise<void> {
    try {
      const caller = await context.again();
      if (caller === undefined) throw sessionEnded();
      const origin = { requestId: randomUUID(), address, face: 'socket' } as const;
      await this.#parts.dispatch.serve(text, { ...context, caller, origin }, send);
    } catch (error) {
      if (codeOf(error) !== 'session_required')
        this.#parts.log.warn('rpc socket: a message could not be answered', { cause: error });
      throw error;
    }
  }

  #beat(): void {
    for (const connections of this.#connections.values()) for (const connection of connections) connection.beat();
  }
}

function folderChanged(watch: string): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: FOLDER_CHANGED, params: { watch } }));
}

function refuse(stream: Duplex, code: ErrorCode, retryAfterSeconds?: number): void {
  const { status } = catalogue[code];
  const retry = retryAfterSeconds === undefined ? '' : `Retry-After: ${retryAfterSeconds}\r\n`;
  const body = JSON.stringify({ type: `urn:svc:problem:${code}`, status, code });
  stream.end(
    `HTTP/1.1 ${status} ${code}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${retry}Connection: close\r\n\r\n${body}`,
    () => stream.destroy(),
  );
  // Destroying a stream with unread input would discard the answer too.
  stream.resume();
}
