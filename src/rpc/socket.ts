import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Caller } from '../access/caller.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import { readCredentials } from '../access/credentials.ts';
import { holderOf } from '../access/holder.ts';
import type { Identify } from '../access/identify.ts';
import type { OwnOrigin } from '../access/origin.ts';
import { catalogue } from '../errors/catalogue.ts';
import { codeOf } from '../errors/svc-error.ts';
import type { Logger } from '../log/logger.ts';
import { Connection, GOING_AWAY } from './connection.ts';
import { MAX_MESSAGE_BYTES, sessionEnded, type Dispatch } from './dispatch.ts';

const HEARTBEAT_MS = 30_000;
/** Sockets of one session or key; those that came without sign-in count as one. */
const MAX_PER_CREDENTIAL = 32;
const SERVICE_STOPS = [GOING_AWAY, 'the service stops'] as const;

export type RpcSocketParts = {
  readonly identify: Identify;
  readonly dispatch: Dispatch;
  readonly watch: CredentialWatch;
  readonly ownOrigin: OwnOrigin;
  /** Where a request really comes from, behind the proxies that are trusted. */
  readonly addressOf: (req: IncomingMessage) => string | undefined;
  readonly log: Logger;
  /** Milliseconds; a client that is silent for twice as long is cut off. */
  readonly heartbeatMs?: number;
};

/** JSON-RPC over WebSocket. A connection lives as long as the session or key that it came with, whichever instance ends that. */
export class RpcSocket {
  readonly #parts: RpcSocketParts;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  /** By the credential that they came with. */
  readonly #connections = new Map<string, Set<Connection>>();
  readonly #heartbeat: NodeJS.Timeout;
  #isClosing = false;

  constructor(parts: RpcSocketParts) {
    this.#parts = parts;
    this.#heartbeat = setInterval(() => this.#beat(), parts.heartbeatMs ?? HEARTBEAT_MS).unref();
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
      if ((this.#connections.get(credentialOf(caller))?.size ?? 0) >= MAX_PER_CREDENTIAL) {
        refuse(stream, 429, 'rate_limited');
        return;
      }
      if (stream.destroyed) return;
      this.#server.handleUpgrade(req, stream, head, (socket) => this.#open(socket, stream, caller, addressOf(req)));
    } catch (error) {
      const code = codeOf(error) ?? 'internal';
      refuse(stream, catalogue[code].status, code);
    }
  }

  /** Tells every client that the service goes away, and cuts off those that do not leave. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#isClosing = true;
    await Promise.all([...this.#connections.values()].flatMap((together) => Array.from(together, (connection) => connection.sendAway(...SERVICE_STOPS))));
    this.#server.close();
  }

  #open(socket: WebSocket, stream: Duplex, caller: Caller, address: string | undefined): void {
    const connection = new Connection(socket, stream, (text, signal) => this.#answer(text, { caller, address, signal }));
    const credential = credentialOf(caller);
    const together = this.#connections.get(credential) ?? new Set<Connection>();
    this.#connections.set(credential, together.add(connection));
    const leave = this.#parts.watch.watch(caller, (why) => connection.endWithSession(why));
    socket.on('close', () => {
      leave();
      together.delete(connection);
      if (together.size === 0) this.#connections.delete(credential);
    });
    // It was let in while the others were sent away.
    if (this.#isClosing) void connection.sendAway(...SERVICE_STOPS);
  }

  /** The answer as JSON in UTF-8, for the caller as they are now. @throws {SvcError} `session_required` when their session or key has ended. */
  async #answer(text: string, { caller, address, signal }: { readonly caller: Caller; readonly address: string | undefined; readonly signal: AbortSignal }): Promise<Buffer | undefined> {
    const again = () => this.#parts.identify.byHolder(holderOf(caller));
    try {
      const current = await again();
      if (current === undefined) throw sessionEnded();
      return await this.#parts.dispatch.answer(text, { caller: current, origin: { requestId: randomUUID(), address }, again, signal });
    } catch (error) {
      if (codeOf(error) !== 'session_required') this.#parts.log.warn('rpc socket: a message could not be answered', { cause: error });
      throw error;
    }
  }

  #beat(): void {
    for (const together of this.#connections.values()) for (const connection of together) connection.beat();
  }
}

function credentialOf(caller: Caller): string {
  return `${caller.kind} ${caller.credentialId}`;
}

function refuse(stream: Duplex, status: number, code: string): void {
  const body = JSON.stringify({ type: `urn:svc:problem:${code}`, status, code });
  stream.end(`HTTP/1.1 ${status} ${code}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`, () => stream.destroy());
  // What was not read when it is destroyed would take the answer with it.
  stream.resume();
}
