import { once } from 'node:events';
import { Ajv, type AnySchemaObject } from 'ajv';
import { WebSocket } from 'ws';
import type { RpcResponse } from '../../src/rpc/dispatch.ts';
import type { RpcError } from '../../src/rpc/rpc-error.ts';
import { rpcSchemas, type RpcMethodName, type RpcParams, type RpcResult } from '../../src/wire/rpc.ts';

const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });

/** Talks to `/rpc` with one credential, and holds every result against its wire schema. */
export class RpcClient {
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(origin: string, headers: Readonly<Record<string, string>>) {
    this.#origin = origin;
    this.#headers = headers;
  }

  static bearer(origin: string, credential: string): RpcClient {
    return new RpcClient(origin, { authorization: `Bearer ${credential}` });
  }

  send(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.#origin}/rpc`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...this.#headers, ...headers },
    });
  }

  async #ask(method: string, params: unknown): Promise<RpcResponse> {
    return (await (await this.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).json()) as RpcResponse;
  }

  async call<M extends RpcMethodName>(method: M, params: RpcParams<M>): Promise<RpcResult<M>> {
    const response = await this.#ask(method, params);
    if (!('result' in response)) throw new Error(`${method}: ${JSON.stringify(response)}`);
    const fits = ajv.compile(rpcSchemas[method].result as AnySchemaObject);
    if (!fits(response.result))
      throw new Error(`${method}: ${ajv.errorsText(fits.errors)} in ${JSON.stringify(response.result)}`);
    return response.result as RpcResult<M>;
  }

  async fails(method: string, params: unknown): Promise<RpcError> {
    const response = await this.#ask(method, params);
    if (!('error' in response)) throw new Error(`${method} did not fail: ${JSON.stringify(response)}`);
    return response.error;
  }
}

/** The same, each request by a WebSocket of its own. */
export class RpcSocketClient extends RpcClient {
  readonly #open: () => Promise<RpcConnection | number>;
  readonly #hear: (message: string) => void;

  /** @param hear - gets every message of the service. */
  constructor(origin: string, credential: string, hear: (message: string) => void) {
    super(origin, {});
    this.#open = () => RpcConnection.open(origin, { authorization: `Bearer ${credential}`, origin });
    this.#hear = hear;
  }

  override async send(body: string): Promise<Response> {
    const connection = await this.#open();
    if (typeof connection === 'number') throw new Error(`no socket: ${connection}`);
    const { socket } = connection;
    socket.on('message', (data: Buffer) => this.#hear(data.toString()));
    const { id } = JSON.parse(body) as { readonly id: number };
    const answer = connection.answerTo(id);
    socket.send(body);
    try {
      return new Response(await answer);
    } finally {
      socket.close();
    }
  }
}

/** An open WebSocket on `/rpc`. */
export class RpcConnection {
  readonly socket: WebSocket;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  #id = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = once(socket, 'close').then(([code]) => code as number);
  }

  /** @returns the connection, or the HTTP status that refused it. */
  static async open(origin: string, headers: Readonly<Record<string, string>>): Promise<RpcConnection | number> {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, { headers });
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(new RpcConnection(socket)));
      socket.once('unexpected-response', (_req, res) => {
        resolve(res.statusCode ?? 0);
        socket.terminate();
      });
      socket.once('error', (error) => (socket.readyState === WebSocket.CLOSING ? undefined : reject(error)));
    });
  }

  async call(method: string, params: object = {}): Promise<RpcResponse> {
    const id = (this.#id += 1);
    const answer = this.answerTo(id);
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return JSON.parse(await answer) as RpcResponse;
  }

  /** The text of the answer to a request that is sent next. @throws when the socket closes before it. */
  answerTo(id: number | null): Promise<string> {
    return new Promise((resolve, reject) => {
      const hear = (data: Buffer): void => {
        const text = data.toString();
        if ((JSON.parse(text) as Partial<RpcResponse>).id !== id) return;
        this.socket.off('message', hear);
        resolve(text);
      };
      this.socket.on('message', hear);
      void this.closed.then((code) => reject(new Error(`the socket was closed with ${code}`)));
    });
  }
}
