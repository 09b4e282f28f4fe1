import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What a fault does to a call: `hold` never answers, `cut` closes the connection, `busy` answers 503, `gone` that there is no such key, an object what it says. */
export type Fault =
  | 'hold'
  | 'cut'
  | 'busy'
  | 'gone'
  | { readonly status: number; readonly code: string; /** Further elements. */ readonly more?: string };

/** A pass-through in front of storage, or of the service, that sees every call, and can spoil it. */
export type CallCounter = {
  readonly url: string;
  /** `METHOD /path?query`, as sent, since the last `reset`. */
  readonly calls: readonly string[];
  reset(): void;
  /** Spoils the calls that it returns a fault for, until it is set to undefined again. */
  spoil: ((call: string) => Fault | undefined) | undefined;
  /** Is waited for before a call is passed on, until it is set to undefined again. */
  before: ((call: string, headers: http.IncomingHttpHeaders) => Promise<void>) | undefined;
  /** Whether to cut the connection instead of passing the answer on, which it is asked about when the answer comes. */
  loses: ((call: string) => boolean) | undefined;
  /** Whether to send the request once more and to pass on only the second answer, as a proxy does that lost the first one. It is asked when an answer comes. */
  repeats: ((call: string) => boolean) | undefined;
  close(): Promise<void>;
};

export async function countCalls(target: string, listenAt = 0): Promise<CallCounter> {
  const { hostname, port } = new URL(target);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256, timeout: 2000 });
  const counter = {
    calls: [] as string[],
    spoil: undefined as CallCounter['spoil'],
    before: undefined as CallCounter['before'],
    loses: undefined as CallCounter['loses'],
    repeats: undefined as CallCounter['repeats'],
  };

  const server = http.createServer((req, res) => void pass(req, res));
  const pass = async (req: http.IncomingMessage, res: http.ServerResponse): Promise<void> => {
    const call = `${req.method} ${req.url}`;
    counter.calls.push(call);
    await counter.before?.(call, req.headers);
    const fault = counter.spoil?.(call);
    if (fault === 'hold') return;
    if (fault === 'cut') return void req.socket.destroy();
    if (fault === 'busy') return void res.writeHead(503, { connection: 'close' }).end();
    if (fault === 'gone')
      return void res
        .writeHead(404, { 'content-type': 'application/xml' })
        .end('<Error><Code>NoSuchKey</Code></Error>');
    if (fault !== undefined) {
      const { status, code, more = '' } = fault;
      return void res
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<Error><Code>${code}</Code>${more}</Error>`);
    }

    const body = counter.repeats === undefined ? undefined : await buffer(req);
    const ask = (): http.ClientRequest => {
      const upstream = http.request(
        { hostname, port, agent, method: req.method, path: req.url, headers: req.headers, setHost: false },
        (answer) => {
          if (counter.loses?.(call)) return void req.socket.destroy();
          if (body !== undefined && counter.repeats?.(call)) {
            answer.resume();
            ask().end(body);
            return;
          }
          res.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(res);
          answer.once('error', () => res.destroy());
        },
      );
      upstream.once('error', () => res.destroy());
      res.once('close', () => {
        upstream.destroy();
        // Storage may answer before it has read the body; what comes next on the connection waits behind the rest of it.
        req.unpipe(upstream);
        req.resume();
      });
      req.once('error', () => upstream.destroy());
      return upstream;
    };
    if (body === undefined) req.pipe(ask());
    else ask().end(body);
  };
  await new Promise<void>((resolve) => server.listen(listenAt, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;

  return Object.assign(counter, {
    url: `http://127.0.0.1:${own}`,
    reset: () => void counter.calls.splice(0),
    close: async () => {
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
