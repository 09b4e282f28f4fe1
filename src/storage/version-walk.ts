import { takeAll } from '../bounds/take-all.ts';
import type { Grants } from '../policy/index/grants.ts';
import { afterPrefix, compareKeys, justBefore, maxKey } from '../policy/index/key-order.ts';
import { allowedBeneath, allowedThroughout } from '../policy/listing/beneath.ts';
import { keyFilter } from '../policy/listing/key-filter.ts';
import { nextAllowed, type KeyRange } from '../policy/listing/ranges.ts';
import { maskOf, type AtomicAction } from '../policy/model/action.ts';
import { hasDotSegment } from '../policy/model/name.ts';
import type { KeysScope } from '../policy/model/resource.ts';
import { MAX_PAGE_KEYS } from './bucket-page.ts';
import type { Allowance } from './page-reader.ts';
import type { LongQuestion, PrefixRef } from './provider.ts';
import {
  fetchVersions,
  MAX_PAGES_WITHIN_KEY,
  noHeadway,
  positionAfter,
  type VersionEntry,
  type VersionPosition,
} from './version-page.ts';
import { commonPrefixOf } from './walk.ts';

export type VersionQuery = LongQuestion & {
  readonly delimiter?: string | undefined;
  readonly grants: Grants;
  /** The action that has to be allowed on a key. */
  readonly action: AtomicAction;
};

/** How many versions of a folder are read at once to find one that may be shown. */
const VERSIONS_OF_A_LOOK = 100;

/**
 * A walk through the versions beneath a prefix on whose keys the caller may do `action`, in the order of the keys. It is to `Walk` what a listing of versions is
 * to a listing of objects: it seeks from one allowed range of keys to the next, and looks into folders in which policy allows only some keys. It reads nothing
 * ahead.
 */
export class VersionWalk {
  readonly #place: PrefixRef;
  readonly #query: VersionQuery;
  readonly #scope: KeysScope;
  readonly #permitsKey: (key: string) => boolean;
  readonly #allowance: Allowance;
  /** Entries that were read but not decided yet. */
  readonly #pending: VersionEntry[] = [];
  #at: VersionPosition;
  /** How many pages in a row ended within one key. */
  #pagesWithinKey = 0;
  #atEnd = false;
  #isSpent = false;

  /** @param after - the position to begin at. */
  constructor(
    place: PrefixRef,
    query: VersionQuery,
    after: VersionPosition,
    allowance: Allowance = { requests: Infinity },
  ) {
    this.#place = place;
    this.#query = query;
    this.#scope = { ...place, provider: place.provider.name };
    this.#permitsKey = keyFilter(query.grants, query.action, this.#scope);
    this.#at = after;
    this.#allowance = allowance;
  }

  /** The position after the last decided entry. */
  get at(): VersionPosition {
    return this.#at;
  }

  /** Whether no further entry can come: storage has no more versions, or policy allows no more keys. */
  get ended(): boolean {
    return this.#pending.length === 0 && (this.#atEnd || (!this.#isWithinKey && this.#nextRun() === undefined));
  }

  /** Whether the walk has used all requests that it may make and would need more to continue. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Takes one answer of storage, and returns the entries of it that policy allows. */
  async read(maxKeys = MAX_PAGE_KEYS): Promise<VersionEntry[]> {
    if (this.#pending.length === 0) {
      if (this.ended) return [];
      const run = this.#isWithinKey ? undefined : this.#nextRun();
      const folder = run && this.#folderToLookInto(run);
      if (folder !== undefined) return this.#look(folder);
      if (!(await this.#fetch(run === undefined ? this.#at : { key: this.#startAfter(run) }, maxKeys))) return [];
    }
    const first = this.#pending[0];
    return first !== undefined && this.#isDoubtful(first) ? this.#look(first.name) : this.#takeDecided();
  }

  /** Whether the walk continues between two versions of a key that policy allows. */
  get #isWithinKey(): boolean {
    return this.#at.version !== undefined && this.#permitsKey(this.#at.key);
  }

  /** @returns false when no request is left. */
  async #fetch(after: VersionPosition, maxKeys: number): Promise<boolean> {
    if (!this.#spend()) return false;
    const { delimiter, signal, hold } = this.#query;
    const page = await fetchVersions(this.#place, { after, delimiter, maxKeys, signal, hold });
    const last = page.entries.at(-1);
    // Storage may return a common prefix that the walk has already passed.
    for (const entry of takeAll(page.entries))
      if (entry.version !== undefined || compareKeys(positionAfter(entry).key, this.#at.key) > 0)
        this.#pending.push(entry);
    this.#atEnd = !page.truncated;
    this.#pagesWithinKey = last !== undefined && last.name === after.key ? this.#pagesWithinKey + 1 : 0;
    if (this.#pagesWithinKey > MAX_PAGES_WITHIN_KEY) throw noHeadway(this.#place.provider);
    if (this.#pending.length === 0 && last !== undefined) this.#at = positionAfter(last);
    return true;
  }

  #spend(): boolean {
    this.#isSpent = this.#allowance.requests <= 0;
    if (!this.#isSpent) this.#allowance.requests -= 1;
    return !this.#isSpent;
  }

  /** Takes the pending entries up to the first folder that has to be looked into. */
  #takeDecided(): VersionEntry[] {
    const end = this.#pending.findIndex((entry) => this.#isDoubtful(entry));
    const decided = this.#pending.splice(0, end === -1 ? Infinity : end);
    const last = decided.at(-1);
    if (last !== undefined) this.#at = positionAfter(last);
    return decided.filter((entry) => this.#permits(entry));
  }

  #permits({ name, version }: VersionEntry): boolean {
    // Names with `.` or `..` segments cannot be requested from this provider.
    if (this.#place.provider.dotSegments === 'refuse' && hasDotSegment(name)) return false;
    if (version !== undefined) return this.#permitsKey(name);
    const { grants, action } = this.#query;
    return (allowedBeneath(grants, { ...this.#scope, prefix: name }) & maskOf(action)) !== 0;
  }

  /** Whether the entry is a common prefix in which policy allows only some keys, so that storage has to tell which keys exist. */
  #isDoubtful(entry: VersionEntry): boolean {
    if (entry.version !== undefined || !this.#permits(entry)) return false;
    const { grants, action } = this.#query;
    return !allowedThroughout(grants, action, { ...this.#scope, prefix: entry.name });
  }

  /** Looks in a folder for a version that may be shown. A folder without one is passed. */
  async #look(folder: string): Promise<VersionEntry[]> {
    const beneath = new VersionWalk(
      { ...this.#place, prefix: folder },
      { ...this.#query, delimiter: undefined },
      this.#at,
      this.#allowance,
    );
    const found = (await beneath.read(VERSIONS_OF_A_LOOK)).length > 0;
    this.#isSpent = beneath.isSpent;
    const isDecided = found || beneath.ended;
    if (isDecided && this.#pending[0]?.name === folder) this.#pending.shift();
    if (isDecided) this.#at = { key: afterPrefix(folder) };
    else this.#at = beneath.at;
    const entry = { name: folder };
    return found && this.#permits(entry) ? [entry] : [];
  }

  #nextRun(): KeyRange | undefined {
    const { grants, action } = this.#query;
    return nextAllowed(grants, action, this.#scope, this.#at.key);
  }

  #startAfter(run: KeyRange): string {
    const { key } = this.#at;
    const begin = maxKey(key, run.prefix === '' ? run.after : maxKey(run.after, justBefore(run.prefix)));
    return compareKeys(begin, this.#scope.prefix) < 0 ? '' : begin;
  }

  /** The common prefix that contains a run, unless the run begins after it. */
  #folderToLookInto(run: KeyRange): string | undefined {
    const { delimiter } = this.#query;
    const folderOf = (key: string) => commonPrefixOf(key, this.#scope.prefix, delimiter);
    const folder = folderOf(run.prefix) ?? folderOf(run.after);
    return folder !== undefined && compareKeys(run.after, afterPrefix(folder)) >= 0 ? undefined : folder;
  }
}
