import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { areEqual, newSecret } from '../secret/secret.ts';

export const WINDOW_COOKIE = 'svc_window';
/** The path that a window shows before it has its cookie. It is on the browser's command line, which everybody on the machine can read. */
export const START_PATH = '/start';

/** Answers the requests of one window. `path` is below the window's own path, without a leading slash and without the query. */
export type WindowRequests = {
  answer(req: IncomingMessage, res: ServerResponse, path: string): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, path: string): void;
};

/** The address of one window's page. */
export type WindowPlace = {
  readonly origin: string;
  /** Random, with a slash at both ends. */ readonly path: string;
  /** Value of the window's cookie. */ readonly cookie: string;
};

type Place = { readonly cookie: string; readonly requests: WindowRequests };

/**
 * The listener on loopback to which the windows of this application connect.
 *
 * Every program on the machine can reach a port, so each request has to name this host and port, come from this origin, and have the random path and the cookie
 * of its window. All other requests are refused without details.
 */
export class Bridge {
  readonly origin: string;
  readonly port: number;
  readonly #server: Server;
  readonly #places = new Map<string, Place>();

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.origin = `http://127.0.0.1:${this.port}`;
    server.on('request', (req, res) => this.#answer(req, res));
    server.on('upgrade', (req, socket, head) => this.#upgrade(req, socket, head));
  }

  /** @param port - the preferred port: pages store data by origin, so it should stay the same. */
  static async open(port: number): Promise<Bridge> {
    const server = createServer({ requestTimeout: 0 });
    await listen(server, port).catch(() => listen(server, 0));
    return new Bridge(server);
  }

  add(requests: WindowRequests): WindowPlace {
    const name = newSecret();
    const cookie = newSecret();
    this.#places.set(name, { cookie, requests });
    return { origin: this.origin, path: `/${name}/`, cookie };
  }

  remove({ path }: WindowPlace): void {
    this.#places.delete(path.slice(1, -1));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    if (this.#isOurHost(req) && req.url === START_PATH && req.method === 'GET') {
      res.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        'cache-control': 'no-store',
      });
      res.end('<!doctype html><meta name="color-scheme" content="light dark"><title>svc</title>');
      return;
    }
    const found = this.#admit(req);
    if (found !== undefined) found.place.requests.answer(req, res, found.path);
    else res.writeHead(403).end();
  }

  #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const found = req.headers.origin === this.origin ? this.#admit(req) : undefined;
    if (found === undefined) socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n', () => socket.destroy());
    else found.place.requests.upgrade(req, socket, head, found.path);
  }

  /** The window that made a request; undefined when it came from elsewhere. */
  #admit(req: IncomingMessage): { readonly place: Place; readonly path: string } | undefined {
    if (!this.#isOurHost(req)) return undefined;
    const { origin, cookie = '', 'sec-fetch-site': site } = req.headers;
    if (origin !== undefined && origin !== this.origin) return undefined;
    if (origin === undefined && req.method !== 'GET' && req.method !== 'HEAD') return undefined;
    // A WebSocket only reports its origin, which was checked above.
    if (site !== 'same-origin' && site !== 'none' && req.headers.upgrade === undefined) return undefined;
    const [, name = '', path = ''] = /^\/([\w-]+)\/([^?]*)/.exec(req.url ?? '') ?? [];
    const place = this.#places.get(name);
    const value = new RegExp(`(?:^|; )${WINDOW_COOKIE}=([^;]*)`).exec(cookie)?.[1] ?? '';
    return place !== undefined && areEqual(value, place.cookie) ? { place, path } : undefined;
  }

  /** An attacker can make any name resolve to loopback (DNS rebinding). */
  #isOurHost({ headers: { host } }: IncomingMessage): boolean {
    return host === `127.0.0.1:${this.port}`;
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
