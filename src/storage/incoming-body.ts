import type { StopSignal } from '../bounds/stop-signal.ts';
import { createHash, hash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { SvcError } from '../errors/svc-error.ts';
import type { Abortable, StorageProvider } from './provider.ts';
import type { Answer } from './s3/client.ts';
import type { S3Request } from './s3/request.ts';
import { StallClock } from './stall-clock.ts';

const NOTHING = Buffer.alloc(0);

export type BodyHooks = {
  /** The clock that runs while storage has not taken what arrived. */
  readonly clock?: StallClock;
  /** Awaited before the last bytes are passed on, while storage cannot have stored the body yet. An error that it throws ends the body. */
  readonly beforeEnd?: (() => Promise<void>) | undefined;
  /** In base64. A body with another MD5 fails before its last bytes are passed on. */
  readonly contentMd5?: string | undefined;
};

/**
 * The body that a client sends, read only as fast as storage takes it. It fails, instead of ending, when the client disconnects or sends another number of
 * bytes than it announced. When storage fails, the client's request is not destroyed, so that it can still be answered.
 */
export class IncomingBody extends Readable {
  readonly #source: Readable;
  readonly #bytes: number | undefined;
  readonly #hooks: BodyHooks;
  readonly #md5: Hash | undefined;
  #seen = 0;
  #asked: Promise<void> | undefined;

  /** @param bytes - the announced length; undefined when the client announced none. */
  constructor(source: Readable, bytes: number | undefined, signal: StopSignal | undefined, hooks: BodyHooks = {}) {
    super();
    this.#source = source;
    this.#bytes = bytes;
    this.#hooks = hooks;
    this.#md5 = hooks.contentMd5 === undefined ? undefined : createHash('md5');
    // A fault that comes after storage stopped reading must not become an uncaught error.
    this.on('error', () => undefined);
    signal?.addEventListener('abort', () => source.destroy(signal.reason as Error), { once: true });
    // Otherwise adding the listener would make the source flow.
    source.pause();
    source.on('data', this.#receive);
    source.once('end', this.#end);
    // `stream.finished` would report it too, but costs a fifteenth of a small upload.
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
    this.#md5?.update(chunk);
    if (this.#bytes !== undefined && this.#seen > this.#bytes) this.destroy(wrongLength(this.#bytes, 'more'));
    else if (this.#seen === this.#bytes) this.#askBeforeEnd(() => this.#pass(chunk));
    else this.#pass(chunk);
  };

  readonly #end = (): void => {
    if (this.#bytes !== undefined && this.#seen < this.#bytes)
      this.destroy(wrongLength(this.#bytes, `only ${this.#seen}`));
    else this.#askBeforeEnd(() => this.#pass(null));
  };

  #pass(chunk: Buffer | null): void {
    this.#hooks.clock?.waitForStorage();
    if (!this.push(chunk)) this.#source.pause();
  }

  /** Calls `beforeEnd` once. The end of the source may come while the last bytes wait for its result; it is then passed on after them. */
  #askBeforeEnd(then: () => void): void {
    const { beforeEnd } = this.#hooks;
    if (beforeEnd === undefined && this.#md5 === undefined) {
      then();
      return;
    }
    this.#source.pause();
    this.#asked ??= this.#beforeEnd();
    this.#asked.then(then, (error: unknown) => this.destroy(error as Error));
  }

  async #beforeEnd(): Promise<void> {
    const { beforeEnd, contentMd5 } = this.#hooks;
    if (this.#md5 !== undefined && this.#md5.digest('base64') !== contentMd5) throw wrongMd5();
    await beforeEnd?.();
  }
}

/** The form in which a face gets bodies, where it is another than the bytes themselves. */
export type Framing = {
  /** The bytes of the body in what came. An error that it throws is the one of the body. */
  take(bytes: Buffer): Buffer;
  /** Verifies the body when all of it has come. */
  end(): Promise<void>;
};

/** A body that a client sends. Only one of its members is used. */
export type ClientBody = {
  readonly body: Readable;
  /** Reads a small body, as {@link wholeBody} does. */
  readonly whole: (bytes: number, options: WholeOptions) => Promise<Buffer>;
};

type WholeOptions = Abortable & Pick<BodyHooks, 'contentMd5'>;

/**
 * Reads a small body as a whole. The client's request is not destroyed, so that it can still be answered.
 *
 * @param bytes - the announced length.
 * @throws {SvcError} `invalid_request`: another length or MD5 than announced. What `framing` throws.
 */
export async function wholeBody(
  source: Readable,
  bytes: number,
  { signal, contentMd5 }: WholeOptions,
  framing?: Framing,
): Promise<Buffer> {
  // Before the promise exists: nobody would await its rejection, and that would end the process.
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  let whole: Buffer | undefined;
  let seen = 0;
  const receive = (raw: Buffer): void => {
    const chunk = taken(raw);
    // Most small bodies are one chunk. Others are copied at once, because a client may send chunks that are so small that each takes a hundred times its bytes.
    if (seen === 0 && chunk.length === bytes) whole = chunk;
    else if (seen + chunk.length <= bytes) chunk.copy((whole ??= Buffer.allocUnsafeSlow(bytes)), seen);
    else reject(wrongLength(bytes, 'more'));
    seen += chunk.length;
  };
  const taken = (raw: Buffer): Buffer => {
    try {
      return framing === undefined ? raw : framing.take(raw);
    } catch (error) {
      reject(error);
      return NOTHING;
    }
  };
  const end = (): void => resolve(undefined);
  const leave = (): void => reject(source.errored ?? new Error('the body broke off'));
  // The stack of an error costs a tenth of a small upload.
  const close = (): void => {
    if (!source.readableEnded) leave();
  };
  const stop = (): void => reject(signal?.reason as Error);
  source.on('data', receive).on('end', end).on('error', leave).on('close', close);
  signal?.addEventListener('abort', stop, { once: true });
  if (source.destroyed) leave();
  source.resume();
  try {
    await promise;
    await framing?.end();
  } finally {
    source.off('data', receive).off('end', end).off('error', leave).off('close', close).pause();
    signal?.removeEventListener('abort', stop);
  }
  if (seen < bytes) throw wrongLength(bytes, `only ${seen}`);
  whole ??= NOTHING;
  if (contentMd5 !== undefined && hash('md5', whole, 'base64') !== contentMd5) throw wrongMd5();
  return whole;
}

function wrongMd5(): SvcError {
  return new SvcError('invalid_request', { detail: 'the MD5 of the body does not match `Content-MD5`; send it again' });
}

function wrongLength(bytes: number, arrived: string): SvcError {
  return new SvcError('invalid_request', {
    detail: `the body should be ${bytes} bytes long, and ${arrived} arrived; send it again`,
  });
}

export type IncomingStream = Pick<BodyHooks, 'beforeEnd' | 'contentMd5'> & {
  readonly body: Readable;
  /** Bytes, as announced by the client. */ readonly size: number;
  readonly signal?: StopSignal | undefined;
};

/**
 * Sends a request whose body comes from a client, as fast as the client sends it and storage takes it. The body is not kept in memory.
 *
 * @throws {SvcError} `invalid_request`: another length than announced. When the client disconnected, the reason of `signal`.
 */
export async function sendStream(
  provider: StorageProvider,
  request: Omit<S3Request, 'body'>,
  { body, size, signal, ...hooks }: IncomingStream,
): Promise<Answer> {
  const clock = new StallClock(provider.idleTimeoutMs);
  const incoming = new IncomingBody(body, size, signal, { clock, ...hooks });
  return provider.s3.send(
    { ...request, headers: { ...request.headers, 'content-length': String(size) }, body: incoming },
    { signal, clock },
  );
}
