import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

const MAX_MESSAGE_BYTES = 1_048_576;

type Asked = { readonly socket: WebSocket; readonly ids: readonly unknown[] };
type Message = {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: { readonly watch?: unknown } | null;
};

/**
 * The WebSockets of a page, which share the main process's socket. Each message gets new ids on its way to the service, so that its answer can be returned to
 * the right socket. What the service tells by itself goes to all of them.
 */
export class PageSockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  readonly #send: (text: string) => void;
  readonly #asked = new Map<string, Asked>();
  /** The folders that each socket watches, by the ids of the service. */
  readonly #watches = new Map<string, WebSocket>();
  #lastId = 0;

  /** @param send - sends a message to the service. */
  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  upgrade(req: IncomingMessage, stream: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(req, stream, head, (socket) => {
      socket.on('error', () => socket.terminate());
      socket.on('message', (data: Buffer) => this.#ask(socket, data.toString('utf8')));
      socket.on('close', () => {
        for (const [watch, of] of this.#watches) if (of === socket) this.#unwatch(watch);
      });
    });
  }

  /** Passes an answer of the service to the socket that asked. One that has closed gets none, and watches nothing any more. */
  answer(text: string): void {
    const message = JSON.parse(text) as Message | readonly Message[];
    if ('method' in message) {
      for (const socket of this.#server.clients) socket.send(text);
      return;
    }
    const first = ([message].flat()[0] as Message).id;
    const key = typeof first === 'string' ? first.split('.')[0]! : '';
    const asked = this.#asked.get(key);
    if (asked === undefined) return;
    this.#asked.delete(key);
    const watch = 'result' in message ? message.result?.watch : undefined;
    if (typeof watch === 'string') this.#watches.set(watch, asked.socket);
    if (asked.socket.readyState !== WebSocket.OPEN) {
      if (typeof watch === 'string') this.#unwatch(watch);
      return;
    }
    const restored = (one: Message) => ({ ...one, id: asked.ids[Number(String(one.id).split('.')[1])] });
    asked.socket.send(JSON.stringify(Array.isArray(message) ? message.map(restored) : restored(message as Message)));
  }

  /** Closes all sockets, with the code that the service would have used. */
  closeAll(code: number): void {
    this.#asked.clear();
    // They ended with the socket of the service.
    this.#watches.clear();
    for (const socket of this.#server.clients) socket.close(code);
  }

  #unwatch(watch: string): void {
    this.#watches.delete(watch);
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: 'object/unwatch', params: { watch } }));
  }

  #ask(socket: WebSocket, text: string): void {
    const message = parsed(text);
    if (message === undefined) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'this is not JSON' } }));
      return;
    }
    const key = String(++this.#lastId);
    const ids: unknown[] = [];
    const renamed = (one: Message) => ('id' in one ? { ...one, id: `${key}.${ids.push(one.id) - 1}` } : one);
    const sent = Array.isArray(message) ? message.map(renamed) : renamed(message as Message);
    if (ids.length > 0) this.#asked.set(key, { socket, ids });
    this.#send(JSON.stringify(sent));
  }
}

/** Parses a message; undefined when it contains anything but objects, for which the service's answer would have no id. */
function parsed(text: string): Message | readonly Message[] | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
    return isObject(value) || (Array.isArray(value) && value.length > 0 && value.every(isObject))
      ? (value as Message)
      : undefined;
  } catch {
    return undefined;
  }
}
