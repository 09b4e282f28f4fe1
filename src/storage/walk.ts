import type { AtomicAction } from '../policy/action.ts';
import { commonPrefixVisible } from '../policy/beneath.ts';
import type { Grants } from '../policy/grants.ts';
import { keyFilter } from '../policy/key-filter.ts';
import { behindPrefix, compareKeys, justBefore, laterKey } from '../policy/key-order.ts';
import { hasDotSegment } from '../policy/name.ts';
import { nextAllowed } from '../policy/ranges.ts';
import { endOf, fetchPage, MAX_PAGE_KEYS, type Entry, type ListedObject } from './bucket-page.ts';
import type { Abortable, Provider } from './provider.ts';

export type WalkQuery = Abortable & {
  readonly bucket: string;
  readonly prefix: string;
  readonly delimiter?: string | undefined;
  readonly grants: Grants;
};

/**
 * A walk through the keys of a bucket on which the caller may do one thing, in the byte order of their UTF-8.
 *
 * It seeks from one allowed range of keys to the next: what policy denies, or allows nothing in, is not read.
 */
export class Walk {
  readonly #provider: Provider;
  readonly #query: WalkQuery;
  readonly #action: AtomicAction;
  readonly #permitsKey: (key: string) => boolean;
  #after: string;
  #atEnd = false;

  /** @param after - the position to begin at, exclusive; empty for the start. */
  constructor(provider: Provider, query: WalkQuery, action: AtomicAction, after = '') {
    this.#provider = provider;
    this.#query = query;
    this.#action = action;
    this.#after = after;
    this.#permitsKey = keyFilter(query.grants, action, provider.name, query.bucket);
  }

  /** The position behind everything that was read, exclusive. */
  get after(): string {
    return this.#after;
  }

  /** Whether nothing further can come: storage has no more, or policy allows no more. */
  get ended(): boolean {
    return this.#atEnd || this.#seek() === undefined;
  }

  /** Makes one storage call, or none when policy allows nothing further, and gives what policy allows of its answer. */
  async read(maxKeys = MAX_PAGE_KEYS): Promise<Entry[]> {
    const begin = this.#atEnd ? undefined : this.#seek();
    if (begin === undefined) return [];
    const { bucket, prefix, delimiter, signal } = this.#query;
    const page = await fetchPage(this.#provider, { bucket, prefix, after: begin, delimiter, maxKeys, signal });
    // Storage may give a common prefix again that was passed already.
    const fresh = page.entries.filter((entry) => compareKeys(endOf(entry), this.#after) > 0);
    this.#after = laterKey(this.#after, page.readTo);
    this.#atEnd = !page.truncated;
    return fresh.filter((entry) => this.#permits(entry));
  }

  #permits(entry: Entry): boolean {
    // Nobody could ask for it by this name.
    if (this.#provider.dotSegments === 'refuse' && hasDotSegment(entry.name)) return false;
    if (entry.kind === 'object') return this.#permitsKey(entry.name);
    return commonPrefixVisible(this.#query.grants, this.#provider.name, this.#query.bucket, entry.name);
  }

  /** Where the next storage call begins, so that it reads nothing before the next key that policy may allow; undefined when there is none. */
  #seek(): string | undefined {
    const { grants, bucket, prefix } = this.#query;
    const run = nextAllowed(grants, this.#action, this.#provider.name, bucket, prefix, this.#after);
    if (run === undefined) return undefined;
    let begin = run.prefix === '' ? run.after : laterKey(run.after, justBefore(run.prefix));

    // Storage does not agree on what "start after" means inside a common prefix: Amazon shows the prefix, others pass over it. So a
    // call begins before the common prefix that the run lies in, or behind all of it.
    const folder = this.#folderOf(run.prefix) ?? this.#folderOf(run.after);
    if (folder !== undefined && begin !== behindPrefix(folder)) begin = justBefore(folder);

    begin = laterKey(this.#after, begin);
    return compareKeys(begin, prefix) < 0 ? '' : begin;
  }

  /** The common prefix that a key is rolled up into, if it is. */
  #folderOf(key: string): string | undefined {
    const { prefix, delimiter } = this.#query;
    if (!delimiter || !key.startsWith(prefix)) return undefined;
    const at = key.indexOf(delimiter, prefix.length);
    return at === -1 ? undefined : key.slice(0, at + delimiter.length);
  }
}

/** Every key that starts with a prefix on which the caller may do `action`, in order. For work on whole folders. */
export async function* walkKeys(provider: Provider, query: Omit<WalkQuery, 'delimiter'>, action: AtomicAction): AsyncGenerator<ListedObject, void, void> {
  const walk = new Walk(provider, query, action);
  while (!walk.ended) {
    for (const entry of await walk.read()) {
      if (entry.kind === 'object') yield entry.object;
    }
  }
}
