import { Readable } from 'node:stream';
import { errors, type Dispatcher } from 'undici';
import { Collected } from '../../bounds/collected.ts';
import { Shares, type HoldWhile } from '../../bounds/shares.ts';
import type { StallClock } from '../stall-clock.ts';
import type { Headers } from './fault.ts';

/** `body` is a stream when one was asked for and the answer is a success. The network is then read only as fast as the stream. */
export type RawAnswer = { readonly status: number; readonly headers: Headers; readonly body: Buffer | Readable };

/** Reads a body while it comes. */
export type BodyReader = { add: (piece: Buffer) => void };

export type ExchangeOptions = {
  /** The memory of its provider for long bodies for which nobody's memory is taken ({@link memoryForAnswers}). */
  readonly memory: Shares;
  /** Returns the body of a success as a stream. This clock watches its reader. */
  readonly stream?: StallClock | undefined;
  /** Takes memory for a long body that is read as a whole. What it resolves to gives it back. When left out, `memory` is taken. */
  readonly hold?: HoldWhile | undefined;
  /** Takes the body of an answer that is no stream. `body` is empty then. */
  readonly reader?: BodyReader | undefined;
  /** A body that is announced with at most this many bytes is returned as a buffer. Whoever asks for it holds its memory. */
  readonly wholeUpTo?: number | undefined;
  /** Ends the connection when a HEAD fails with another status than 404: Ceph sends a body then, which would be read as the answer to the next request. */
  readonly isHead?: boolean;
  /** Is told how many milliseconds after its head a body of known length came. */
  readonly onBody?: (ms: number) => void;
  /** Makes the error that the reader of a stream gets when it is cut off. */
  readonly faultOf?: (error: unknown) => Error;
};

/** The size limit of an answer that is no stream. The longest page of a thousand keys takes less than a quarter of it. */
export const MAX_ANSWER_BYTES = 16 * 1_048_576;
/** A longer answer waits for memory. A page of a thousand keys is longer when they have more than about 300 characters, as storage encodes them. */
const LONG_ANSWER_BYTES = 524_288;
/** An answer of unknown length waits again when it has more than this, which is more than the longest page. */
const UNKNOWN_BYTES = 4 * 1_048_576;
/** An answer and what is read of it take about so many times its bytes. */
const TIMES_WHILE_READ = 3;
/** Answers for which nobody's memory is taken are short. Longer ones wait for each other, so that no question of any person takes much, whatever storage answers. */
const SHORT_ANSWER_BYTES = 65_536;
/** Other requests run after a reader has taken this many bytes, because to read them takes more than a few milliseconds. */
const TURN_BYTES = 524_288;

/** Each provider has its own, because whoever waits for a provider that stalls must not keep others from reading another one. */
export function memoryForAnswers(): Shares {
  const all = TIMES_WHILE_READ * MAX_ANSWER_BYTES;
  return new Shares({ all, each: all, waiting: Infinity, tooMuch: 'the answers of storage take too much memory' });
}

/** One request on the wire and its answer. undici calls it while it sends and receives. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<RawAnswer>;
  /** True when the whole answer is there, or will never come. */
  isOver = false;
  readonly #options: ExchangeOptions;
  readonly #settle: PromiseWithResolvers<RawAnswer>;
  #controller: Dispatcher.DispatchController | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  #status = 0;
  #headers: Headers = {};
  /** When the head came, until the body begins. */
  #headAt: number | undefined;
  #stream: Body | undefined;
  readonly #whole = new Collected();
  readonly #held: Promise<(() => void) | undefined>[] = [];
  /** So many bytes may come before memory is taken. */
  #room: number;
  #bytes = 0;
  #bytesOfTurn = 0;

  constructor(options: ExchangeOptions) {
    const { hold, wholeUpTo = 0 } = options;
    this.#options = options;
    this.#room = hold === undefined ? Math.max(SHORT_ANSWER_BYTES, wholeUpTo) : LONG_ANSWER_BYTES;
    this.#settle = Promise.withResolvers();
    this.answer = this.#settle.promise;
    // It may fail before anybody awaits it, and that must not end the process.
    this.answer.catch(() => undefined);
  }

  /** Ends the exchange at once, even while it waits for a connection. */
  abort(reason: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason };
    this.#controller?.abort(reason as Error);
    this.#fail(reason);
  }

  /** Gives back the memory that a long answer has taken, now or when it gets it. */
  leave(): void {
    for (const held of this.#held) void held.then((giveBack) => giveBack?.());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped !== undefined) controller.abort(this.#stopped.reason as Error);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = plain(headers);
    // Without a length, the end of a connection that is closed would be the end of the body.
    if (headers['content-length'] !== undefined) this.#headAt = performance.now();
    const { stream, wholeUpTo = -1, isHead } = this.#options;
    if (isHead === true && status >= 400 && status !== 404) {
      this.onResponseEnd();
      controller.abort(new Error('the connection is not used again'));
      return;
    }
    if (stream === undefined || status >= 300 || Number(this.#headers['content-length'] ?? Infinity) <= wholeUpTo)
      return;
    this.#stream = new Body(controller, stream);
    this.#settle.resolve({ status, headers: this.#headers, body: this.#stream });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#headAt !== undefined) {
      this.#options.onBody?.(performance.now() - this.#headAt);
      this.#headAt = undefined;
    }
    if (this.#stream !== undefined) {
      this.#stream.receive(chunk);
      return;
    }
    this.#options.stream?.waitForStorage();
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) {
      this.abort(new errors.ResponseExceededMaxSizeError());
      return;
    }
    const { reader } = this.#options;
    (reader ?? this.#whole).add(chunk);
    this.#bytesOfTurn += chunk.length;
    if (this.#bytes > this.#room) this.#waitForMemory(controller);
    else if (reader !== undefined && this.#bytesOfTurn > TURN_BYTES) this.#waitForTurn(controller);
  }

  #waitForMemory(controller: Dispatcher.DispatchController): void {
    const { memory, hold } = this.#options;
    const taken = this.#held.length === 0 ? 0 : UNKNOWN_BYTES;
    // All that there is for others is taken at once: two answers that each have a part of it would wait for each other.
    const unknown = hold === undefined || taken > 0 ? MAX_ANSWER_BYTES : UNKNOWN_BYTES;
    this.#room = Math.min(Number(this.#headers['content-length'] ?? unknown), MAX_ANSWER_BYTES);
    controller.pause();
    const held = (hold ?? holdOf(memory))(TIMES_WHILE_READ * (this.#room - taken)).then(
      (giveBack) => {
        controller.resume();
        return giveBack;
      },
      (error: unknown) => {
        this.abort(error);
        return undefined;
      },
    );
    this.#held.push(held);
  }

  #waitForTurn(controller: Dispatcher.DispatchController): void {
    this.#bytesOfTurn = 0;
    controller.pause();
    setImmediate(() => controller.resume());
  }

  onResponseEnd(): void {
    this.isOver = true;
    if (this.#stream !== undefined) {
      this.#stream.finish();
      return;
    }
    this.#settle.resolve({ status: this.#status, headers: this.#headers, body: this.#whole.join() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(reason: unknown): void {
    this.isOver = true;
    if (this.#stream === undefined) this.#settle.reject(reason);
    else this.#stream.destroy(this.#options.faultOf?.(reason));
  }
}

/** The body of an answer. Destroying it ends the exchange. */
class Body extends Readable {
  readonly #controller: Dispatcher.DispatchController;
  readonly #clock: StallClock;
  #ended = false;

  constructor(controller: Dispatcher.DispatchController, clock: StallClock) {
    super();
    this.#controller = controller;
    this.#clock = clock;
    // A fault after the reader has gone must not become an uncaught error.
    this.on('error', () => undefined);
    clock.waitForClient();
  }

  receive(chunk: Buffer): void {
    if (this.push(chunk)) {
      this.#clock.waitForStorage();
    } else {
      this.#clock.waitForClient();
      this.#controller.pause();
    }
  }

  finish(): void {
    this.#ended = true;
    this.#clock.stop();
    this.push(null);
  }

  override _read(): void {
    if (this.#ended) return;
    this.#clock.waitForStorage();
    this.#controller.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#clock.stop();
    if (!this.#ended) this.#controller.abort(error ?? new Error('the reader of the body has left'));
    this.#ended = true;
    done(error);
  }
}

function plain(headers: Record<string, string | string[] | undefined>): Headers {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'object') headers[name] = value.join(', ');
  }
  return headers as Headers;
}

function holdOf(memory: Shares): HoldWhile {
  return async (bytes) => {
    await memory.take('', bytes);
    return () => memory.giveBack('', bytes);
  };
}
