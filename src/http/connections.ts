import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** `answers` counts the answers that are not sent yet. `readAtRest` is how many bytes had arrived when the last request was read and answered. */
type Use = { readonly answers: Set<ServerResponse>; readAtRest: number };

/**
 * Knows which connections of a server are at rest: no answer is owed, none is still on its way out, and no request is coming in.
 *
 * Node's own `closeIdleConnections` asks whether an answer was ended, not whether it was sent, so at a stop a slow reader would lose
 * the end of it.
 */
export class Connections {
  readonly #uses = new Map<Socket, Use>();
  #closing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#uses.set(socket, { answers: new Set(), readAtRest: 0 });
      socket.once('close', () => this.#uses.delete(socket));
    });
    // From here on the WebSocket server closes the connection.
    server.on('upgrade', (req: IncomingMessage) => void this.#uses.delete(req.socket));
    server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => this.#answer(req, res));
  }

  /** From now on a connection is closed after the answer that it waits for. */
  keepNone(): void {
    this.#closing = true;
    for (const { answers } of this.#uses.values()) for (const res of answers) res.shouldKeepAlive = false;
  }

  closeThoseAtRest(): void {
    for (const [socket, { answers, readAtRest }] of this.#uses) {
      if (answers.size === 0 && socket.bytesRead === readAtRest) socket.destroy();
    }
  }

  /** Whether the client has sent all of a request and waits for the answer to begin. */
  isWaiting(socket: Socket): boolean {
    const answers = this.#uses.get(socket)?.answers ?? [];
    return [...answers].some((res) => res.req.complete && !res.headersSent);
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    const use = this.#uses.get(socket);
    if (use === undefined) return;
    if (this.#closing) res.shouldKeepAlive = false;
    use.answers.add(res);
    const rest = (): void => void (use.readAtRest = socket.bytesRead);
    // Some requests are answered before their whole body has arrived.
    req.once('close', rest);
    res.once('close', () => {
      use.answers.delete(res);
      rest();
    });
  }
}
