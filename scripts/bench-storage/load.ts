import { connect } from 'node:net';

/** Each connection asks for the paths in turn. `{connection}` in a path stands for the number of the connection. */
export type Load = {
  readonly port: number;
  readonly method: string;
  readonly paths: readonly string[];
  /** A function gives those of a path, for example with its signature. */
  readonly headers: Headers | ((path: string) => Headers);
  readonly body?: string;
};
type Headers = Readonly<Record<string, string>>;

/** `rate` in requests a second, `p99` in milliseconds. */
export type Measured = { readonly requests: number; readonly rate: number; readonly p99: number };

const MAX_RECONNECTS = 20;
const HEAD_END = Buffer.from('\r\n\r\n');

/** Sends one request after the other on each of many connections. Every answer has to be a success that says its length; a body of a HEAD is not waited for. */
export async function load(
  { port, method, paths, headers, body = '' }: Load,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const length = body === '' ? {} : { 'content-length': String(body.length) };
  const requestsOf = (connection: number) =>
    paths.map((each) => {
      const path = each.replace('{connection}', String(connection));
      const given = typeof headers === 'function' ? headers(path) : headers;
      const lines = Object.entries({ host: `127.0.0.1:${port}`, ...length, ...given });
      return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
    });
  const times: number[] = [];
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const one = (connection: number, reconnects = 0): Promise<void> =>
    new Promise((resolve, reject) => {
      const requests = requestsOf(connection);
      let next = connection % requests.length;
      const ask = () => {
        socket.write(requests[next]!);
        next = (next + 1) % requests.length;
      };
      const socket = connect(port, '127.0.0.1');
      let since = performance.now();
      let held = Buffer.alloc(0);
      let left = -1;
      socket.on('connect', ask);
      socket.on('error', reject);
      // A server may close a connection between two requests.
      socket.on('close', () =>
        reconnects < MAX_RECONNECTS
          ? resolve(one(connection, reconnects + 1))
          : reject(new Error(`${paths.join(', ')}: the connection was closed`)),
      );
      socket.on('data', (chunk) => {
        if (left < 0) {
          held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
          const at = held.indexOf(HEAD_END);
          if (at === -1) return;
          const head = held.toString('latin1', 0, at);
          const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
          if (!/^HTTP\/1\.1 20[0-6]/.test(head) || length === undefined)
            return void socket.destroy(new Error(`${paths.join(', ')}: ${head.slice(0, 200)}`));
          left = (method === 'HEAD' ? 0 : Number(length)) - (held.length - at - 4);
          held = Buffer.alloc(0);
        } else left -= chunk.length;
        if (left > 0) return;
        const now = performance.now();
        times.push(now - since);
        if (now >= end) {
          resolve();
          return void socket.removeAllListeners('close').destroy();
        }
        [since, left] = [now, -1];
        ask();
      });
    });
  await Promise.all(Array.from({ length: connections }, (_, connection) => one(connection)));
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    rate: (times.length / (performance.now() - begun)) * 1000,
    p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
  };
}
