import http from 'node:http';

const CHUNK = Buffer.alloc(262_144);

/** A request that takes what it can get and keeps it: it sends so many bytes of its body, never ends it, and reads nothing of the answer. */
export class GreedyRequest {
  /** How many bytes the service has taken. */
  sent = 0;
  status: number | undefined;
  retryAfter: string | undefined;
  readonly #req: http.ClientRequest;

  constructor(url: string, options: http.RequestOptions) {
    this.#req = http.request(url, { ...options, agent: false });
    this.#req.on('error', () => undefined);
    this.#req.on('response', (answer: http.IncomingMessage) => {
      this.status = answer.statusCode;
      this.retryAfter = answer.headers['retry-after'];
      answer.on('error', () => undefined);
      if (answer.statusCode !== 200) answer.resume();
    });
  }

  /** Sends so many bytes, as fast as they are taken. */
  send(bytes: number): void {
    const chunk = CHUNK.subarray(0, Math.min(CHUNK.length, bytes));
    if (bytes <= 0 || this.#req.destroyed || this.status !== undefined) return;
    this.#req.write(chunk, (error) => {
      if (error) return;
      this.sent += chunk.length;
      this.send(bytes - chunk.length);
    });
  }

  /** Sends a byte each so many milliseconds. */
  drip(ms: number): void {
    this.send(1);
    const more = setInterval(() => this.send(1), ms);
    this.#req.once('close', () => clearInterval(more));
  }

  end(body?: string): void {
    this.#req.end(body);
  }

  stop(): void {
    this.#req.destroy();
  }
}
