import type { Readable, Writable } from 'node:stream';

export type Params = Readonly<Record<string, unknown>>;
/** An event of the browser. `sessionId` identifies the page; undefined for the browser itself. */
export type ProtocolEvent = {
  readonly method: string;
  readonly params: Params;
  readonly sessionId: string | undefined;
};

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly sessionId?: string;
  readonly result?: Params;
  readonly error?: { readonly message: string };
};
type Waiting = { readonly resolve: (result: Params) => void; readonly reject: (error: Error) => void };

/**
 * The Chrome DevTools Protocol over a pipe: JSON messages that end with a NUL byte. Unlike a port, nobody else can reach it.
 *
 * @see docs/decisions/0022-a-window-of-an-installed-browser.md
 */
export class Protocol {
  readonly #sink: Writable;
  readonly #onEvent: (event: ProtocolEvent) => void;
  readonly #waiting = new Map<number, Waiting>();
  #chunks: Buffer[] = [];
  #lastId = 0;
  #isClosed = false;

  constructor(source: Readable, sink: Writable, onEvent: (event: ProtocolEvent) => void) {
    this.#sink = sink;
    this.#onEvent = onEvent;
    source.on('data', (chunk: Buffer) => this.#read(chunk));
    for (const stream of [source, sink]) stream.on('error', () => this.#close()).on('close', () => this.#close());
  }

  /** @throws {Error} when the browser refuses or has ended. */
  send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
    if (this.#isClosed) return Promise.reject(new Error(`${method}: the browser is gone`));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject: (error) => reject(new Error(`${method}: ${error.message}`)) });
      this.#sink.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      this.#chunks.push(chunk.subarray(start, end));
      const text = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks = [];
      start = end + 1;
      this.#take(JSON.parse(text) as Message);
    }
    if (start < chunk.length) this.#chunks.push(chunk.subarray(start));
  }

  #take({ id, method, params = {}, sessionId, result = {}, error }: Message): void {
    if (id === undefined) {
      if (method !== undefined) this.#onEvent({ method, params, sessionId });
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error.message));
  }

  #close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('the browser is gone'));
    this.#waiting.clear();
  }
}
