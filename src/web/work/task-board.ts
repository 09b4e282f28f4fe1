import { createStore } from 'zustand/vanilla';
import { failureOf, type Failure } from '../../transfer/failure.ts';
import { withRetries } from '../../transfer/retry.ts';
import type { SessionGate } from './session-gate.ts';

const REPORT_EVERY_MS = 100;
const RETRIES = 3;

export type TaskState = 'running' | 'held' | 'done' | 'failed' | 'cancelled';

/** The result of a task for one key. `failure` is undefined on success. */
export type KeyResult = { readonly key: string; readonly failure: Failure | undefined };

export type TaskView = {
  readonly id: number;
  /** For example `Deleting 3 items`, and `Deleted 3 items` after all of it succeeded. */
  readonly title: string;
  readonly state: TaskState;
  readonly unit: 'objects' | 'bytes';
  readonly done: number;
  /** Undefined while the total is unknown. */
  readonly total: number | undefined;
  /** The results so far, in the order in which they arrived. */
  readonly results: readonly KeyResult[];
  /** The number of failed results. */
  readonly failures: number;
  /** The number of objects that the task left as they are. They have no result. */
  readonly skipped: number;
  readonly startedAtMs: number;
  /** The reason why the whole task failed. */
  readonly failure: Failure | undefined;
};

/** The functions that a task uses while it runs. */
export type TaskHandle = {
  readonly signal: AbortSignal;
  progress(done: number, total: number | undefined): void;
  result(key: string, failure?: Failure): void;
  skip(count: number): void;
  /** Runs a request. It retries after temporary failures, and after a new sign-in if the session has ended. */
  attempt<T>(request: (tries: number) => Promise<T>): Promise<T>;
};

/** The title of a task while it runs, and after all of it succeeded. */
export type TaskTitles = { readonly title: string; readonly doneTitle: string };

export type Task = TaskTitles & {
  readonly unit: TaskView['unit'];
  readonly work: (handle: TaskHandle) => Promise<void>;
};

/** The long tasks other than uploads, such as downloads, copies and deletions. The user can watch and cancel them. */
export class TaskBoard {
  /** Updated at most ten times a second. */
  readonly view = createStore<readonly TaskView[]>(() => []);
  #tasks: readonly TaskView[] = [];
  #nextId = 1;
  #report: ReturnType<typeof setTimeout> | undefined;
  readonly #gate: SessionGate;
  readonly #stops = new Map<number, AbortController>();
  readonly #firstDelayMs: number | undefined;

  constructor(gate: SessionGate, firstDelayMs?: number) {
    this.#gate = gate;
    this.#firstDelayMs = firstDelayMs;
  }

  /** Runs a task. It resolves with the final state of the task and never rejects. */
  async run(task: Task): Promise<TaskView> {
    const id = this.#nextId++;
    const stop = new AbortController();
    this.#stops.set(id, stop);
    this.#tasks = [
      ...this.#tasks,
      {
        id,
        title: task.title,
        state: 'running',
        unit: task.unit,
        done: 0,
        total: undefined,
        results: [],
        failures: 0,
        skipped: 0,
        startedAtMs: Date.now(),
        failure: undefined,
      },
    ];
    this.#changed();
    try {
      await task.work(this.#handle(id, stop.signal));
      this.#update(id, { state: stop.signal.aborted ? 'cancelled' : 'done' });
      if (isComplete(this.#viewOf(id))) this.#update(id, { title: task.doneTitle });
    } catch (thrown) {
      this.#update(id, stop.signal.aborted ? { state: 'cancelled' } : { state: 'failed', failure: failureOf(thrown) });
    }
    this.#stops.delete(id);
    return this.#viewOf(id);
  }

  cancel(id: number): void {
    this.#stops.get(id)?.abort();
  }

  dismiss(id: number): void {
    this.#tasks = this.#tasks.filter((task) => task.id !== id || isOpen(task));
    this.#changed();
  }

  clearFinished(): void {
    this.#tasks = this.#tasks.filter(isOpen);
    this.#changed();
  }

  #handle(id: number, signal: AbortSignal): TaskHandle {
    const results: KeyResult[] = [];
    let failures = 0;
    return {
      signal,
      progress: (done, total) => this.#update(id, { done, total }),
      result: (key, failure) => {
        results.push({ key, failure });
        if (failure) failures += 1;
        this.#update(id, { results, failures });
      },
      skip: (count) => this.#update(id, { skipped: this.#viewOf(id).skipped + count }),
      attempt: async (request) => {
        let tries = 0;
        for (;;) {
          try {
            return await withRetries(() => request((tries += 1)), {
              retries: RETRIES,
              signal,
              firstDelayMs: this.#firstDelayMs,
            });
          } catch (thrown) {
            signal.throwIfAborted();
            if (failureOf(thrown).code !== 'session_required') throw thrown;
            this.#gate.close();
            this.#update(id, { state: 'held' });
            await this.#gate.pass(signal);
            this.#update(id, { state: 'running' });
          }
        }
      },
    };
  }

  #viewOf(id: number): TaskView {
    return this.#tasks.find((task) => task.id === id)!;
  }

  #update(id: number, change: Partial<TaskView>): void {
    this.#tasks = this.#tasks.map((task) => (task.id === id ? { ...task, ...change } : task));
    this.#changed();
  }

  #changed(): void {
    if (this.#report !== undefined) return;
    this.#report = setTimeout(() => {
      this.#report = undefined;
      this.view.setState(this.#tasks, true);
    }, REPORT_EVERY_MS);
  }
}

/** The keys with which a task was done. */
export function doneIn({ results }: Pick<TaskView, 'results'>): string[] {
  return results.filter(({ failure }) => failure === undefined).map(({ key }) => key);
}

/** Whether a task has ended, and nothing failed or was skipped. */
export function isComplete(task: TaskView): boolean {
  return task.state === 'done' && task.failures === 0 && task.skipped === 0;
}

function isOpen({ state }: TaskView): boolean {
  return state === 'running' || state === 'held';
}
