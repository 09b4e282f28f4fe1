import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseQuery } from './query.ts';

export type CallParts<Req, Res> = {
  readonly req: Req;
  readonly res: Res;
  /** The decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** The client's address; undefined when the connection has none. */
  readonly address: string | undefined;
  /** Names and values of the headers of every answer. */
  readonly headers: readonly string[];
};

/** A request for a route and its answer. It does not depend on who found the route: Express or the table of hot rows. */
export class Call<Req extends IncomingMessage = IncomingMessage, Res extends ServerResponse = ServerResponse> {
  readonly req: Req;
  readonly res: Res;
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly address: string | undefined;
  readonly #headers: readonly string[];

  constructor({ req, res, params, requestId, address, headers }: CallParts<Req, Res>) {
    this.req = req;
    this.res = res;
    this.params = params;
    this.requestId = requestId;
    this.address = address;
    this.#headers = headers;
  }

  /** @throws {SvcError} `invalid_request`: the query cannot be read. */
  readQuery(): Record<string, string> {
    const { url = '' } = this.req;
    const at = url.indexOf('?');
    return parseQuery(at === -1 ? '' : url.slice(at + 1));
  }

  /** Sets the headers of every answer, for a handler that sends the head by itself. */
  setHeaders(): this {
    for (let at = 0; at < this.#headers.length; at += 2) this.res.setHeader(this.#headers[at]!, this.#headers[at + 1]!);
    return this;
  }

  /** Sends the head of the answer as a whole, because to set each header by itself costs twice as much. */
  sendHead(status: number, headers: Readonly<Record<string, string>> = {}): void {
    const list = [...this.#headers];
    for (const name in headers) list.push(name, headers[name]!);
    this.res.writeHead(status, list);
  }
}

/** The headers of every answer. Pages add their own; objects add their sandbox. */
export function headersOfEvery(requestId: string): readonly string[] {
  return [
    'X-Request-Id',
    requestId,
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
    'Cross-Origin-Resource-Policy',
    'same-origin',
  ];
}
