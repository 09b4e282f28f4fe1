import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export type TransferRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: http.Agent;
};

/** A download that was begun and is not read on. */
export class RunningDownload {
  readonly reusedConnection: boolean;
  readonly #answer: http.IncomingMessage;
  readonly #end: Promise<'whole' | 'broken off'>;

  private constructor(answer: http.IncomingMessage, reusedConnection: boolean) {
    this.#answer = answer;
    this.reusedConnection = reusedConnection;
    this.#end = new Promise((resolve) => {
      answer.once('error', () => resolve('broken off'));
      answer.once('close', () => resolve(answer.complete ? 'whole' : 'broken off'));
    });
  }

  static async start(
    url: string,
    { method = 'GET', headers = {}, body, agent }: TransferRequest = {},
  ): Promise<RunningDownload> {
    const req = http.request(url, { method, headers: { ...headers }, agent: agent ?? false });
    req.end(body);
    const [answer] = (await once(req, 'response')) as [http.IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
    return new RunningDownload(answer, req.reusedSocket);
  }

  /** How it ends when it is read on after this time, as fast as it comes. What was sent before a break is read first. */
  async endWithin(ms: number): Promise<'whole' | 'broken off'> {
    await wait(ms);
    this.#answer.resume();
    return this.#end;
  }
}

/** An upload of twice as many bytes as were sent. */
export class RunningUpload {
  readonly #closed: Promise<'cut' | number>;

  private constructor(closed: Promise<'cut' | number>) {
    this.#closed = closed;
  }

  /** Resolves when half of it is on its way to storage. */
  static async start(
    url: string,
    bytes: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RunningUpload> {
    const req = http.request(url, {
      method: 'PUT',
      headers: { ...headers, 'content-length': String(2 * bytes) },
      agent: false,
    });
    const closed = new Promise<'cut' | number>((resolve) => {
      req.once('error', () => resolve('cut'));
      req.once('response', (answer) => resolve(answer.statusCode ?? 0));
    });
    await new Promise<void>((resolve) => void req.write(Buffer.alloc(bytes), () => resolve()));
    await wait(300);
    return new RunningUpload(closed);
  }

  /** Whether the connection is cut, without an answer, within this time. */
  async isCutWithin(ms: number): Promise<boolean> {
    return (await Promise.race([this.#closed, wait(ms, undefined, { ref: false })])) === 'cut';
  }
}
