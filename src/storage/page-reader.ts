import { compareKeys } from '../policy/index/key-order.ts';
import { fetchPage, MAX_PAGE_KEYS, type FetchedPage, type PageRequest } from './bucket-page.ts';
import { suppressUnhandledRejection } from './suppress-unhandled-rejection.ts';
import type { PrefixRef } from './provider.ts';

/** How many requests may still be made. It is shared and counted down. */
export type Allowance = { requests: number };

type PageQuery = Omit<PageRequest, 'after' | 'maxKeys'>;
type Begun = { readonly begin: string; readonly page: Promise<FetchedPage> };

/** Reads pages of a listing in order, some of them ahead. */
export class PageReader {
  readonly #place: PrefixRef;
  readonly #query: PageQuery;
  readonly #allowance: Allowance;
  readonly #beginOf: (position: string) => string | undefined;
  /** Pages that were requested ahead, in order. */
  #begun: Begun[] = [];

  /** @param beginOf - gives the position at which to read the next entry after a position; undefined when there is none. */
  constructor(
    place: PrefixRef,
    { delimiter, signal, hold }: PageQuery,
    allowance: Allowance,
    beginOf: (position: string) => string | undefined,
  ) {
    this.#place = place;
    this.#query = { delimiter, signal, hold };
    this.#allowance = allowance;
    this.#beginOf = beginOf;
  }

  get isAhead(): boolean {
    return this.#begun.length > 0;
  }

  /** Requests the pages after these positions at once. */
  begin(positions: readonly string[]): void {
    for (const begin of new Set(positions))
      if (this.#allowance.requests > 0)
        this.#begun.push({ begin, page: suppressUnhandledRejection(this.#fetch(begin, MAX_PAGE_KEYS)) });
    this.#begun.sort((a, b) => compareKeys(a.begin, b.begin));
  }

  /** Returns the page with the entries after a position, which the caller may take; undefined when that needs more requests than are allowed. */
  async read(after: string, maxKeys: number): Promise<FetchedPage | undefined> {
    for (let [next] = this.#begun; next !== undefined && compareKeys(next.begin, after) <= 0; [next] = this.#begun) {
      const page = await next.page;
      if (!page.truncated || compareKeys(page.readTo, after) > 0) return { ...page, entries: [...page.entries] };
      this.#begun.shift();
    }
    if (this.#allowance.requests <= 0) return undefined;
    const page = this.#fetch(after, maxKeys);
    await this.#closeGaps();
    return page;
  }

  #fetch(after: string, maxKeys: number): Promise<FetchedPage> {
    this.#allowance.requests -= 1;
    return fetchPage(this.#place, { ...this.#query, after, maxKeys });
  }

  /** Requests the keys between pages that turned out shorter than expected. */
  async #closeGaps(): Promise<void> {
    const gaps: string[] = [];
    for (const [i, { page }] of this.#begun.entries()) {
      const { truncated, readTo } = await page;
      const begin = truncated ? this.#beginOf(readTo) : undefined;
      const following = this.#begun[i + 1];
      if (begin !== undefined && following !== undefined && compareKeys(begin, following.begin) < 0) gaps.push(begin);
    }
    this.begin(gaps);
  }
}
