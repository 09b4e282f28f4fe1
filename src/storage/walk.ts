import type { AtomicAction } from '../policy/action.ts';
import { allowedThroughout, commonPrefixVisible } from '../policy/beneath.ts';
import type { Grants } from '../policy/grants.ts';
import { keyFilter } from '../policy/key-filter.ts';
import { behindPrefix, compareKeys, justBefore, laterKey } from '../policy/key-order.ts';
import { hasDotSegment } from '../policy/name.ts';
import { nextAllowed, type KeyRange } from '../policy/ranges.ts';
import type { KeysScope } from '../policy/resource.ts';
import { endOf, fetchPage, MAX_PAGE_KEYS, type ListedEntry, type ListedObject } from './bucket-page.ts';
import type { Abortable, StorageProvider } from './provider.ts';

export type WalkQuery = Abortable & {
  readonly bucket: string;
  readonly prefix: string;
  readonly delimiter?: string | undefined;
  readonly grants: Grants;
};

/** How many keys of a folder are read at once, to find one that may be listed. The first few nearly always hold one. */
const KEYS_OF_A_LOOK = 100;

/**
 * A walk through the keys of a bucket on which the caller may do one thing, in the byte order of their UTF-8.
 *
 * It seeks from one allowed range of keys to the next, and does not read the keys between them. With a delimiter, it returns a common
 * prefix when a key beneath it exists and may be listed.
 */
export class Walk {
  readonly #provider: StorageProvider;
  readonly #query: WalkQuery;
  readonly #action: AtomicAction;
  readonly #place: KeysScope;
  readonly #permitsKey: (key: string) => boolean;
  /** Entries that were read and are not decided yet. */
  readonly #pending: ListedEntry[] = [];
  #after: string;
  #atEnd = false;

  /** @param after - the position to begin at, exclusive; empty for the start. */
  constructor(provider: StorageProvider, query: WalkQuery, action: AtomicAction, after = '') {
    this.#provider = provider;
    this.#query = query;
    this.#action = action;
    this.#after = after;
    this.#place = { provider: provider.name, bucket: query.bucket, prefix: query.prefix };
    this.#permitsKey = keyFilter(query.grants, action, this.#place);
  }

  /** The position behind the last decided entry, exclusive. */
  get after(): string {
    return this.#after;
  }

  /** Whether nothing further can come: storage has no more, or policy allows no more. */
  get ended(): boolean {
    return this.#pending.length === 0 && (this.#atEnd || this.#nextRun() === undefined);
  }

  /** Makes at most one storage call, and returns the entries of its answer that policy allows. */
  async read(maxKeys = MAX_PAGE_KEYS): Promise<ListedEntry[]> {
    if (this.#pending.length === 0) {
      const run = this.#atEnd ? undefined : this.#nextRun();
      if (run === undefined) return [];
      const folder = this.#folderOf(run.prefix) ?? this.#folderOf(run.after);
      if (folder !== undefined && run.after !== behindPrefix(folder)) return this.#look(folder);
      await this.#fetch(run, maxKeys);
    }
    const first = this.#pending[0];
    return first !== undefined && this.#isDoubtful(first) ? this.#look(first.name) : this.#takeDecided();
  }

  /** Reads a page that begins with the next key that policy may allow. */
  async #fetch(run: KeyRange, maxKeys: number): Promise<void> {
    const { bucket, prefix, delimiter, signal } = this.#query;
    let begin = laterKey(this.#after, run.prefix === '' ? run.after : laterKey(run.after, justBefore(run.prefix)));
    if (compareKeys(begin, prefix) < 0) begin = '';
    const page = await fetchPage(this.#provider, { bucket, prefix, after: begin, delimiter, maxKeys, signal });
    // Storage may return a common prefix again that was passed already.
    this.#pending.push(...page.entries.filter((entry) => compareKeys(endOf(entry), this.#after) > 0));
    this.#atEnd = !page.truncated;
    if (this.#pending.length === 0) this.#after = laterKey(this.#after, page.readTo);
  }

  /** Takes the pending entries up to the first folder that has to be looked into. */
  #takeDecided(): ListedEntry[] {
    const end = this.#pending.findIndex((entry) => this.#isDoubtful(entry));
    const decided = this.#pending.splice(0, end === -1 ? Infinity : end);
    const last = decided.at(-1);
    if (last !== undefined) this.#after = laterKey(this.#after, endOf(last));
    return decided.filter((entry) => this.#permits(entry));
  }

  /** Whether the entry is a common prefix in which policy allows some keys only, so that storage has to say which of them exist. */
  #isDoubtful(entry: ListedEntry): boolean {
    if (entry.kind === 'object' || !this.#permits(entry)) return false;
    return !allowedThroughout(this.#query.grants, this.#action, { ...this.#place, prefix: entry.name });
  }

  /** Looks for a key that may be listed in a folder. When the folder has no further key, it is passed. */
  async #look(folder: string): Promise<ListedEntry[]> {
    const beneath = new Walk(this.#provider, { ...this.#query, prefix: folder, delimiter: undefined }, this.#action, this.#after);
    const found = await beneath.read(KEYS_OF_A_LOOK);
    const isDecided = found.length > 0 || beneath.ended;
    this.#after = laterKey(this.#after, isDecided ? behindPrefix(folder) : beneath.after);
    if (isDecided && this.#pending[0]?.name === folder) this.#pending.shift();
    const entry = { kind: 'prefix', name: folder } as const;
    return found.length > 0 && this.#permits(entry) ? [entry] : [];
  }

  #permits(entry: ListedEntry): boolean {
    // No request may use a name with `.` or `..` here.
    if (this.#provider.dotSegments === 'refuse' && hasDotSegment(entry.name)) return false;
    if (entry.kind === 'object') return this.#permitsKey(entry.name);
    return commonPrefixVisible(this.#query.grants, { ...this.#place, prefix: entry.name });
  }

  #nextRun(): KeyRange | undefined {
    return nextAllowed(this.#query.grants, this.#action, this.#place, this.#after);
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
export async function* walkKeys(provider: StorageProvider, query: Omit<WalkQuery, 'delimiter'>, action: AtomicAction): AsyncGenerator<ListedObject, void, void> {
  const walk = new Walk(provider, query, action);
  while (!walk.ended) {
    for (const entry of await walk.read()) {
      if (entry.kind === 'object') yield entry.object;
    }
  }
}
