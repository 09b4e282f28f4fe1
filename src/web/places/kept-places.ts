import { createStore, type StoreApi } from 'zustand/vanilla';
import { isSamePlace, type Place } from '../place/place.ts';

const ENTRY = 'svc.places';
const MOST_FAVOURITES = 50;
const MOST_RECENT = 20;
/** The maximum number of people whose places a browser stores. The least recent one is removed first. */
const MOST_OWNERS = 20;

/** The favourite folders of a person in the order in which they were added, and the recently visited ones, the latest first. */
export type Kept = { readonly favourites: readonly Place[]; readonly recent: readonly Place[] };

/** The part of the `localStorage` interface that is used. */
type TextStore = { getItem(key: string): string | null; setItem(key: string, value: string): void };

const NOTHING: Kept = { favourites: [], recent: [] };

/** What becomes of places, as the service says it. */
type Mark = 'favourite' | 'plain' | 'opened';

/** A service that keeps the places of the signed-in person. Each call gives all of them. */
export type Keeper = { list(): Promise<Kept>; mark(mark: Mark, places: readonly Place[]): Promise<Kept> };

/** The favourite and recent folders of a person, kept by the service, or else in the browser. */
export class KeptPlaces {
  readonly view: StoreApi<Kept> = createStore(() => NOTHING);
  readonly #store: () => TextStore;
  #owner = '';
  #keeper: Keeper | undefined;
  #asked: Promise<unknown> = Promise.resolve();
  #latest = 0;

  /** @param store - throws if the browser blocks storage; the places then last until the page is closed. */
  constructor(store: () => TextStore) {
    this.#store = store;
  }

  /**
   * Switches to the places of a person, and reads the changes of other tabs and devices.
   *
   * @param keeper - takes over what the browser has kept of the person until now.
   */
  readFor(owner: string, keeper?: Keeper): void {
    const isSame = owner === this.#owner && keeper !== undefined && this.#keeper !== undefined;
    this.#owner = owner;
    this.#keeper = keeper;
    if (!isSame) this.view.setState(this.#all().get(owner) ?? NOTHING, true);
    if (keeper === undefined) return;
    this.#ask(async () => {
      await this.#handOver(owner, keeper);
      return keeper.list();
    });
  }

  visit(place: Place): void {
    const [latest] = this.view.getState().recent;
    if (this.#keeper !== undefined && latest !== undefined && isSamePlace(latest, place)) return;
    this.#tell('opened', place);
    this.#change(({ favourites, recent }) => ({
      favourites,
      recent: [place, ...without(recent, place)].slice(0, MOST_RECENT),
    }));
  }

  /** Adds a place to the favourites, or removes it. */
  toggle(place: Place): void {
    const isFavourite = this.view.getState().favourites.some((other) => isSamePlace(other, place));
    this.#tell(isFavourite ? 'plain' : 'favourite', place);
    this.#change(({ favourites, recent }) => {
      const others = without(favourites, place);
      return {
        recent,
        favourites: others.length < favourites.length ? others : [...favourites, place].slice(-MOST_FAVOURITES),
      };
    });
  }

  /** Asks one thing after the other, and shows the answer to the last one. What was not answered is shown until the next answer. */
  #ask(ask: () => Promise<Kept>): void {
    const asked = (this.#latest += 1);
    this.#asked = this.#asked
      .then(ask)
      .then((kept) => {
        if (asked === this.#latest) this.view.setState(kept, true);
      })
      .catch(() => undefined);
  }

  #tell(mark: Mark, place: Place): void {
    const keeper = this.#keeper;
    if (keeper !== undefined) this.#ask(() => keeper.mark(mark, [place]));
  }

  /** Gives the service what the browser has kept, and then removes it here. */
  async #handOver(owner: string, keeper: Keeper): Promise<void> {
    const all = this.#all();
    const kept = all.get(owner);
    if (kept === undefined) return;
    if (kept.recent.length > 0) await keeper.mark('opened', kept.recent.slice(0, MOST_RECENT));
    if (kept.favourites.length > 0) await keeper.mark('favourite', kept.favourites.slice(-MOST_FAVOURITES));
    all.delete(owner);
    this.#write([...all]);
  }

  #change(change: (kept: Kept) => Kept): void {
    if (this.#keeper !== undefined) {
      this.view.setState(change(this.view.getState()), true);
      return;
    }
    const all = this.#all();
    const kept = change(all.get(this.#owner) ?? this.view.getState());
    all.delete(this.#owner);
    this.view.setState(kept, true);
    this.#write([...all, [this.#owner, kept] as const].slice(-MOST_OWNERS));
  }

  #write(entries: readonly (readonly [string, Kept])[]): void {
    try {
      this.#store().setItem(ENTRY, JSON.stringify(entries));
    } catch {
      // If the browser stores nothing (full, or private mode), the places last until the page is closed.
    }
  }

  /** The stored places by owner. Entries of another format, written by another version of the UI, are ignored. */
  #all(): Map<string, Kept> {
    try {
      const entries: unknown = JSON.parse(this.#store().getItem(ENTRY) ?? '[]');
      return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
    } catch {
      return new Map();
    }
  }
}

function without(places: readonly Place[], place: Place): readonly Place[] {
  return places.filter((other) => !isSamePlace(other, place));
}

function isEntry(value: unknown): value is readonly [string, Kept] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  const { favourites, recent } = (value[1] ?? {}) as Partial<Kept>;
  return [favourites, recent].every((places) => Array.isArray(places) && places.every(isPlace));
}

function isPlace(value: unknown): value is Place {
  const { provider, bucket, prefix } = (value ?? {}) as Partial<Place>;
  return [provider, bucket, prefix].every((part) => typeof part === 'string');
}
