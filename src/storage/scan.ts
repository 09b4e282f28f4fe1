import { eitherSignal } from '../bounds/stop-signal.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { afterPrefix, compareKeys } from '../policy/index/key-order.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { nextAllowed } from '../policy/listing/ranges.ts';
import type { ListedObject } from './bucket-page.ts';
import { splitPointOf } from './split-point.ts';
import { copyString } from './copy-string.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';
import type { PrefixRef } from './provider.ts';
import { Walk, type WalkQuery } from './walk.ts';

export type ScanQuery = Omit<WalkQuery, 'delimiter'> & {
  /** The position to begin at, exclusive; empty for the start. */
  readonly after: string;
  /** The person who asks. All scans of one person share a limited number of connections. */
  readonly person: string;
};

export type ScanOptions<D> = {
  /** Reduces the objects of a page to what is kept of them. */
  readonly digest: (objects: readonly ListedObject[]) => D;
  /** The approximate memory of a digest in bytes. */
  readonly weigh: (digest: D) => number;
  /** After this time the scan only finishes the partitions that it has begun, so that little is read twice when it is resumed. */
  readonly softLimitMs: number;
  /** After this time it ends at its current position. */
  readonly hardLimitMs: number;
};

/** The digest of a page, and the position after the page. */
export type ScannedPage<D> = { readonly digest: D; readonly after: string };

/** The keys from the position of `walk` up to and including `until`. `until` is undefined in the last partition, which goes to the end of the bucket. */
type Partition<D> = {
  readonly walk: Walk;
  until: string | undefined;
  /** Pages that were read and not yet returned, in order. */
  readonly ready: ScannedPage<D>[];
  isBusy: boolean;
  isDone: boolean;
  /** Whether nothing has been found in it so far. */
  isBare: boolean;
  /** Where another partition may begin; undefined until a page shows how keys are spread. */
  splitPoint: string | undefined;
};

/** How many pages a scan reads at once. */
const AT_ONCE = 8;
/** How many bytes, approximately, a scan keeps for a slow reader. It reads further pages when the reader has taken some. */
const MAX_HELD = 1_048_576;
const WEIGHT_OF_A_PAGE = 200;

/**
 * Reads all keys beneath a prefix on which the caller may do `objects:list`, several pages at once, and returns their digests in the order of the keys.
 *
 * The keys are divided into partitions that are read in parallel. The spread of the keys is unknown before they are read, so a partition is divided when a page of
 * it shows what its keys have in common. The order of the results hides the division: they depend only on the keys that may be listed. The partitions, their reads
 * and their order change together, so they are in one file.
 */
export class Scan<D> {
  readonly #place: PrefixRef;
  readonly #query: ScanQuery;
  readonly #options: ScanOptions<D>;
  readonly #gone = new AbortController();
  readonly #signal: AbortSignal;
  readonly #began = performance.now();
  /** In the order of their keys. */
  readonly #partitions: Partition<D>[] = [];
  #held = 0;
  #reads = 0;
  /** The number of partitions without a hit since the last one with a hit, and the number of reads before which no other partition is made. */
  #misses = 0;
  #nextSplit = 0;
  #isEnding = false;
  #isCut = false;
  #after: string;
  #change = Promise.withResolvers<undefined>();

  constructor(place: Permitted<PrefixRef>, query: ScanQuery, options: ScanOptions<D>) {
    this.#place = { provider: place.provider, bucket: place.bucket, prefix: narrowed(place, query) };
    this.#options = options;
    this.#after = query.after;
    this.#signal = eitherSignal(query.signal, this.#gone.signal);
    this.#query = { ...query, signal: this.#signal };
    this.#signal.addEventListener('abort', () => this.#wake(), { once: true });
    this.#partitions.push(this.#partition(query.after, undefined));
  }

  /** The position to continue from, exclusive, when the scan ended before the last key; otherwise undefined. */
  get cutAt(): string | undefined {
    return this.#isCut ? this.#after : undefined;
  }

  /** Returns the digest of the next page; undefined at the end. A caller that stops before the end has to call {@link close}. */
  async next(): Promise<ScannedPage<D> | undefined> {
    // Lets other requests run between pages that were read ahead.
    await turn();
    for (;;) {
      this.#signal.throwIfAborted();
      const [head] = this.#partitions;
      if (head === undefined) return undefined;
      const page = head.ready.shift();
      if (page !== undefined) {
        this.#held -= this.#weigh(page);
        this.#after = page.after;
        return page;
      }
      this.#endInTime();
      if (head.isDone) this.#partitions.shift();
      else if (this.#elapsedMs >= this.#options.hardLimitMs) {
        this.#isCut = true;
        return undefined;
      } else {
        const { promise } = this.#change;
        this.#start();
        await promise;
      }
    }
  }

  /** Aborts all running reads. */
  close(): void {
    this.#gone.abort();
  }

  /** -1 before the first page is read, so that a scan reads at least one page and makes progress however often it is resumed. */
  get #elapsedMs(): number {
    return this.#reads === 0 ? -1 : performance.now() - this.#began;
  }

  /** After `softLimitMs`, finishes only the partitions with a known end, because they are short. */
  #endInTime(): void {
    if (this.#isEnding || this.#elapsedMs < this.#options.softLimitMs) return;
    this.#isEnding = true;
    const last = this.#partitions.at(-1)!;
    this.#isCut = !last.isDone;
    last.isDone ||= !last.isBusy;
  }

  /** Begins to read as many pages as the scan may read now. It begins with one, because most folders have no more. */
  #start(): void {
    const most = Math.min(AT_ONCE, 1 + Math.floor(this.#reads / 2));
    while (this.#partitions.filter(({ isBusy }) => isBusy).length < most) {
      const partition = this.#nextToRead() ?? this.#split();
      if (partition === undefined) return;
      void this.#read(partition);
    }
  }

  #nextToRead(): Partition<D> | undefined {
    const isWaiting = ({ isBusy, isDone }: Partition<D>) => !isBusy && !isDone;
    return this.#held < MAX_HELD ? this.#partitions.find(isWaiting) : this.#partitions.slice(0, 1).find(isWaiting);
  }

  /** Divides the first partition that can be divided. */
  #split(): Partition<D> | undefined {
    if (this.#held >= MAX_HELD || this.#reads < this.#nextSplit) return undefined;
    const at = this.#partitions.findIndex(
      ({ isDone, splitPoint, until }) =>
        !isDone &&
        splitPoint !== undefined &&
        (until === undefined ? !this.#isEnding : compareKeys(splitPoint, until) < 0),
    );
    const divided = this.#partitions[at];
    if (divided?.splitPoint === undefined) return undefined;
    const further = this.#partition(divided.splitPoint, divided.until);
    divided.until = divided.splitPoint;
    divided.splitPoint = undefined;
    this.#partitions.splice(at + 1, 0, further);
    return further;
  }

  async #read(partition: Partition<D>): Promise<void> {
    partition.isBusy = true;
    try {
      const { walk, until } = partition;
      const isOver = walk.ended || (until !== undefined && walk.isPast(until));
      const entries = isOver
        ? []
        : await this.#place.provider.shares.questions.use(this.#query.person, 1, { signal: this.#signal }, () =>
            walk.read(),
          );
      this.#reads += 1;
      await yieldToEventLoop();
      this.#take(
        partition,
        entries.flatMap(({ object }) => object ?? []),
      );
    } catch (error) {
      this.#gone.abort(error);
    } finally {
      partition.isBusy = false;
      this.#wake();
    }
  }

  #take(partition: Partition<D>, listed: readonly ListedObject[]): void {
    // The partition may have been divided while its page was being read.
    const { walk, until, isBare } = partition;
    const objects = until === undefined ? listed : listed.filter(({ key }) => compareKeys(key, until) <= 0);
    const isOver = walk.ended || (until !== undefined && walk.isPast(until));
    partition.isDone = isOver || (this.#isEnding && until === undefined);
    if (isOver && until === undefined) this.#isCut = false;
    partition.isBare &&= objects.length === 0;
    if (isBare) this.#countMiss(partition);
    const page = {
      digest: this.#options.digest(objects),
      after: copyString(until !== undefined && compareKeys(walk.after, until) > 0 ? until : walk.after),
    };
    partition.ready.push(page);
    this.#held += this.#weigh(page);
    if (!partition.isDone)
      partition.splitPoint = splitPointOf({
        first: listed[0]?.key ?? walk.after,
        last: walk.after,
        prefix: this.#place.prefix,
        until,
      });
  }

  /** A splitPoint that found nothing makes the scan wait longer before the next one. */
  #countMiss({ isBare, isDone }: Partition<D>): void {
    if (!isBare) this.#misses = 0;
    else if (isDone) {
      this.#misses += 1;
      this.#nextSplit = this.#reads + 2 ** this.#misses;
    }
  }

  #partition(after: string, until: string | undefined): Partition<D> {
    return {
      walk: new Walk(this.#place, this.#query, after),
      until,
      ready: [],
      isBusy: false,
      isDone: false,
      isBare: true,
      splitPoint: undefined,
    };
  }

  #weigh({ digest }: ScannedPage<D>): number {
    return WEIGHT_OF_A_PAGE + this.#options.weigh(digest);
  }

  #wake(): void {
    this.#change.resolve(undefined);
    this.#change = Promise.withResolvers<undefined>();
  }
}

/**
 * The longest prefix of all keys in the place that the caller may list, so that storage reads no other keys: for a person with one folder, only that folder is
 * read.
 */
function narrowed(place: PrefixRef, { grants }: ScanQuery): string {
  const scope = { ...place, provider: place.provider.name };
  const run = nextAllowed(grants, 'objects:list', scope, '');
  return run === undefined || nextAllowed(grants, 'objects:list', scope, afterPrefix(run.prefix)) !== undefined
    ? place.prefix
    : run.prefix;
}
