import cluster, { type Worker } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import type { Settings } from '../config/read/settings.ts';
import { listen, type RunningServer } from '../http/server.ts';
import type { Logger } from '../log/logger.ts';
import { Hub } from '../workers/hub.ts';
import { Link } from '../workers/link.ts';
import type { WorkerCalls } from './run-worker.ts';
import { endOf, kill } from './worker-process.ts';

/** A worker that ended sooner than this is replaced after a pause, which doubles each time. */
const LASTING_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 30_000;
/** A worker that has not stopped after this time is killed. */
const STOP_MS = 15_000;
/** A worker that does not answer to a reload in this time is killed. */
const RELOAD_MS = 5_000;

export type WorkersOptions = {
  /** How many workers answer requests. */
  readonly count: number;
  readonly log: Logger;
  /** A socket that is already listening, in place of `server.host` and `server.port`. */
  readonly socketFd: number | undefined;
};

type Running = {
  /** From 1. */
  readonly number: number;
  readonly worker: Worker;
  readonly link: Link<WorkerCalls>;
  /** Resolves with the way in which the process ended. */
  readonly ended: Promise<string>;
};

/** Starts several processes that answer the requests of a service on one port. One that ends is replaced. */
export async function startWorkers(settings: Settings, options: WorkersOptions): Promise<Workers> {
  const workers = new Workers(settings, options);
  await workers.start();
  return workers;
}

export class Workers {
  readonly #options: WorkersOptions;
  readonly #hub = new Hub(Date.now);
  readonly #stopping = new AbortController();
  readonly #running = new Set<Running>();
  /** Those that answer requests, with the current settings. */
  readonly #ready = new Set<Running>();
  /** The settings with which workers start. */
  #current: Settings;
  #settings: Settings;
  #reloading: Promise<unknown> = Promise.resolve();
  #metricsServer: RunningServer | undefined;
  #onEnded: (id: number) => void = () => undefined;

  constructor(settings: Settings, options: WorkersOptions) {
    this.#current = settings;
    this.#settings = settings;
    this.#options = options;
  }

  /** The settings, with the port that the service got in place of port 0. */
  get settings(): Settings {
    return this.#settings;
  }

  /** Starts one worker before the others, so that a fault of the start is met once, and the state database is migrated once. */
  async start(): Promise<void> {
    // The kernel hands out the connections. Node would lose the one that is on its way to a worker that is killed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    // Messages are JSON by default, which has neither bytes nor `undefined`.
    cluster.setupPrimary({ serialization: 'advanced' });
    try {
      const first = this.#fork(1);
      this.#settings = await this.#begin(first);
      const others = Array.from({ length: this.#options.count - 1 }, (_, i) => this.#fork(i + 2));
      await Promise.all(others.map((each) => this.#begin(each)));
      await this.#serveMetrics();
      for (const each of [first, ...others]) void this.#replaceWhenEnded(each);
    } catch (error) {
      await this.#kill(this.#running);
      throw error;
    }
    this.#options.log.info('the workers answer requests', { workers: this.#options.count });
  }

  /**
   * Applies other settings in all workers or in none. Reloads run one after the other.
   *
   * @returns the revision of the policies. @throws {Error} when a worker cannot apply them without a restart.
   */
  reload(next: Settings): Promise<string> {
    const reloaded = this.#reloading.then(() => this.#reload(next));
    this.#reloading = reloaded.catch(() => undefined);
    return reloaded;
  }

  /** Reports in the log and in the metrics that a configuration was not applied. */
  refused(why: string): void {
    this.#options.log.error('the configuration was not applied', { why });
    for (const { link } of this.#ready) link.tell('refused');
  }

  /** Resolves when the event loop of every worker has answered. */
  async live(): Promise<void> {
    await Promise.all([...this.#ready].map((each) => this.#unlessEnded(each, each.link.ask('live'))));
  }

  /** Lets all workers finish their requests, and ends them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const all = [...this.#running];
    await this.#kill(all.filter((each) => !this.#ready.has(each)));
    await Promise.all(
      all.map(async (each) => {
        const stopped = this.#unlessEnded(each, each.link.ask('stop'));
        await Promise.race([stopped, wait(STOP_MS, undefined, { ref: false })]);
      }),
    );
    await this.#kill(all);
    await this.#metricsServer?.stop(0);
  }

  async #reload(next: Settings): Promise<string> {
    const checks = [...this.#ready].map((each) => this.#inTime(each, each.link.ask('check', next)));
    await Promise.all(checks);
    if (this.#ready.size === 0) throw new Error('no worker is ready; no change was applied');
    // A worker that ends or starts from here on has the new settings when it answers requests again.
    this.#current = next;
    const reloads = [...this.#ready].map((each) =>
      this.#inTime(each, each.link.ask('reload', next)).catch(() => kill(each.worker)),
    );
    const revision = (await Promise.all(reloads)).find((one) => one !== undefined);
    if (revision === undefined)
      throw new Error('every worker ended; those that take their place have the new settings');
    return revision;
  }

  #fork(number: number): Running {
    const worker = cluster.fork();
    const { calls, leave } = this.#hub.join({
      turnCame: (turn) => link.tell('turnCame', turn),
      noticed: (...notice) => link.ask('noticed', ...notice),
    });
    const link: Link<WorkerCalls> = new Link(
      {
        send: (message) => void worker.send(message as object, () => undefined),
        onMessage: (listener) => void worker.on('message', listener),
      },
      calls,
    );
    const ended = endOf(worker).then((how) => {
      this.#running.delete(running);
      this.#ready.delete(running);
      leave();
      link.close(new Error(`the worker ended ${how}`));
      this.#onEnded(worker.id);
      return how;
    });
    const running = { number, worker, link, ended };
    this.#running.add(running);
    return running;
  }

  /** Starts the service in a worker. */
  async #begin(running: Running): Promise<Settings> {
    let given = this.#current;
    const { count, socketFd } = this.#options;
    const settings = await running.link.ask('start', given, { number: running.number, count }, socketFd);
    while (given !== this.#current) {
      given = this.#current;
      await running.link.ask('reload', given);
    }
    this.#ready.add(running);
    return settings;
  }

  async #replaceWhenEnded(first: Running): Promise<void> {
    for (let running = first, pauseMs = 0, since = performance.now(); ; since = performance.now()) {
      const how = await running.ended;
      if (this.#isStopping()) return;
      const hasLasted = performance.now() - since > LASTING_MS;
      pauseMs = hasLasted ? 0 : Math.min(Math.max(pauseMs * 2, FIRST_PAUSE_MS), LAST_PAUSE_MS);
      this.#options.log.error(`a worker ended ${how}, and another one takes its place`, {
        worker: running.number,
        pauseMs,
      });
      await wait(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#isStopping()) return;
      try {
        running = this.#fork(running.number);
        await this.#begin(running);
      } catch (error) {
        if (!this.#isStopping())
          this.#options.log.error('a worker could not start', { worker: running.number, cause: error });
        kill(running.worker);
      }
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Joins the metrics of all workers. */
  async #serveMetrics(): Promise<void> {
    const { metrics } = this.#current.server;
    if (metrics === undefined) return;
    const { WorkerMetrics } = await import('../http/rows/worker-metrics.ts');
    const page = new WorkerMetrics(() =>
      [...this.#ready].map(({ worker, link }) => [worker.id, link.ask('metrics')] as const),
    );
    this.#onEnded = (id) => page.ended(id);
    this.#metricsServer = await listen(page.listener, metrics);
  }

  /** The answer to a part of a reload; undefined when the worker has ended, also because it gave none. */
  async #inTime<T>(running: Running, answer: Promise<T>): Promise<T | undefined> {
    const { number, worker } = running;
    const late = setTimeout(() => {
      this.#options.log.error('a worker gave no answer to the reload and is replaced', { worker: number });
      kill(worker);
    }, RELOAD_MS);
    try {
      return await this.#unlessEnded(running, answer);
    } finally {
      clearTimeout(late);
    }
  }

  async #unlessEnded<T>(running: Running, answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (!this.#running.has(running)) return undefined;
      throw error;
    }
  }

  async #kill(all: Iterable<Running>): Promise<void> {
    await Promise.all(
      [...all].map(async ({ worker, ended }) => {
        kill(worker);
        await ended;
      }),
    );
  }
}
