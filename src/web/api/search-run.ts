import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ObjectEntry } from '../../wire/http.ts';
import { apiErrorOf, type ApiError } from './api-error.ts';
import { readLines } from './lines.ts';
import type { Place } from '../place/place.ts';

/** Something that was found: an object, or a folder, whose key ends in a slash. */
export type Found = { readonly provider: string; readonly bucket: string; readonly key: string; readonly object: ObjectEntry | undefined };

/** A place that could not be looked through to its end; undefined when it is not even known which places there are. */
export type Unread = { readonly place: Place | undefined; readonly error: ApiError };

/**
 * - `enough`: so much was found that it stopped; it can go on
 * - `stopped`: somebody stopped it; it can go on
 */
export type Results = {
  readonly state: 'running' | 'enough' | 'stopped' | 'done';
  readonly found: readonly Found[];
  /** Names that were looked at. */
  readonly seen: number;
  readonly unread: readonly Unread[];
};

type Line = { readonly object?: ObjectEntry; readonly prefix?: string; readonly seen?: number };
type Rest = { readonly place: Place; readonly cursor: string | undefined };

const PLACES_AT_ONCE = 3;
/** So much is shown before somebody asks for more. */
const ENOUGH = 500;

const BEGUN: Results = { state: 'running', found: [], seen: 0, unread: [] };

/** One search through some places, whose results grow while it runs. */
export class SearchRun {
  readonly results: StoreApi<Results> = createStore(() => BEGUN);
  readonly #query: Readonly<Record<string, string | number>>;
  #rest: Rest[] = [];
  #stop = new AbortController();
  #working: Promise<unknown> = Promise.resolve();
  #isLeft = false;
  /** What was found already, because a place that is gone on with tells some of it again. */
  readonly #known = new Set<string>();

  /** @param places - what to look through, in this order. */
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

  /** Goes on where it stopped, also in the places that failed. */
  goOn(): void {
    this.#isLeft = false;
    this.results.setState({ state: 'running', unread: [] });
    this.#stop = new AbortController();
    this.#work();
  }

  /** Stops while nobody looks at it. */
  leave(): void {
    this.#isLeft = this.results.getState().state === 'running';
    this.stop();
  }

  /** Goes on when it was running as its page was left. */
  comeBack(): void {
    if (this.#isLeft) this.goOn();
  }

  /** Begins when what ran before has come to its end. */
  #work(prepare: () => Promise<void> = async () => undefined): void {
    const { signal } = this.#stop;
    this.#working = this.#working.then(prepare).then(
      () => this.#lookAll(signal),
      (thrown: unknown) => this.results.setState({ state: 'done', unread: [{ place: undefined, error: apiErrorOf(thrown) }] }),
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
    if (!signal.aborted) this.results.setState(({ unread }) => ({ state: this.#rest.length > unread.length ? 'enough' : 'done' }));
  }

  /** @returns where to go on in the place, when it was not looked through to its end. */
  async #look({ place, cursor }: Rest, signal: AbortSignal, isEnough: () => boolean): Promise<Rest | undefined> {
    const { provider, bucket, prefix } = place;
    let at: string | null | undefined = cursor;
    let seen = 0;
    try {
      while (at !== null) {
        seen = 0;
        const lines: AsyncGenerator<readonly Line[], string | null> = readLines(['api', 'providers', provider, 'buckets', bucket, 'search'], { ...this.#query, prefix: prefix || undefined, cursor: at }, signal);
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
      // What came since the last cursor comes again.
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
    this.results.setState((results) => ({ found: found.length === 0 ? results.found : [...results.found, ...found], seen: results.seen + seen }));
  }
}
