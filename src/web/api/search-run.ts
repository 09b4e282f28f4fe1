import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ObjectEntry } from '../../wire/http.ts';
import { apiErrorOf, type ApiError } from './api-error.ts';
import { readLines } from './lines.ts';
import type { Place } from '../place/place.ts';

/** A search result: an object, or a folder, for which `object` is undefined and `key` is the prefix. */
export type Found = {
  readonly provider: string;
  readonly bucket: string;
  readonly key: string;
  readonly object: ObjectEntry | undefined;
};

/** A place that could not be searched completely. `place` is undefined if the list of places could not be loaded. */
export type Unread = { readonly place: Place | undefined; readonly error: ApiError };

/**
 * - `enough`: the search paused because it found many results; it can continue
 * - `stopped`: the user stopped the search; it can continue
 */
export type Results = {
  readonly state: 'running' | 'enough' | 'stopped' | 'done';
  readonly found: readonly Found[];
  /** The number of names that were checked. */
  readonly seen: number;
  readonly unread: readonly Unread[];
};

type Line = { readonly object?: ObjectEntry; readonly prefix?: string; readonly seen?: number };
type Rest = { readonly place: Place; readonly cursor: string | undefined };

const PLACES_AT_ONCE = 3;
/** The search pauses after this number of further results. */
const ENOUGH = 500;

const BEGUN: Results = { state: 'running', found: [], seen: 0, unread: [] };

/** A search through several places. Its results grow while it runs. */
export class SearchRun {
  readonly results: StoreApi<Results> = createStore(() => BEGUN);
  readonly #query: Readonly<Record<string, string | number>>;
  #rest: Rest[] = [];
  #stop = new AbortController();
  #working: Promise<unknown> = Promise.resolve();
  #isLeft = false;
  /** The results so far, to skip those that appear again when the search continues in a place. */
  readonly #known = new Set<string>();

  /** @param places - returns the places to search, in this order. */
  constructor(query: Readonly<Record<string, string | number>>, places: () => Promise<readonly Place[]>) {
    this.#query = query;
    this.#work(async () => {
      this.#rest = (await places()).map((place) => ({ place, cursor: undefined }));
    });
  }

  stop(): void {
    this.#stop.abort();
    if (this.results.getState().state === 'running') this.results.setState({ state: 'stopped' });
  }

  /** Continues the search, also in the places that failed. */
  goOn(): void {
    this.#isLeft = false;
    this.results.setState({ state: 'running', unread: [] });
    this.#stop = new AbortController();
    this.#work();
  }

  /** Stops the search while its page is not shown. */
  leave(): void {
    this.#isLeft = this.results.getState().state === 'running';
    this.stop();
  }

  /** Continues the search if it was running when its page was left. */
  comeBack(): void {
    if (this.#isLeft) this.goOn();
  }

  /** Starts to search after the previous work has ended. */
  #work(prepare: () => Promise<void> = async () => undefined): void {
    const { signal } = this.#stop;
    this.#working = this.#working.then(prepare).then(
      () => this.#lookAll(signal),
      (thrown: unknown) =>
        this.results.setState({ state: 'done', unread: [{ place: undefined, error: apiErrorOf(thrown) }] }),
    );
  }

  async #lookAll(signal: AbortSignal): Promise<void> {
    const enough = this.results.getState().found.length + ENOUGH;
    const isEnough = (): boolean => signal.aborted || this.results.getState().found.length >= enough;
    const later: Rest[] = [];
    const worker = async (): Promise<void> => {
      while (!isEnough()) {
        const next = this.#rest.shift();
        if (next === undefined) return;
        const rest = await this.#look(next, signal, isEnough);
        if (rest !== undefined) later.push(rest);
      }
    };
    await Promise.all(Array.from({ length: PLACES_AT_ONCE }, worker));
    this.#rest.unshift(...later);
    if (!signal.aborted)
      this.results.setState(({ unread }) => ({ state: this.#rest.length > unread.length ? 'enough' : 'done' }));
  }

  /** Searches one place. @returns the place and the cursor to continue with, if the place was not searched completely. */
  async #look({ place, cursor }: Rest, signal: AbortSignal, isEnough: () => boolean): Promise<Rest | undefined> {
    const { provider, bucket, prefix } = place;
    let at: string | null | undefined = cursor;
    let seen = 0;
    try {
      while (at !== null) {
        seen = 0;
        const lines: AsyncGenerator<readonly Line[], string | null> = readLines(
          ['api', 'providers', provider, 'buckets', bucket, 'search'],
          { ...this.#query, prefix: prefix || undefined, cursor: at },
          signal,
        );
        let step = await lines.next();
        for (; step.done !== true; step = await lines.next()) {
          const now = step.value.findLast((line) => line.seen !== undefined)?.seen ?? seen;
          this.#add(place, step.value, now - seen);
          seen = now;
        }
        at = step.value;
        if (at !== null && isEnough()) return { place, cursor: at };
      }
      return undefined;
    } catch (thrown) {
      const error = apiErrorOf(thrown);
      if (error.code !== 'aborted') this.results.setState(({ unread }) => ({ unread: [...unread, { place, error }] }));
      // The lines since the last cursor arrive again when the search continues, so do not count their names twice.
      this.results.setState((results) => ({ seen: results.seen - seen }));
      return { place, cursor: at ?? undefined };
    }
  }

  #add({ provider, bucket }: Place, lines: readonly Line[], seen: number): void {
    const found: Found[] = [];
    for (const { object, prefix } of lines) {
      const key = object?.key ?? prefix;
      if (key === undefined || this.#known.has(`${provider}/${bucket}/${key}`)) continue;
      this.#known.add(`${provider}/${bucket}/${key}`);
      found.push({ provider, bucket, key, object });
    }
    this.results.setState((results) => ({
      found: found.length === 0 ? results.found : [...results.found, ...found],
      seen: results.seen + seen,
    }));
  }
}
