import { takeAll } from '../bounds/take-all.ts';
import { allowedThroughout, commonPrefixVisible } from '../policy/listing/beneath.ts';
import { planPages } from '../policy/listing/page-plan.ts';
import type { Grants } from '../policy/index/grants.ts';
import { keyFilter } from '../policy/listing/key-filter.ts';
import { afterPrefix, compareKeys, justBefore, maxKey } from '../policy/index/key-order.ts';
import { hasDotSegment } from '../policy/model/name.ts';
import { nextAllowed, type KeyRange } from '../policy/listing/ranges.ts';
import type { KeysScope } from '../policy/model/resource.ts';
import { endOf, MAX_PAGE_KEYS, type ListedEntry, type ListedObject } from './bucket-page.ts';
import { suppressUnhandledRejection } from './suppress-unhandled-rejection.ts';
import { PageReader, type Allowance } from './page-reader.ts';
import type { LongQuestion, PrefixRef } from './provider.ts';

export type WalkQuery = LongQuestion & {
  readonly delimiter?: string | undefined;
  readonly grants: Grants;
};

/** How many keys of a folder are read at once to find one that may be listed. The first few nearly always include one. */
const KEYS_OF_A_LOOK = 100;

/** A walk reads ahead when policy allows at most this share of the last page. */
const THIN = 0.5;
type Look = { readonly found: boolean; readonly isDecided: boolean; readonly after: string };

/**
 * A walk through the keys of a bucket that the caller may list, in the byte order of their UTF-8 form.
 *
 * It seeks from one allowed range of keys to the next, and does not read the keys between them. With a delimiter, it returns a common prefix when a key beneath
 * it exists and may be listed.
 */
export class Walk {
  readonly #place: PrefixRef;
  readonly #query: WalkQuery;
  readonly #scope: KeysScope;
  readonly #permitsKey: (key: string) => boolean;
  /** Entries that were read but not decided yet. */
  readonly #pending: ListedEntry[] = [];
  readonly #allowance: Allowance;
  readonly #pages: PageReader;
  /** Folders that are being searched for a visible key. */
  readonly #looks = new Map<string, Promise<Look>>();
  #after: string;
  #atEnd = false;
  #isSpent = false;
  /** The positions that the last page covers, and how many of its entries policy allows. */
  #last = { begin: '', end: '', entries: 0, allowed: 0 };

  /** @param after - the position to begin at, exclusive; empty for the start. */
  constructor(place: PrefixRef, query: WalkQuery, after = '', allowance: Allowance = { requests: Infinity }) {
    this.#place = place;
    this.#scope = { ...place, provider: place.provider.name };
    this.#query = query;
    this.#allowance = allowance;
    this.#pages = new PageReader(place, query, allowance, (position) => this.#beginOf(position));
    this.#after = after;
    this.#permitsKey = keyFilter(query.grants, 'objects:list', this.#scope);
  }

  /** The position after the last decided entry, exclusive. */
  get after(): string {
    return this.#after;
  }

  /** Whether no further entry can come: storage has no more keys, or policy allows no more. */
  get ended(): boolean {
    return this.#pending.length === 0 && (this.#atEnd || this.#nextRun() === undefined);
  }

  /** Whether all further entries come after a position, so that storage need not be asked for keys before it. */
  isPast(position: string): boolean {
    const begin = this.#beginOf(this.#after);
    return this.#pending.length === 0 && (begin === undefined || compareKeys(begin, position) >= 0);
  }

  /** Whether the walk has used all requests that it may make and would need more to continue. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Takes one answer of storage, and returns the entries of it that policy allows. */
  async read(maxKeys = MAX_PAGE_KEYS): Promise<ListedEntry[]> {
    if (this.#pending.length === 0) {
      const run = this.#atEnd ? undefined : this.#nextRun();
      if (run === undefined) return [];
      const folder = this.#folderToLookInto(run);
      if (folder !== undefined) return this.#look(folder);
      await this.#fetch(run, maxKeys);
    }
    const first = this.#pending[0];
    return first !== undefined && this.#isDoubtful(first) ? this.#look(first.name) : this.#takeDecided();
  }

  /**
   * Starts the requests that the next entries need, all at once: it looks into folders, and reads further pages when policy left little of the last one.
   *
   * @param wanted - how many entries.
   */
  readAhead(wanted: number): void {
    for (const folder of this.#foldersAhead(wanted)) {
      if (this.#allowance.requests <= 0 || this.#looks.size >= wanted) return;
      if (!this.#looks.has(folder)) this.#looks.set(folder, suppressUnhandledRejection(this.#lookInto(folder)));
    }
    const { entries, allowed } = this.#last;
    if (entries === 0 || allowed > entries * THIN || this.#pending.length > 0 || this.#atEnd || this.#pages.isAhead)
      return;
    const options = { after: this.#after, wanted, size: MAX_PAGE_KEYS, pages: this.#allowance.requests };
    const positions = planPages(this.#query.grants, 'objects:list', this.#scope, this.#last, options);
    this.#pages.begin(positions.flatMap((position) => this.#beginOf(position) ?? []));
  }

  /** Reads the page that begins with the next key that policy may allow. */
  async #fetch(run: KeyRange, maxKeys: number): Promise<void> {
    const begin = this.#startAfter(run);
    const page = await this.#pages.read(begin, maxKeys);
    if (page === undefined) {
      this.#isSpent = true;
      return;
    }
    const entries = takeAll(page.entries);
    this.#last = { begin, end: page.readTo, entries: entries.length, allowed: 0 };
    // Storage may return a common prefix that the walk has already passed.
    const first = entries.findIndex((entry) => compareKeys(endOf(entry), this.#after) > 0);
    if (first !== -1) this.#pending.push(...(first === 0 ? entries : entries.slice(first)));
    this.#atEnd = !page.truncated;
    if (this.#pending.length === 0) this.#after = maxKey(this.#after, page.readTo);
  }

  /** Takes the pending entries up to the first folder that has to be looked into. */
  #takeDecided(): ListedEntry[] {
    const end = this.#pending.findIndex((entry) => this.#isDoubtful(entry));
    const decided = this.#pending.splice(0, end === -1 ? Infinity : end);
    const last = decided.at(-1);
    if (last !== undefined) this.#after = maxKey(this.#after, endOf(last));
    const allowed = decided.filter((entry) => this.#permits(entry));
    this.#last.allowed += allowed.length;
    return allowed;
  }

  /** Whether the entry is a common prefix in which policy allows only some keys, so that storage has to tell which keys exist. */
  #isDoubtful(entry: ListedEntry): boolean {
    if (entry.object !== undefined || !this.#permits(entry)) return false;
    return !allowedThroughout(this.#query.grants, 'objects:list', { ...this.#scope, prefix: entry.name });
  }

  /** Looks in a folder for a key that may be listed. A folder without further keys is passed. */
  async #look(folder: string): Promise<ListedEntry[]> {
    if (!this.#looks.has(folder) && this.#allowance.requests <= 0) {
      this.#isSpent = true;
      return [];
    }
    const { found, isDecided, after } = await (this.#looks.get(folder) ?? this.#lookInto(folder));
    this.#looks.delete(folder);
    this.#after = maxKey(this.#after, isDecided ? afterPrefix(folder) : after);
    if (isDecided && this.#pending[0]?.name === folder) this.#pending.shift();
    const entry = { name: folder };
    return found && this.#permits(entry) ? [entry] : [];
  }

  async #lookInto(folder: string): Promise<Look> {
    const beneath = new Walk(
      { ...this.#place, prefix: folder },
      { ...this.#query, delimiter: undefined },
      this.#after,
      this.#allowance,
    );
    const found = (await beneath.read(KEYS_OF_A_LOOK)).length > 0;
    return { found, isDecided: found || beneath.ended, after: beneath.after };
  }

  /** The folders that the walk will look into next, as far as that is known. */
  *#foldersAhead(entries: number): Generator<string, void, void> {
    for (const entry of this.#pending.slice(0, entries)) if (this.#isDoubtful(entry)) yield entry.name;
    if (this.#pending.length > 0 || this.#atEnd) return;
    for (let position = this.#after; ;) {
      const run = this.#nextRun(position);
      const folder = run && this.#folderToLookInto(run);
      if (folder === undefined) return;
      yield folder;
      position = afterPrefix(folder);
    }
  }

  #permits(entry: ListedEntry): boolean {
    // Names with `.` or `..` segments cannot be requested from this provider.
    if (this.#place.provider.dotSegments === 'refuse' && hasDotSegment(entry.name)) return false;
    if (entry.object !== undefined) return this.#permitsKey(entry.name);
    return commonPrefixVisible(this.#query.grants, { ...this.#scope, prefix: entry.name });
  }

  #nextRun(after = this.#after): KeyRange | undefined {
    return nextAllowed(this.#query.grants, 'objects:list', this.#scope, after);
  }

  /** Where a page with the next entry after a position has to begin; undefined when no entry can come, or when a folder is looked into first. */
  #beginOf(position: string): string | undefined {
    const run = this.#nextRun(position);
    return run === undefined || this.#folderToLookInto(run) !== undefined ? undefined : this.#startAfter(run, position);
  }

  #startAfter(run: KeyRange, after = this.#after): string {
    const begin = maxKey(after, run.prefix === '' ? run.after : maxKey(run.after, justBefore(run.prefix)));
    return compareKeys(begin, this.#scope.prefix) < 0 ? '' : begin;
  }

  /** The common prefix that contains a run, unless the run begins after it. */
  #folderToLookInto(run: KeyRange): string | undefined {
    const folder = this.#folderOf(run.prefix) ?? this.#folderOf(run.after);
    return folder !== undefined && compareKeys(run.after, afterPrefix(folder)) >= 0 ? undefined : folder;
  }

  #folderOf(key: string): string | undefined {
    return commonPrefixOf(key, this.#scope.prefix, this.#query.delimiter);
  }
}

/** The common prefix into which a key is combined; undefined when there is none. */
export function commonPrefixOf(key: string, prefix: string, delimiter = ''): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : key.slice(0, at + delimiter.length);
}

/** Every object beneath a prefix that the caller may list, in order. For operations on whole folders. */
export async function* walkObjects(
  place: PrefixRef,
  query: Omit<WalkQuery, 'delimiter'>,
): AsyncGenerator<ListedObject, void, void> {
  const walk = new Walk(place, query);
  while (!walk.ended) yield* (await walk.read()).flatMap(({ object }) => object ?? []);
}
