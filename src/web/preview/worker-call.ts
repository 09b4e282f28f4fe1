import { PartMissing } from '../parts/part.ts';

const LIMIT_MS = 5_000;

/** A message of a worker: it has started, it needs something from the page, or it has finished. */
export type WorkerMessage<Result, Request = never> =
  { readonly started: true } | { readonly request: Request } | { readonly result: Result };
export type RunningWorker = { readonly send: (message: unknown) => void; readonly terminate: () => void };
/**
 * Starts a worker.
 * @param receive - receives its messages.
 * @param fail - called if the worker cannot be loaded or fails.
 */
export type StartWorker<Result, Request = never> = (
  receive: (message: WorkerMessage<Result, Request>) => void,
  fail: () => void,
) => RunningWorker;

export type WorkerCall<Task, Request> = {
  readonly task: Task;
  readonly signal: AbortSignal;
  /** Answers the requests of the worker. */
  readonly respond?: (request: Request) => Promise<unknown>;
  /** The time limit for the work, without the time in which the worker or what it requested is loading. */
  readonly limitMs?: number;
};

/** The {@link StartWorker} of a worker of the browser. */
export function webWorker<Result, Request = never>(create: () => Worker): StartWorker<Result, Request> {
  return (receive, fail) => {
    const worker = create();
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage<Result, Request>>) => receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      fail();
    };
    return { send: (message) => worker.postMessage(message), terminate: () => worker.terminate() };
  };
}

/**
 * Lets a worker do a task. The worker is terminated after the result, at the time limit or when the signal is aborted.
 * Otherwise, the content of an object could keep the page busy forever or use up its memory.
 *
 * @returns undefined if there is no result within the limit.
 * @throws {PartMissing} and the errors of `respond`.
 */
export async function callWorker<Task, Result, Request = never>(
  start: StartWorker<Result, Request>,
  { task, signal, respond, limitMs = LIMIT_MS }: WorkerCall<Task, Request>,
): Promise<Result | undefined> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Result | undefined>();
  const clock = new Clock(limitMs, () => resolve(undefined));
  let pending = 0;
  let isLoaded = false;
  const worker = start(
    (message) => {
      isLoaded = true;
      if ('result' in message) resolve(message.result);
      else if ('request' in message) void answer(message.request);
      else clock.start();
    },
    () => (isLoaded ? resolve(undefined) : reject(new PartMissing('a worker of the page could not be loaded'))),
  );
  const answer = async (request: Request): Promise<void> => {
    pending += 1;
    clock.stop();
    try {
      worker.send(await respond?.(request));
    } catch (thrown) {
      reject(thrown);
    }
    pending -= 1;
    if (pending === 0) clock.start();
  };
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  worker.send(task);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    clock.end();
    worker.terminate();
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
