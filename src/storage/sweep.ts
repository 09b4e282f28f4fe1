import { setImmediate as turn } from 'node:timers/promises';
import { behindPrefix, compareKeys } from '../policy/index/key-order.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { nextAllowed } from '../policy/listing/ranges.ts';
import type { ListedObject } from './bucket-page.ts';
import { forkOf } from './fork.ts';
import { ownText } from './own-text.ts';
import { ownTurn } from './own-turn.ts';
import type { PrefixRef } from './provider.ts';
import { Walk, type WalkQuery } from './walk.ts';

export type SweepQuery = Omit<WalkQuery, 'delimiter'> & {
  /** The position to begin at, exclusive; empty for the start. */
  readonly after: string;
  /** The person who asks. All sweeps of one person share a limited number of connections. */
  readonly person: string;
};

export type SweepOptions<D> = {
  /** Reduces the objects of a page to what is kept of them. */
  readonly digest: (objects: readonly ListedObject[]) => D;
  /** The approximate memory of a digest in bytes. */
  readonly weigh: (digest: D) => number;
  /** After this time the sweep only finishes the stretches that it has begun, so that little is read twice when it is resumed. */
  readonly soonMs: number;
  /** After this time it ends at its current position. */
  readonly lateMs: number;
};

/** The digest of a page, and the position after the page. */
export type Swept<D> = { readonly digest: D; readonly after: string };

/** The keys from the position of `walk` up to and including `until`. `until` is undefined in the last stretch, which goes to the end of the bucket. */
type Stretch<D> = {
  readonly walk: Walk;
  until: string | undefined;
  /** Pages that were read and not yet returned, in order. */
  readonly ready: Swept<D>[];
  isBusy: boolean;
  isDone: boolean;
  /** Whether nothing has been found in it so far. */
  isBare: boolean;
  /** Where another stretch may begin; undefined until a page shows how keys are spread. */
  fork: string | undefined;
};

/** How many pages a sweep reads at once. */
const AT_ONCE = 8;
/** How many bytes, approximately, a sweep keeps for a slow reader. It reads further pages when the reader has taken some. */
const MAX_HELD = 1_048_576;
const WEIGHT_OF_A_PAGE = 200;

/**
 * Reads all keys beneath a prefix on which the caller may do `objects:list`, several pages at once, and returns their digests in the order of the keys.
 *
 * The keys are divided into stretches that are read in parallel. The spread of the keys is unknown before they are read, so a stretch is divided when a page of
 * it shows what its keys have in common. The order of the results hides the division: they depend only on the keys that may be listed.
 */
export class Sweep<D> {
  readonly #place: PrefixRef;
  readonly #query: SweepQuery;
  readonly #options: SweepOptions<D>;
  readonly #gone = new AbortController();
  readonly #signal: AbortSignal;
  readonly #began = performance.now();
  /** In the order of their keys. */
  readonly #stretches: Stretch<D>[] = [];
  #held = 0;
  #reads = 0;
  /** The number of forks without a hit since the last one with a hit, and the number of reads before which no other fork is made. */
  #misses = 0;
  #nextFork = 0;
  #isEnding = false;
  #isCut = false;
  #after: string;
  #change = Promise.withResolvers<undefined>();

  constructor(place: Permitted<PrefixRef>, query: SweepQuery, options: SweepOptions<D>) {
    this.#place = { provider: place.provider, bucket: place.bucket, prefix: narrowed(place, query) };
    this.#options = options;
    this.#after = query.after;
    this.#signal = query.signal === undefined ? this.#gone.signal : AbortSignal.any([query.signal, this.#gone.signal]);
    this.#query = { ...query, signal: this.#signal };
    this.#signal.addEventListener('abort', () => this.#wake(), { once: true });
    this.#stretches.push(this.#stretch(query.after, undefined));
  }

  /** The position to continue from, exclusive, when the sweep ended before the last key; otherwise undefined. */
  get cutAt(): string | undefined {
    return this.#isCut ? this.#after : undefined;
  }

  /** Returns the digest of the next page; undefined at the end. A caller that stops before the end has to call {@link close}. */
  async next(): Promise<Swept<D> | undefined> {
    // Lets other requests run between pages that were read ahead.
    await turn();
    for (;;) {
      this.#signal.throwIfAborted();
      const [head] = this.#stretches;
      if (head === undefined) return undefined;
      const swept = head.ready.shift();
      if (swept !== undefined) {
        this.#held -= this.#weigh(swept);
        this.#after = swept.after;
        return swept;
      }
      this.#endInTime();
      if (head.isDone) this.#stretches.shift();
      else if (this.#elapsedMs >= this.#options.lateMs) {
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

  /** -1 before the first page is read, so that a sweep reads at least one page and makes progress however often it is resumed. */
  get #elapsedMs(): number {
    return this.#reads === 0 ? -1 : performance.now() - this.#began;
  }

  /** After `soonMs`, finishes only the stretches with a known end, because they are short. */
  #endInTime(): void {
    if (this.#isEnding || this.#elapsedMs < this.#options.soonMs) return;
    this.#isEnding = true;
    const last = this.#stretches.at(-1)!;
    this.#isCut = !last.isDone;
    last.isDone ||= !last.isBusy;
  }

  /** Begins to read as many pages as the sweep may read now. It begins with one, because most folders have no more. */
  #start(): void {
    const most = Math.min(AT_ONCE, 1 + Math.floor(this.#reads / 2));
    while (this.#stretches.filter(({ isBusy }) => isBusy).length < most) {
      const stretch = this.#nextToRead() ?? this.#forked();
      if (stretch === undefined) return;
      void this.#read(stretch);
    }
  }

  #nextToRead(): Stretch<D> | undefined {
    const isWaiting = ({ isBusy, isDone }: Stretch<D>) => !isBusy && !isDone;
    return this.#held < MAX_HELD ? this.#stretches.find(isWaiting) : this.#stretches.slice(0, 1).find(isWaiting);
  }

  /** Divides the first stretch that can be divided. */
  #forked(): Stretch<D> | undefined {
    if (this.#held >= MAX_HELD || this.#reads < this.#nextFork) return undefined;
    const at = this.#stretches.findIndex(
      ({ isDone, fork, until }) =>
        !isDone && fork !== undefined && (until === undefined ? !this.#isEnding : compareKeys(fork, until) < 0),
    );
    const divided = this.#stretches[at];
    if (divided?.fork === undefined) return undefined;
    const further = this.#stretch(divided.fork, divided.until);
    divided.until = divided.fork;
    divided.fork = undefined;
    this.#stretches.splice(at + 1, 0, further);
    return further;
  }

  async #read(stretch: Stretch<D>): Promise<void> {
    stretch.isBusy = true;
    try {
      const { walk, until } = stretch;
      const isOver = walk.ended || (until !== undefined && walk.isPast(until));
      const entries = isOver
        ? []
        : await this.#place.provider.shares.questions.use(this.#query.person, 1, { signal: this.#signal }, () =>
            walk.read(),
          );
      this.#reads += 1;
      await ownTurn();
      this.#take(
        stretch,
        entries.flatMap(({ object }) => object ?? []),
      );
    } catch (error) {
      this.#gone.abort(error);
    } finally {
      stretch.isBusy = false;
      this.#wake();
    }
  }

  #take(stretch: Stretch<D>, listed: readonly ListedObject[]): void {
    // The stretch may have been divided while its page was being read.
    const { walk, until, isBare } = stretch;
    const objects = until === undefined ? listed : listed.filter(({ key }) => compareKeys(key, until) <= 0);
    const isOver = walk.ended || (until !== undefined && walk.isPast(until));
    stretch.isDone = isOver || (this.#isEnding && until === undefined);
    if (isOver && until === undefined) this.#isCut = false;
    stretch.isBare &&= objects.length === 0;
    if (isBare) this.#judgeFork(stretch);
    const swept = {
      digest: this.#options.digest(objects),
      after: ownText(until !== undefined && compareKeys(walk.after, until) > 0 ? until : walk.after),
    };
    stretch.ready.push(swept);
    this.#held += this.#weigh(swept);
    if (!stretch.isDone)
      stretch.fork = forkOf({
        first: listed[0]?.key ?? walk.after,
        last: walk.after,
        prefix: this.#place.prefix,
        until,
      });
  }

  /** A fork that found nothing makes the sweep wait longer before the next one. */
  #judgeFork({ isBare, isDone }: Stretch<D>): void {
    if (!isBare) this.#misses = 0;
    else if (isDone) {
      this.#misses += 1;
      this.#nextFork = this.#reads + 2 ** this.#misses;
    }
  }

  #stretch(after: string, until: string | undefined): Stretch<D> {
    return {
      walk: new Walk(this.#place, this.#query, after),
      until,
      ready: [],
      isBusy: false,
      isDone: false,
      isBare: true,
      fork: undefined,
    };
  }

  #weigh({ digest }: Swept<D>): number {
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
function narrowed(place: PrefixRef, { grants }: SweepQuery): string {
  const scope = { ...place, provider: place.provider.name };
  const run = nextAllowed(grants, 'objects:list', scope, '');
  return run === undefined || nextAllowed(grants, 'objects:list', scope, behindPrefix(run.prefix)) !== undefined
    ? place.prefix
    : run.prefix;
}
