import pLimit from 'p-limit';
import { createStore } from 'zustand/vanilla';
import { failureOf, type Failure } from '../../transfer/failure.ts';
import type { Target, Transport } from '../../transfer/transport.ts';
import type { ConflictDesk } from './conflict.ts';
import type { RememberedUploads } from './remembered.ts';
import { sendAsking } from './send.ts';
import { SpeedMeter } from './speed.ts';
import { isOpen, newItem, viewOf, type NewUpload, type UploadItem } from './upload-item.ts';
import { summarize, type QueueView, type UploadState } from './view.ts';

const FILES_AT_ONCE = 3;
/** Browsers open six connections to a host; two of them stay free for browsing. */
const REQUESTS_AT_ONCE = 4;
/** Fewer than {@link REQUESTS_AT_ONCE}, so that a large file does not block small ones. */
const PARTS_AT_ONCE = 3;
const REPORT_EVERY_MS = 100;

export type QueueOptions = {
  readonly transport: Transport<Blob>;
  readonly resumeStore: RememberedUploads;
  readonly conflicts: ConflictDesk;
  readonly onStored?: (target: Target) => void;
  /** Called when the session has ended. All uploads are held until {@link UploadQueue.release}. */
  readonly onSessionLost?: () => void;
  readonly firstDelayMs?: number;
};

/**
 * All uploads of this page, with up to three files and four requests at once. Two files with the same key are never sent at once, because storage would keep
 * only one of them.
 *
 * It does not depend on React or the DOM. Its view is updated at most ten times a second.
 *
 * It is one file, because every method changes the state of the same items, and starts the next ones when one ends.
 */
export class UploadQueue {
  readonly view = createStore<QueueView>(() => summarize([], false, 0));
  readonly #options: QueueOptions;
  readonly #items = new Map<number, UploadItem>();
  readonly #waiting = new Set<UploadItem>();
  readonly #running = new Set<UploadItem>();
  readonly #requests = pLimit(REQUESTS_AT_ONCE);
  readonly #meter = new SpeedMeter();
  #nextId = 1;
  #held = false;
  #report: ReturnType<typeof setTimeout> | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Adds uploads as one batch. The user can answer a question about a taken name for the whole batch. */
  add(uploads: readonly NewUpload[]): void {
    if (![...this.#items.values()].some(({ state }) => isOpen(state) || state === 'paused' || state === 'failed'))
      this.clearFinished();
    const batch = { id: this.#nextId, meter: new SpeedMeter(), askAboutConflict: this.#options.conflicts.batch() };
    for (const upload of uploads) {
      const item = newItem(this.#nextId++, batch, upload);
      this.#items.set(item.id, item);
      this.#waiting.add(item);
    }
    this.#pump();
  }

  pause(id: number): void {
    const item = this.#items.get(id);
    if (item && isOpen(item.state)) this.#stop(item, 'paused');
    this.#pump();
  }

  /** Resumes a paused upload, or retries a failed one. */
  resume(id: number): void {
    const item = this.#items.get(id);
    if (!item || (item.state !== 'paused' && item.state !== 'failed')) return;
    this.#queue(item);
    this.#pump();
  }

  /** Cancels an upload and deletes the parts that were sent. */
  cancel(id: number): void {
    const item = this.#items.get(id);
    if (item) this.#cancel(item);
    this.#pump();
  }

  /** Pauses the uploads of one batch, or all uploads. */
  pauseAll(batch?: number): void {
    for (const item of this.#of(batch)) if (isOpen(item.state)) this.#stop(item, 'paused');
    this.#pump();
  }

  /** Resumes the paused uploads of one batch, or all paused uploads. */
  resumeAll(batch?: number): void {
    for (const item of this.#of(batch)) if (item.state === 'paused') this.#queue(item);
    this.#pump();
  }

  /** Cancels the uploads of one batch. Files that are stored already stay. */
  cancelAll(batch: number): void {
    for (const item of this.#of(batch)) this.#cancel(item);
    this.#pump();
  }

  /** Retries the uploads that failed because of the network. */
  retryLost(): void {
    for (const item of this.#items.values())
      if (item.state === 'failed' && item.failure?.code === 'network') this.#queue(item);
    this.#pump();
  }

  /** Holds all uploads. Uploads that the user paused stay paused after {@link release}. */
  hold(): void {
    this.#held = true;
    for (const item of [...this.#running]) this.#stop(item, 'waiting');
    this.#changed();
  }

  /** Continues after {@link hold}, when the user has signed in again. */
  release(): void {
    this.#held = false;
    this.#pump();
  }

  /** Removes the finished uploads from the list, including failed ones. */
  clearFinished(): void {
    for (const { id, state, job } of this.#items.values()) {
      if (state === 'failed') job.sender.cleared();
      if (['stored', 'skipped', 'cancelled', 'failed'].includes(state)) this.#items.delete(id);
    }
    this.#changed();
  }

  #of(batch: number | undefined): UploadItem[] {
    return [...this.#items.values()].filter((item) => batch === undefined || item.batch.id === batch);
  }

  #cancel(item: UploadItem): void {
    if (['stored', 'skipped', 'cancelled'].includes(item.state)) return;
    this.#stop(item, 'cancelled');
    void item.job.sender.abandon(item.job, this.#options);
  }

  #pump(): void {
    for (const item of this.#waiting) {
      if (this.#held || this.#running.size >= FILES_AT_ONCE) break;
      if (this.#isBeingWritten(item.job.target)) continue;
      this.#waiting.delete(item);
      void this.#send(item);
    }
    this.#changed();
  }

  #isBeingWritten({ provider, bucket, key }: Target): boolean {
    return [...this.#running].some(
      ({ job: { target } }) => target.key === key && target.bucket === bucket && target.provider === provider,
    );
  }

  async #send(item: UploadItem): Promise<void> {
    const run = new AbortController();
    item.run = run;
    item.failure = undefined;
    this.#running.add(item);
    this.#enter(item, 'sending');
    try {
      const outcome = await sendAsking(item.job, {
        ...this.#options,
        requests: this.#requests,
        signal: run.signal,
        partsAtOnce: PARTS_AT_ONCE,
        isBeingWritten: (target) => this.#isBeingWritten(target),
        ask: async (taken, signal) => {
          item.sentBytes = 0;
          this.#enter(item, 'asking');
          const answer = await item.batch.askAboutConflict(taken, signal);
          this.#enter(item, 'sending');
          return answer;
        },
        onSent: (bytes, wasThere) => {
          if (!run.signal.aborted) this.#sent(item, bytes, wasThere);
        },
        onRetry: (failure) => {
          if (run.signal.aborted) return;
          item.failure = failure;
          this.#enter(item, 'retrying');
        },
      });
      if (run.signal.aborted) return;
      this.#finish(item, outcome);
      if (outcome === 'stored') this.#options.onStored?.(item.job.target);
    } catch (thrown) {
      if (!run.signal.aborted) this.#fail(item, failureOf(thrown));
    }
    this.#pump();
  }

  #fail(item: UploadItem, failure: Failure): void {
    if (failure.code === 'session_required') {
      this.hold();
      this.#options.onSessionLost?.();
      return;
    }
    item.failure = failure;
    this.#finish(item, 'failed');
  }

  #finish(item: UploadItem, state: UploadState): void {
    this.#running.delete(item);
    item.run = undefined;
    if (state === 'stored') item.sentBytes = item.job.file.size;
    this.#enter(item, state);
  }

  #stop(item: UploadItem, state: 'paused' | 'cancelled' | 'waiting'): void {
    item.run?.abort();
    item.run = undefined;
    item.meter.reset();
    this.#running.delete(item);
    this.#waiting.delete(item);
    if (state === 'waiting') this.#waiting.add(item);
    this.#enter(item, state);
  }

  #queue(item: UploadItem): void {
    item.failure = undefined;
    this.#waiting.add(item);
    this.#enter(item, 'waiting');
  }

  #sent(item: UploadItem, bytes: number, wasThere: boolean): void {
    const more = bytes - item.sentBytes;
    item.sentBytes = bytes;
    if (more > 0 && !wasThere)
      for (const meter of [item.meter, item.batch.meter, this.#meter]) meter.add(Date.now(), more);
    this.#enter(item, more > 0 ? 'sending' : item.state);
  }

  #enter(item: UploadItem, state: UploadState): void {
    if (state !== 'retrying' && state !== 'failed') item.failure = undefined;
    item.state = state;
    item.view = undefined;
    this.#changed();
  }

  #changed(): void {
    if (this.#report !== undefined) return;
    this.#report = setTimeout(() => {
      this.#report = undefined;
      const now = Date.now();
      this.view.setState(
        summarize(
          [...this.#items.values()].map((item) => viewOf(item, now)),
          this.#held,
          this.#meter.bytesPerSecond(now),
        ),
        true,
      );
    }, REPORT_EVERY_MS);
  }
}
