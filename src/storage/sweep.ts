import { setImmediate as turn } from 'node:timers/promises';
import { behindPrefix, compareKeys } from '../policy/key-order.ts';
import { nextAllowed } from '../policy/ranges.ts';
import type { KeysScope } from '../policy/resource.ts';
import { checkNames } from './address.ts';
import type { ListedObject } from './bucket-page.ts';
import { forkOf } from './fork.ts';
import { ownText } from './own-text.ts';
import type { StorageProvider } from './provider.ts';
import type { SweepTurn } from './sweep-turns.ts';
import { Walk, type WalkQuery } from './walk.ts';

export type SweepQuery = Omit<WalkQuery, 'delimiter'> & {
  /** The position to begin at, exclusive; empty for the start. */
  readonly after: string;
  /** Who asks. The sweeps of one person share a number of calls. */
  readonly person: string;
};

export type SweepOptions<D> = {
  /** What is kept of the objects of a page. */
  readonly digest: (objects: readonly ListedObject[]) => D;
  /** The memory that a digest takes, in bytes, roughly. */
  readonly weigh: (digest: D) => number;
  /** After this time the sweep only finishes what it has begun, so that little is read twice when it is resumed. */
  readonly soonMs: number;
  /** After this time it ends where it is. */
  readonly lateMs: number;
};

/** What became of a page, and the position behind it. */
export type Swept<D> = { readonly digest: D; readonly after: string };

/** The keys from where a walk is up to and including `until`; to the end of the bucket when that is undefined, as it is in the last stretch. */
type Stretch<D> = {
  readonly walk: Walk;
  until: string | undefined;
  /** What was read and not yet taken, in order. */
  readonly ready: Swept<D>[];
  isBusy: boolean;
  isDone: boolean;
  /** Whether nothing was found in it so far. */
  isBare: boolean;
  /** Where another stretch may begin; undefined before a page shows how keys lie. */
  fork: string | undefined;
};

/** How many pages a sweep reads at once. */
const AT_ONCE = 8;
/** What a sweep keeps for a slow reader, in bytes, roughly. Further pages are read when it has been taken. */
const MAX_HELD = 1_048_576;
const WEIGHT_OF_A_PAGE = 200;

/**
 * Reads all keys beneath a prefix on which the caller may do `objects:list`, several pages at once, and gives what is kept of them in the order of the keys.
 *
 * The keys are divided into stretches that are read side by side. Nobody knows how keys lie before they are read, so a stretch is divided when a page of
 * it shows what keys have in common there. The order of the keys hides where it was divided: what comes out depends on the keys that may be listed, and not on others.
 */
export class Sweep<D> {
  readonly #provider: StorageProvider;
  readonly #query: SweepQuery;
  readonly #options: SweepOptions<D>;
  readonly #gone = new AbortController();
  readonly #signal: AbortSignal;
  readonly #turn: SweepTurn;
  readonly #began = performance.now();
  /** In the order of their keys. */
  readonly #stretches: Stretch<D>[] = [];
  #held = 0;
  #reads = 0;
  /** Forks in vain since the last good one, and the number of reads before which there is no other. */
  #misses = 0;
  #nextFork = 0;
  #isEnding = false;
  #isCut = false;
  #after: string;
  #change = Promise.withResolvers<undefined>();

  /** @throws {SvcError} `invalid_request`, `rate_limited`. */
  constructor(provider: StorageProvider, query: SweepQuery, options: SweepOptions<D>) {
    checkNames(provider, { bucket: query.bucket, prefixes: [query.prefix] });
    this.#provider = provider;
    this.#options = options;
    this.#after = query.after;
    this.#signal = query.signal === undefined ? this.#gone.signal : AbortSignal.any([query.signal, this.#gone.signal]);
    this.#query = { ...query, prefix: narrowed({ provider: provider.name, bucket: query.bucket, prefix: query.prefix }, query), signal: this.#signal };
    this.#signal.addEventListener('abort', () => this.#wake(), { once: true });
    this.#stretches.push(this.#stretch(query.after, undefined));
    this.#turn = provider.sweeps.enter(query.person);
  }

  /** Where to go on, exclusive, when the sweep ended before the last key; else undefined. */
  get cutAt(): string | undefined {
    return this.#isCut ? this.#after : undefined;
  }

  /** What became of the next page; undefined at the end. Whoever stops before the end has to call {@link close}. */
  async next(): Promise<Swept<D> | undefined> {
    // A page that was read ahead does not make other requests wait.
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

  /** Ends what is under way. */
  close(): void {
    this.#gone.abort();
    this.#turn.leave();
  }

  /** A sweep takes the time for one page at least, so that it gets on however often it is resumed. */
  get #elapsedMs(): number {
    return this.#reads === 0 ? -1 : performance.now() - this.#began;
  }

  /** From some time on, only the stretches are finished whose end is known: they are short. */
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
    const at = this.#stretches.findIndex(({ isDone, fork, until }) => !isDone && fork !== undefined && (until === undefined ? !this.#isEnding : compareKeys(fork, until) < 0));
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
      const entries = isOver ? [] : await this.#turn.call(() => walk.read());
      this.#reads += 1;
      this.#take(stretch, entries.flatMap(({ object }) => object ?? []));
    } catch (error) {
      this.#gone.abort(error);
    } finally {
      stretch.isBusy = false;
      this.#wake();
    }
  }

  #take(stretch: Stretch<D>, listed: readonly ListedObject[]): void {
    // The stretch may have been divided while its page was on the way.
    const { walk, until, isBare } = stretch;
    const objects = until === undefined ? listed : listed.filter(({ key }) => compareKeys(key, until) <= 0);
    const isOver = walk.ended || (until !== undefined && walk.isPast(until));
    stretch.isDone = isOver || (this.#isEnding && until === undefined);
    if (isOver && until === undefined) this.#isCut = false;
    stretch.isBare &&= objects.length === 0;
    if (isBare) this.#judgeFork(stretch);
    const swept = { digest: this.#options.digest(objects), after: ownText(until !== undefined && compareKeys(walk.after, until) > 0 ? until : walk.after) };
    stretch.ready.push(swept);
    this.#held += this.#weigh(swept);
    if (!stretch.isDone) stretch.fork = forkOf({ first: listed[0]?.key ?? walk.after, last: walk.after, prefix: this.#query.prefix, until });
  }

  /** A fork that found nothing makes the next one wait longer. */
  #judgeFork({ isBare, isDone }: Stretch<D>): void {
    if (!isBare) this.#misses = 0;
    else if (isDone) {
      this.#misses += 1;
      this.#nextFork = this.#reads + 2 ** this.#misses;
    }
  }

  #stretch(after: string, until: string | undefined): Stretch<D> {
    return { walk: new Walk(this.#provider, this.#query, after), until, ready: [], isBusy: false, isDone: false, isBare: true, fork: undefined };
  }

  #weigh({ digest }: Swept<D>): number {
    return WEIGHT_OF_A_PAGE + this.#options.weigh(digest);
  }

  #wake(): void {
    this.#change.resolve(undefined);
    this.#change = Promise.withResolvers<undefined>();
  }
}

/** The prefix of all keys beneath a place that the caller may list, so that storage reads no others: a person with one folder pays for that folder. */
function narrowed(place: KeysScope, { grants }: SweepQuery): string {
  const run = nextAllowed(grants, 'objects:list', place, '');
  return run === undefined || nextAllowed(grants, 'objects:list', place, behindPrefix(run.prefix)) !== undefined ? place.prefix : run.prefix;
}
