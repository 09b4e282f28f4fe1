import { auditUnavailable } from './audit-unavailable.ts';
import { MAX_BATCH, takeBatch, type Entry } from './chain-batch.ts';
import { RetentionTimer, removeOld } from './retention.ts';
import { SegmentWriter, SIGN_MS, type ChainOptions } from './segment-writer.ts';

/** Lines that nobody waits for are collected for `GATHER_MS`, and are on the disk after `SYNC_MS`. */
const GATHER_MS = 25;
const SYNC_MS = 500;
/** How long a caller waits for a line. */
const WAIT_MS = 10_000;
/** Lines that nobody waits for are dropped and counted when more than this many characters wait for the disk. */
const MAX_BACKLOG = 16 * 1_048_576;

/**
 * The only writer of a chain. It writes lines in the order of their arrival, all waiting ones with one write and one `fdatasync`.
 *
 * After a failed write or sync, the chain goes back to what was on the disk before, waiting callers get an error, and the next line tries again.
 */
export class Chain {
  readonly #options: ChainOptions;
  readonly #segment: SegmentWriter;
  #queue: Entry[] = [];
  #queued = 0;
  /** When the oldest line that was written since the last sync was added. */
  #unsyncedSince: number | undefined;
  #running: Promise<void> | undefined;
  #gather: NodeJS.Timeout | undefined;
  #sync: NodeJS.Timeout | undefined;
  #mustSync = false;
  #fault: { readonly since: number } | undefined;
  #lost = 0;
  /** The number of lost lines in the line that says that writing resumes, until it has. */
  #recordedLost: number | undefined;
  #lostInAll = 0;
  #writing: readonly Entry[] = [];
  readonly #removing: RetentionTimer;
  #isClosed = false;

  constructor(options: ChainOptions) {
    this.#options = options;
    this.#segment = new SegmentWriter(options);
    this.#removing = new RetentionTimer(() => this.#removeOld());
  }

  /** Whether the last attempt to write failed. */
  get isFailing(): boolean {
    return this.#fault !== undefined;
  }

  /** The number of characters that wait to be written. */
  get backlog(): number {
    return this.#queued;
  }

  /** Age in seconds of the oldest line that is not on the disk; 0 when all lines are. While writing fails, at least the time since the first failure. */
  get lagSeconds(): number {
    const oldest = this.#unsyncedSince ?? this.#writing[0]?.since ?? this.#queue[0]?.since;
    const waiting = oldest === undefined ? 0 : performance.now() - oldest;
    return Math.max(0, waiting, this.#fault === undefined ? 0 : this.#options.now() - this.#fault.since) / 1000;
  }

  /** The number of lines dropped since the start. */
  get lost(): number {
    return this.#lostInAll;
  }

  /** Adds a line that nobody waits for. It is dropped and counted when too many wait. */
  append(body: string): void {
    if (this.#isClosed) return;
    if (this.#queued > MAX_BACKLOG) {
      this.#lost += 1;
      this.#lostInAll += 1;
    } else this.#add({ body, since: performance.now() });
  }

  /**
   * Adds a line and waits for it. An empty text adds no line and only tests whether one could be written.
   *
   * @returns the number of the line, when it is on the disk.
   * @throws {SvcError} `audit_unavailable`.
   */
  commit(body: string): Promise<number> {
    if (this.#isClosed) return Promise.reject(auditUnavailable(new Error('the audit is closed')));
    const written = Promise.withResolvers<number>();
    const overdue = setTimeout(
      () => written.reject(auditUnavailable(new Error(`the disk took longer than ${WAIT_MS} ms`))),
      WAIT_MS,
    );
    written.promise.then(
      () => clearTimeout(overdue),
      () => clearTimeout(overdue),
    );
    this.#add({ body, since: performance.now(), written });
    return written.promise;
  }

  /** Writes the waiting lines and closes the segment. Later lines are refused, because another process may have the folder by then. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#gather);
    clearTimeout(this.#sync);
    await this.#removing.close();
    while (this.#running !== undefined) await this.#running;
    this.#mustSync = true;
    await this.#work();
    if (this.#fault === undefined)
      await this.#segment.close().catch((error: unknown) => this.#options.tell.failed(error));
    await this.#segment.release();
  }

  #add(entry: Entry): void {
    this.#queue.push(entry);
    this.#queued += entry.body.length;
    if (this.#running !== undefined) return;
    if (entry.written !== undefined || this.#queue.length >= MAX_BATCH) this.#begin();
    else this.#gather ??= setTimeout(() => this.#begin(), GATHER_MS);
  }

  #begin(): void {
    clearTimeout(this.#gather);
    this.#gather = undefined;
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      if (this.#queue.length > 0 && this.#fault === undefined) this.#begin();
    });
  }

  async #work(): Promise<void> {
    // Lets all callers of the same turn share one write.
    await Promise.resolve();
    while (this.#queue.length > 0 || this.#mustSync) {
      const batch = takeBatch(this.#queue);
      if (batch === this.#queue) this.#queue = [];
      const mustSync =
        this.#mustSync ||
        batch.some(({ written }) => written !== undefined) ||
        this.#segment.unsyncedBytes > MAX_BACKLOG / 4;
      this.#mustSync = false;
      this.#writing = batch;
      try {
        await this.#write(batch, mustSync);
      } catch (error) {
        this.#fail(batch, error);
        return;
      } finally {
        this.#writing = [];
      }
    }
  }

  async #write(batch: readonly Entry[], mustSync: boolean): Promise<void> {
    await this.#recordGap();
    const haveWaited =
      this.#recordedLost !== undefined || (batch[0] !== undefined && performance.now() - batch[0].since >= SIGN_MS);
    const until = haveWaited ? 'signed' : mustSync ? 'synced' : 'written';
    const numbers =
      batch.length === 0
        ? []
        : await this.#segment.write(
            batch.map(({ body }) => body),
            until,
          );
    if (batch.length === 0) await this.#segment.sync();
    if (until !== 'written') {
      this.#unsyncedSince = undefined;
      clearTimeout(this.#sync);
      this.#sync = undefined;
    } else this.#unsyncedSince ??= batch[0]?.since;
    if (this.#segment.unsyncedBytes > 0) this.#syncIn(SYNC_MS);
    else if (this.#segment.hasUnsigned) this.#syncIn(SIGN_MS);
    if (this.#recordedLost !== undefined) {
      const lost = this.#recordedLost;
      this.#fault = undefined;
      this.#forgetLost();
      this.#options.tell.resumed(lost);
    }
    batch.forEach(({ body, written }, i) => {
      this.#queued -= body.length;
      written?.resolve(numbers[i]!);
    });
  }

  /** Writes and signs the line that says what could not be written. It is written alone, because it is later than the lines that were kept. */
  async #recordGap(): Promise<void> {
    const { now } = this.#options;
    const lost = this.#lost - (this.#recordedLost ?? 0);
    if (lost === 0 && (this.#fault === undefined || this.#recordedLost !== undefined)) return;
    const body = JSON.stringify({
      time: timeText(now()),
      kind: 'resumed',
      ...(this.#fault !== undefined && { since: timeText(this.#fault.since) }),
      lost,
    });
    await this.#segment.write([body], 'signed');
    this.#recordedLost = (this.#recordedLost ?? 0) + lost;
  }

  #forgetLost(): void {
    this.#lost -= this.#recordedLost ?? 0;
    this.#recordedLost = undefined;
  }

  #syncIn(ms: number): void {
    if (this.#isClosed) return;
    this.#sync ??= setTimeout(() => {
      this.#sync = undefined;
      this.#mustSync = true;
      this.#begin();
    }, ms).unref();
  }

  /** Rejects all waiting callers at once, before the next attempt. Lines that nobody waits for are kept and written first in that attempt. */
  #fail(batch: readonly Entry[], error: unknown): void {
    const refusal = auditUnavailable(error, { isLogged: true });
    const waiting = [...batch, ...this.#queue];
    const since = this.#unsyncedSince ?? performance.now();
    this.#unsyncedSince = undefined;
    this.#queue = [
      ...this.#segment.giveUpUnsynced().map((body): Entry => ({ body, since })),
      ...waiting.filter(({ written }) => written === undefined),
    ];
    this.#queued = this.#queue.reduce((sum, { body }) => sum + body.length, 0);
    if (this.#fault === undefined) {
      this.#options.tell.failed(error);
      this.#forgetLost();
    }
    this.#fault ??= { since: this.#options.now() };
    for (const { written } of waiting) written?.reject(refusal);
    this.#syncIn(SYNC_MS);
  }

  async #removeOld(): Promise<void> {
    await removeOld(this.#options.folder, this.#options, this.#segment.closed).catch((error: unknown) =>
      this.#options.tell.notRemoved(error),
    );
  }
}

export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
