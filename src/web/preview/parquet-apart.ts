import { PartMissing } from '../parts/part.ts';
import type { ParquetTable } from './parquet-table.ts';
import type { Asked, FromWorker, ToWorker } from './parquet-worker.ts';
import type { ReadRange } from './zip-directory.ts';

const LIMIT_MS = 5_000;

/** A running worker: `tell` sends it a message, and `end` terminates it. */
export type Apart = { readonly tell: (message: ToWorker) => void; readonly end: () => void };
/** Starts a worker. @param hear - receives its messages. @param fail - called if the worker cannot be loaded or fails. */
export type OpenApart = (hear: (message: FromWorker) => void, fail: () => void) => Apart;
type Reading = { readonly read: ReadRange; readonly size: number; readonly signal: AbortSignal; /** The time limit for decoding, without the time in which the worker or the bytes are loading. */ readonly limitMs?: number };

/** Starts a browser worker that reads Parquet files. */
export const openParquetWorker: OpenApart = (hear, fail) => {
  const worker = new Worker(new URL('./parquet-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => hear(data);
  worker.onerror = (event) => {
    event.preventDefault();
    fail();
  };
  return { tell: (message) => worker.postMessage(message), end: () => worker.terminate() };
};

/**
 * Reads a Parquet file in a worker, which is terminated after the answer, at the time limit or when the signal is aborted. A malicious file could otherwise keep
 * the decoder running forever or use up the memory.
 *
 * @returns undefined if it is not a Parquet file that can be read within the limit.
 * @throws {PartMissing} and the errors of `read`.
 */
export async function readParquetApart(open: OpenApart, { read, size, signal, limitMs = LIMIT_MS }: Reading): Promise<ParquetTable | undefined> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ParquetTable | undefined>();
  const clock = new Clock(limitMs, () => resolve(undefined));
  let reads = 0;
  let hasSpoken = false;
  const apart = open(
    (message) => {
      hasSpoken = true;
      if ('table' in message) resolve(message.table);
      else void answer(message);
    },
    () => (hasSpoken ? resolve(undefined) : reject(new PartMissing('the reader of Parquet files could not be loaded'))),
  );
  const answer = async ({ id, from, to }: Asked): Promise<void> => {
    reads += 1;
    clock.stop();
    try {
      const bytes = await read(from, to);
      apart.tell({ id, bytes });
    } catch (thrown) {
      reject(thrown);
    }
    reads -= 1;
    if (reads === 0) clock.start();
  };
  const leave = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  apart.tell({ size });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', leave);
    clock.end();
    apart.end();
  }
}

/** A timer that can be paused. It ends when its total running time reaches the limit. */
class Clock {
  #leftMs: number;
  #since: number | undefined;
  #hasEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onEnd: () => void;

  constructor(limitMs: number, onEnd: () => void) {
    this.#leftMs = limitMs;
    this.#onEnd = onEnd;
  }

  start(): void {
    if (this.#since !== undefined || this.#hasEnded) return;
    this.#since = Date.now();
    this.#timer = setTimeout(this.#onEnd, this.#leftMs);
  }

  stop(): void {
    if (this.#since === undefined) return;
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (Date.now() - this.#since));
    this.#since = undefined;
  }

  end(): void {
    this.stop();
    this.#hasEnded = true;
  }
}
