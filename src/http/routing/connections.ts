import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { takeRest } from './rest-of-body.ts';

/** Requests that may wait on a connection for the answers before theirs. Few clients send even two at once. */
const MAX_WAITING = 64;
/** The headers that these may have in all. Each takes a hundred bytes, however short it is. One request may have a thousand. */
const MAX_HEADERS_WAITING = 1_024;
/** So many are read before the answers to those before them. */
const READ_AHEAD = 8;
/** The answers to what cannot be read as a request, by the code of Node's error; those of Node. */
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * `answers` contains the answers that are not sent yet, in the order of their requests: a list, because the tables that a set leaves behind keep answers in memory.
 * `readAtRest` is the number of bytes that had arrived when the last request was read and answered. `isUnreadable`: what arrives is no request.
 */
type Use = { readonly answers: ServerResponse[]; readAtRest: number; isUnreadable?: true };

/**
 * Tracks which connections of a server are idle: no answer is due or being sent, and no request is arriving.
 *
 * Node's own `closeIdleConnections` checks whether an answer was ended, not whether it was sent, so a slow reader would lose the end of an answer when the
 * server stops.
 */
export class Connections {
  readonly #uses = new Map<Socket, Use>();
  #closing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#uses.set(socket, { answers: [], readAtRest: 0 });
      socket.once('close', () => this.#uses.delete(socket));
    });
    // From here on the WebSocket server closes the connection.
    server.on('upgrade', (req: IncomingMessage) => void this.#uses.delete(req.socket));
    server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
      const use = this.#uses.get(socket);
      if (use?.isUnreadable !== true) this.#refuse(socket, code);
      if (use !== undefined) use.isUnreadable = true;
    });
    server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => this.#answer(req, res));
  }

  /**
   * Serves the requests of a connection one after the other: the next one when the answer before it has been sent. A client that sends many at once and reads
   * nothing could otherwise make the service hold an answer to each. Behind a request that waits with a body, and behind several, the connection is not read,
   * because whatever it brings would be in memory.
   */
  oneByOne(serve: RequestListener): RequestListener {
    return (req, res) => {
      const { socket } = req;
      // An answer that ends the connection is the last one: whoever gets no answer assumes that nothing was done.
      const serveIfOpen = (): void => {
        if (socket.writable) serve(req, res);
      };
      const answers = this.#uses.get(socket)?.answers;
      if (answers === undefined || answers.length <= 1) serveIfOpen();
      else if (answers.length > MAX_WAITING || headersOf(answers.slice(1)) > MAX_HEADERS_WAITING) socket.destroy();
      else {
        if (hasBody(req) || answers.length > READ_AHEAD) stopReading(socket);
        answers.at(-2)!.once('close', () => {
          if (answers.at(-1) === res) socket.off('resume', stayPaused).resume();
          serveIfOpen();
        });
      }
    };
  }

  /** From now on, each connection is closed after its current answer. */
  keepNone(): void {
    this.#closing = true;
    for (const { answers } of this.#uses.values()) for (const res of answers) res.shouldKeepAlive = false;
  }

  closeThoseAtRest(): void {
    for (const [socket, { answers, readAtRest }] of this.#uses) {
      if (answers.length === 0 && socket.bytesRead === readAtRest) socket.destroy();
    }
  }

  /** Whether an answer is due or being sent. */
  isInUse(socket: Socket): boolean {
    return (this.#uses.get(socket)?.answers.length ?? 0) > 0;
  }

  /** Whether the client has sent a whole request and waits for the answer to begin. */
  isWaiting(socket: Socket): boolean {
    const [due] = this.#uses.get(socket)?.answers ?? [];
    return due !== undefined && due.req.complete && !due.headersSent;
  }

  /**
   * Ends a connection that brings what is no request. The client would take the refusal for the first of the answers that are due, so it comes behind them. Until
   * then Node throws away what arrives, and notices a client that leaves.
   */
  #refuse(socket: Socket, code = ''): void {
    const { answers = [] } = this.#uses.get(socket) ?? {};
    const due = answers.findLast(({ req }) => req.complete);
    // A client that has ended the connection within a request waits for nothing.
    if (due !== undefined && socket.writable && code !== 'HPE_INVALID_EOF_STATE')
      return void due.once('close', () => this.#refuse(socket, code));
    if (socket.writable && due === undefined && !answers.some(({ headersSent }) => headersSent))
      socket.write(`HTTP/1.1 ${REFUSALS[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
    socket.destroy();
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    const use = this.#uses.get(socket);
    if (use === undefined) return;
    if (this.#closing) res.shouldKeepAlive = false;
    use.answers.push(res);
    const rest = (): void => void (use.readAtRest = socket.bytesRead);
    res.once('close', () => {
      use.answers.splice(use.answers.indexOf(res), 1);
      rest();
    });
    // Some requests are answered before their whole body has arrived.
    if (hasBody(req)) {
      req.once('close', rest);
      res.prependOnceListener('finish', () => takeRest(req, socket));
    }
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function headersOf(answers: readonly ServerResponse[]): number {
  return answers.reduce((sum, { req }) => sum + req.rawHeaders.length / 2, 0);
}

function stopReading(socket: Socket): void {
  socket.off('resume', stayPaused).on('resume', stayPaused).pause();
}

/** Node reads on whenever all of a request has come, also from a socket that counts as paused: only the event stops it then. */
function stayPaused(this: Socket): void {
  if (this.isPaused()) this.emit('pause');
  else this.pause();
}
