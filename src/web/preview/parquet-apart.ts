import { PartMissing } from '../parts/part.ts';
import type { ParquetTable } from './parquet-table.ts';
import type { Asked, FromWorker, ToWorker } from './parquet-worker.ts';
import type { ReadRange } from './zip-directory.ts';

const LIMIT_MS = 5_000;

/** A worker: it is told something, and ended. */
export type Apart = { readonly tell: (message: ToWorker) => void; readonly end: () => void };
/** Begins one. @param hear - gets what it tells; @param fail - it could not be loaded, or broke down. */
export type OpenApart = (hear: (message: FromWorker) => void, fail: () => void) => Apart;
type Reading = { readonly read: ReadRange; readonly size: number; readonly signal: AbortSignal; /** Of decoding: while the worker is loaded and while bytes are on their way the clock stands still. */ readonly limitMs?: number };

/** A worker of the browser that reads Parquet files. */
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
 * Reads a Parquet file in a worker, and ends it: after an answer, after the limit, and when nobody wants it any more.
 * A file can be made so that its decoder goes on for ever, or takes all the memory there is.
 *
 * @returns undefined when it is no Parquet file that can be read within the limit.
 * @throws {PartMissing} and what `read` throws
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

/** Runs out when it has run for so long altogether. */
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
