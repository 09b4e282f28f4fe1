import { extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../log/logger.ts';
import { operations } from '../operations.ts';
import type { Progress } from './sender.ts';
import type { SinkOptions } from './sink-options.ts';
import type { SinkMessage, SinkThreadOptions } from './sink-thread.ts';

/** The thread's file is in the same folder as this one, in the sources and in the build. */
const THREAD = join(import.meta.dirname, `sink-thread${extname(import.meta.filename)}`);
const RESTART_MS = 5_000;
/** How long `close` waits for unsent lines. The next start continues with them. */
const FINISH_MS = 2_000;

/** How many failures of a sink are kept. */
const FAILURES = 5;

/** Times are milliseconds since the epoch. */
export type SinkFailure = { readonly at: number; readonly why: string };

/** The progress of a sink. */
export type SinkState = {
  readonly name: string;
  readonly type: SinkOptions['target']['type'];
  /** The host of its address, with a port that is not the usual one. Its path may be secret. */
  readonly host: string;
  readonly only: SinkOptions['only'];
  /** When the receiver last took lines from this process. */
  readonly sentAt: number | undefined;
  /** The latest failures of this process, the latest first. */
  readonly failures: readonly SinkFailure[];
  /** Age of the oldest waiting line; 0 when none waits. */
  readonly lagSeconds: number;
  readonly unsentBytes: number;
  /** Number of lines that the receiver has taken since this process started. */
  readonly sentLines: number;
  /** Number of lines that this process skipped, so that the receiver will never get them. */
  readonly skippedLines: number;
  readonly isFailing: boolean;
};

/** Sends the audit to its sinks in a separate thread. The thread is restarted when it ends by itself. */
export class Sinks {
  readonly #options: SinkThreadOptions;
  readonly #log: Logger;
  #worker: Worker;
  #ended: Promise<unknown> | undefined;
  #progress: readonly (readonly [sink: string, Progress])[] = [];
  /** The numbers only grow, also when a chain is finished or the thread is restarted. */
  readonly #counts: ReadonlyMap<
    string,
    { sent: number; skipped: number; sentAt: number | undefined; failures: readonly SinkFailure[] }
  >;
  #restart: NodeJS.Timeout | undefined;
  #isDown = false;
  #isClosed = false;

  constructor(options: SinkThreadOptions, log: Logger) {
    this.#options = options;
    this.#counts = new Map(
      options.sinks.map(({ name }) => [name, { sent: 0, skipped: 0, sentAt: undefined, failures: [] }]),
    );
    this.#log = log;
    for (const { name: sink, only } of options.sinks)
      for (const operation of only?.operations?.filter((each) => !(each in operations)) ?? [])
        log.warn('a sink of the audit waits for an operation that does not exist', { sink, operation });
    this.#worker = this.#start();
  }

  /** The progress of each sink, as the thread reported it within about the last second. */
  states(): SinkState[] {
    return this.#options.sinks.map(({ name, target, only }) => {
      const of = this.#progress.filter(([sink]) => sink === name).map(([, progress]) => progress);
      const oldest = Math.min(...of.map(({ since }) => since ?? Infinity));
      const unsent = of.reduce((total, { unsentBytes }) => total + unsentBytes, 0);
      const { sent, skipped, sentAt, failures } = this.#counts.get(name)!;
      return {
        name,
        type: target.type,
        host: hostOf(target),
        only,
        sentAt,
        failures,
        lagSeconds: oldest === Infinity ? 0 : Math.max(0, (Date.now() - oldest) / 1_000),
        unsentBytes: unsent,
        sentLines: sent,
        skippedLines: skipped,
        isFailing: this.#isDown || of.some(({ isFailing }) => isFailing),
      };
    });
  }

  /** Sends the waiting lines for up to {@link FINISH_MS}. The chain has to be closed before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    worker.postMessage('finish');
    worker.ref();
    await Promise.race([this.#ended, wait(FINISH_MS, undefined, { ref: false })]);
    await worker.terminate();
    for (const { name, unsentBytes } of this.states())
      if (unsentBytes > 0)
        this.#log.warn('a sink of the audit goes on with the next start', { sink: name, unsentBytes });
  }

  #count({ sink, counted, lines }: Extract<SinkMessage, { counted: unknown }>): void {
    const of = this.#counts.get(sink)!;
    of[counted] += lines;
    if (counted === 'sent' && lines > 0) of.sentAt = Date.now();
  }

  #fail({ sink, failed }: Extract<SinkMessage, { failed: unknown }>): void {
    const of = this.#counts.get(sink)!;
    of.failures = [{ at: Date.now(), why: failed }, ...of.failures].slice(0, FAILURES);
  }

  #start(): Worker {
    const worker = new Worker(THREAD, { workerData: this.#options, name: 'svc audit sinks' });
    worker.unref();
    worker.on('message', (message: SinkMessage) => {
      this.#isDown = false;
      if ('progress' in message) this.#progress = message.progress;
      else if ('counted' in message) this.#count(message);
      else if ('failed' in message) this.#fail(message);
      else this.#log[message.level](message.message, message.fields);
    });
    worker.on('error', (error) =>
      this.#log.error('the thread that sends the audit to its sinks failed', { cause: error }),
    );
    this.#ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.once('exit', () => {
      if (this.#isClosed) return;
      this.#isDown = true;
      this.#log.error('the thread that sends the audit to its sinks ended; it is started again', {});
      this.#restart = setTimeout(() => void (this.#worker = this.#start()), RESTART_MS).unref();
    });
    return worker;
  }
}

function hostOf(target: SinkOptions['target']): string {
  if (target.type === 'http') return new URL(target.url).host;
  return `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
}
