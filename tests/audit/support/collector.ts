import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = {
  readonly instance: string;
  readonly lines: readonly string[];
  readonly headers: IncomingMessage['headers'];
};
/** Answers a request in place of taking its lines. */
export type Misbehaviour = (res: ServerResponse, received: Received) => void;

/** Takes the lines of an audit by HTTP, as a collector of logs does, or misbehaves. */
export class Collector {
  /** What was acknowledged. */
  readonly taken: Received[] = [];
  /** Everything that came. */
  readonly seen: Received[] = [];
  /** Each answers one request. */
  readonly misbehaviours: Misbehaviour[] = [];
  /** Answers what the others do not. */
  always: Misbehaviour | undefined;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((req, res) => {
      let body = '';
      req.setEncoding('utf8').on('data', (chunk: string) => void (body += chunk));
      req
        .on('error', () => undefined)
        .once('end', () => {
          const received = {
            instance: String(req.headers['svc-audit-instance']),
            lines: body.split('\n').slice(0, -1),
            headers: req.headers,
          };
          this.seen.push(received);
          const misbehave = this.misbehaviours.shift() ?? this.always;
          if (misbehave !== undefined) misbehave(res, received);
          else {
            this.taken.push(received);
            res.writeHead(204).end();
          }
        });
    });
  }

  async listen(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ingest`;
  }

  /** The lines of a chain that were acknowledged, each once, in order. */
  lines(instance = 'one'): string[] {
    const bySeq = new Map(
      this.taken
        .filter((one) => one.instance === instance)
        .flatMap(({ lines }) => lines)
        .map((line) => [seqOf(line), line]),
    );
    return [...bySeq].sort(([a], [b]) => a - b).map(([, line]) => line);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function seqOf(line: string): number {
  return (JSON.parse(line) as { seq: number }).seq;
}
