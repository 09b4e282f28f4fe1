import { addAbortSignal, Readable } from 'node:stream';
import { SvcError } from '../errors/svc-error.ts';
import type { StorageProvider } from './provider.ts';
import type { Answer } from './s3/client.ts';
import type { S3Request } from './s3/request.ts';
import { StallClock } from './stall-clock.ts';

export type BodyHooks = {
  /** The clock that runs while the body waits for storage. */
  readonly clock?: StallClock;
  /** Awaited before the last bytes are passed on, when storage cannot have stored the body yet. An error that it throws ends the body. */
  readonly beforeEnd?: (() => Promise<void>) | undefined;
};

/**
 * The body that a client sends, read only as fast as storage takes it. It fails, instead of ending, when the client
 * goes away or sends another number of bytes than it announced. When storage fails, the client's request is not
 * destroyed, so that it can still be answered.
 */
export class IncomingBody extends Readable {
  readonly #source: Readable;
  readonly #bytes: number | undefined;
  readonly #hooks: BodyHooks;
  #seen = 0;
  #asked: Promise<void> | undefined;

  /** @param bytes - the announced length; undefined when the client announced none. */
  constructor(source: Readable, bytes: number | undefined, signal: AbortSignal | undefined, hooks: BodyHooks = {}) {
    super();
    this.#source = source;
    this.#bytes = bytes;
    this.#hooks = hooks;
    // A fault after storage has left must not become an uncaught error.
    this.on('error', () => undefined);
    if (signal !== undefined) addAbortSignal(signal, source);
    // Otherwise the source would begin to flow with its listener.
    source.pause();
    source.on('data', this.#receive);
    source.once('end', this.#end);
    // `stream.finished` would tell it as well, and costs a fifteenth of a small upload.
    const leave = (): void => {
      if (!source.readableEnded) this.destroy(source.errored ?? new Error('the body broke off'));
    };
    source.once('error', (error) => this.destroy(error));
    source.once('close', leave);
    if (source.destroyed) leave();
  }

  override _read(): void {
    this.#hooks.clock?.waitForClient();
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#source.off('data', this.#receive).off('end', this.#end).pause();
    done(error);
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#seen += chunk.length;
    if (this.#bytes !== undefined && this.#seen > this.#bytes) this.destroy(wrongLength(this.#bytes, 'more'));
    else if (this.#seen === this.#bytes) this.#askBeforeEnd(() => this.#pass(chunk));
    else this.#pass(chunk);
  };

  readonly #end = (): void => {
    if (this.#bytes !== undefined && this.#seen < this.#bytes) this.destroy(wrongLength(this.#bytes, `only ${this.#seen}`));
    else this.#askBeforeEnd(() => this.#pass(null));
  };

  #pass(chunk: Buffer | null): void {
    this.#hooks.clock?.waitForStorage();
    if (!this.push(chunk)) this.#source.pause();
  }

  /** Asks once. The end may be told while the last bytes still wait for the answer, and follows them. */
  #askBeforeEnd(then: () => void): void {
    const { beforeEnd } = this.#hooks;
    if (beforeEnd === undefined) {
      then();
      return;
    }
    this.#source.pause();
    this.#asked ??= beforeEnd();
    this.#asked.then(then, (error: unknown) => this.destroy(error as Error));
  }
}

function wrongLength(bytes: number, arrived: string): SvcError {
  return new SvcError('invalid_request', { detail: `the body should be ${bytes} bytes long, and ${arrived} arrived; send it again` });
}

export type IncomingStream = Pick<BodyHooks, 'beforeEnd'> & { readonly body: Readable; /** Bytes, as the client said. */ readonly size: number; readonly signal?: AbortSignal | undefined };

/**
 * Sends a request whose body comes from a client, as fast as the client sends it and storage takes it. The body is not kept in memory.
 *
 * @throws {SvcError} `invalid_request`: another length than announced. Where the client went away, the reason of `signal`.
 */
export async function sendStream(provider: StorageProvider, request: Omit<S3Request, 'body'>, { body, size, signal, beforeEnd }: IncomingStream): Promise<Answer> {
  const clock = new StallClock(provider.idleTimeoutMs);
  const incoming = new IncomingBody(body, size, signal, { clock, beforeEnd });
  return provider.s3.send({ ...request, headers: { ...request.headers, 'content-length': String(size) }, body: incoming }, { signal, clock });
}
