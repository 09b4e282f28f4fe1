import { extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../log/logger.ts';
import type { Progress } from './sender.ts';
import type { SinkMessage, SinkThreadOptions } from './sink-thread.ts';

/** The thread stands beside this file, in the sources and in the build. */
const THREAD = join(import.meta.dirname, `sink-thread${extname(import.meta.filename)}`);
const RESTART_MS = 5_000;
/** How long the end waits for what is not sent yet. The next start goes on with it. */
const FINISH_MS = 2_000;

/** How far a sink is. */
export type SinkState = {
  readonly name: string;
  /** Age of the oldest line that waits; 0 when none does. */
  readonly lagSeconds: number;
  readonly unsentBytes: number;
  /** Lines that the receiver took since this process began. */
  readonly sentLines: number;
  /** Lines that the receiver lacks for good. */
  readonly skippedLines: number;
  readonly isFailing: boolean;
};

/** Sends the audit to places elsewhere, in a thread of its own, which is started again when it ends by itself. */
export class Sinks {
  readonly #options: SinkThreadOptions;
  readonly #log: Logger;
  #worker: Worker;
  #ended: Promise<unknown> | undefined;
  #progress: readonly (readonly [sink: string, Progress])[] = [];
  #restart: NodeJS.Timeout | undefined;
  #isDown = false;
  #isClosed = false;

  constructor(options: SinkThreadOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#worker = this.#start();
  }

  /** How far each sink is, by what the thread said within the last second or so. */
  states(): SinkState[] {
    return this.#options.sinks.map(({ name }) => {
      const of = this.#progress.filter(([sink]) => sink === name).map(([, progress]) => progress);
      const oldest = Math.min(...of.map(({ since }) => since ?? Infinity));
      const sum = (member: 'unsentBytes' | 'sent' | 'skipped'): number => of.reduce((total, progress) => total + progress[member], 0);
      return { name, lagSeconds: oldest === Infinity ? 0 : Math.max(0, (Date.now() - oldest) / 1_000), unsentBytes: sum('unsentBytes'), sentLines: sum('sent'), skippedLines: sum('skipped'), isFailing: this.#isDown || of.some(({ isFailing }) => isFailing) };
    });
  }

  /** Sends what waits, as far as that is quick. The chain has to be closed before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    worker.postMessage('finish');
    worker.ref();
    await Promise.race([this.#ended, wait(FINISH_MS, undefined, { ref: false })]);
    await worker.terminate();
    for (const { name, unsentBytes } of this.states()) if (unsentBytes > 0) this.#log.warn('a sink of the audit goes on with the next start', { sink: name, unsentBytes });
  }

  #start(): Worker {
    const worker = new Worker(THREAD, { workerData: this.#options, name: 'svc audit sinks' });
    worker.unref();
    worker.on('message', (message: SinkMessage) => {
      this.#isDown = false;
      if ('progress' in message) this.#progress = message.progress;
      else this.#log[message.level](message.message, message.fields);
    });
    worker.on('error', (error) => this.#log.error('the thread that sends the audit to its sinks failed', { cause: error }));
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
