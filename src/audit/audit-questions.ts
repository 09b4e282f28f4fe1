import type { StopSignal } from '../bounds/stop-signal.ts';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Shares } from '../bounds/shares.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { AuditPage, AuditQuestion } from './audit-query.ts';
import type { ThreadAnswer, ThreadQuestion } from './reader-thread.ts';

/** The thread's file is in the same folder as this one, in the sources and in the build. */
const THREAD = join(import.meta.dirname, `reader-thread${extname(import.meta.filename)}`);
/** How many questions the thread has at a time, of all people and of one person. The others wait, and whoever has the least comes first. */
const [AT_ONCE, AT_ONCE_OF_A_PERSON] = [3, 2];
const WAITING_OF_A_PERSON = 16;
const WAIT_MS = 20_000;

/** Queries the audit in a separate thread, which also keeps the index up to date. The thread is restarted when it ends by itself. */
export class AuditQuestions {
  readonly #path: string;
  readonly #shares = new Shares({
    all: AT_ONCE,
    each: AT_ONCE_OF_A_PERSON,
    waitMs: WAIT_MS,
    waiting: WAITING_OF_A_PERSON,
    tooMuch: 'too many of your questions about the audit wait; wait until some of them end',
  });
  readonly #waiting = new Map<number, PromiseWithResolvers<AuditPage>>();
  #worker: Worker | undefined;
  #last = 0;
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
    this.#start();
  }

  /** @throws {SvcError} `audit_unavailable`: the files cannot be read, or the service stops. `rate_limited`, `overloaded`: too many questions wait. */
  ask(
    question: AuditQuestion,
    { person, signal }: { readonly person: string; readonly signal?: StopSignal },
  ): Promise<AuditPage> {
    return this.#shares.use(person, 1, { signal }, () => this.#ask(question));
  }

  async #ask(question: AuditQuestion): Promise<AuditPage> {
    if (this.#isClosed) throw unreadable('the service stops');
    const id = (this.#last += 1);
    const reply = Promise.withResolvers<AuditPage>();
    const overdue = setTimeout(
      () => reply.reject(unreadable('the answer takes too long; ask for a shorter time')),
      WAIT_MS,
    );
    this.#waiting.set(id, reply);
    try {
      this.#start().postMessage({ id, question } satisfies ThreadQuestion);
      return await reply.promise;
    } finally {
      clearTimeout(overdue);
      this.#waiting.delete(id);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#fail('the service stops');
    await this.#worker?.terminate();
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(THREAD, { workerData: this.#path, name: 'svc audit' });
    this.#worker = worker;
    worker.unref();
    worker.on('message', (answer: ThreadAnswer) => {
      const reply = this.#waiting.get(answer.id);
      if ('page' in answer) reply?.resolve(answer.page);
      else reply?.reject(unreadable(answer.error));
    });
    // The `exit` event rejects the waiting questions.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      if (!this.#isClosed) this.#fail('the thread that reads it ended');
    });
    return worker;
  }

  #fail(why: string): void {
    for (const reply of this.#waiting.values()) reply.reject(unreadable(why));
  }
}

function unreadable(why: string): SvcError {
  return new SvcError('audit_unavailable', { detail: `the audit cannot be read: ${why}`, retryAfterSeconds: 5 });
}
