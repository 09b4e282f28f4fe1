import { WebSocket } from 'ws';
import type { Connection } from '../client/connection.ts';

/** The code with which the service closes a socket whose session ended. */
export const SESSION_ENDED = 4001;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export type ServiceSocketEvents = {
  readonly onMessage: (text: string) => void;
  /** Called when the session is over. The socket is not opened again. */
  readonly onEnded: () => void;
  /** Called when the connection broke; it is opened again. */
  readonly onLost: () => void;
};

/** The one authenticated WebSocket of a window, owned by the main process, which thus learns at once when the session ends. */
export class ServiceSocket {
  readonly #connection: Connection;
  readonly #events: ServiceSocketEvents;
  #socket: WebSocket | undefined;
  #waiting: string[] = [];
  #waitMs = FIRST_WAIT_MS;
  #again: NodeJS.Timeout | undefined;

  constructor(connection: Connection, events: ServiceSocketEvents) {
    this.#connection = connection;
    this.#events = events;
    this.#open();
  }

  /** Sends a message, or keeps it until the socket is open. */
  send(text: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
    else this.#waiting.push(text);
  }

  close(): void {
    clearTimeout(this.#again);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #open(): void {
    const { server, credential } = this.#connection;
    const socket = new WebSocket(`${server.replace(/^http/, 'ws')}/rpc`, {
      headers: {
        origin: new URL(server).origin,
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      },
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on('open', () => {
      this.#waitMs = FIRST_WAIT_MS;
      for (const text of this.#waiting.splice(0)) socket.send(text);
    });
    socket.on('message', (data: Buffer) => this.#events.onMessage(data.toString('utf8')));
    socket.on('unexpected-response', (_req, { statusCode }) => {
      if (statusCode === 401) this.#end(socket, SESSION_ENDED);
      else this.#end(socket, 0);
      socket.terminate();
    });
    socket.on('close', (code) => this.#end(socket, code));
    // The event `close` follows and handles it.
    socket.on('error', () => undefined);
  }

  #end(socket: WebSocket, code: number): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#waiting = [];
    if (code === SESSION_ENDED) {
      this.#events.onEnded();
      return;
    }
    this.#again = setTimeout(() => this.#open(), this.#waitMs).unref();
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
    this.#events.onLost();
  }
}
