import { createStore, type StoreApi } from 'zustand/vanilla';
import { isSamePlace, type Place } from '../place/place.ts';

const ENTRY = 'svc.places';
const MOST_FAVOURITES = 100;
const MOST_RECENT = 12;
/** So many people of one browser are remembered; the one who was here longest ago is forgotten first. */
const MOST_OWNERS = 20;

/** The folders that somebody marked, in the order of marking, and those that they were in, the latest first. */
export type Kept = { readonly favourites: readonly Place[]; readonly recent: readonly Place[] };

/** The part of `localStorage` that is needed. */
type TextStore = { getItem(key: string): string | null; setItem(key: string, value: string): void };

const NOTHING: Kept = { favourites: [], recent: [] };

/** The favourite and the recent folders of a person, kept by the browser. */
export class KeptPlaces {
  readonly view: StoreApi<Kept> = createStore(() => NOTHING);
  readonly #store: () => TextStore;
  #owner = '';

  /** @param store - throws where the browser keeps nothing; the places are forgotten with the page then. */
  constructor(store: () => TextStore) {
    this.#store = store;
  }

  /** Shows the places of that person from now on, and reads what other tabs have kept for them. */
  readFor(owner: string): void {
    this.#owner = owner;
    this.view.setState(this.#all().get(owner) ?? NOTHING, true);
  }

  visit(place: Place): void {
    this.#change(({ favourites, recent }) => ({ favourites, recent: [place, ...without(recent, place)].slice(0, MOST_RECENT) }));
  }

  /** Marks a place as a favourite, or unmarks it. */
  toggle(place: Place): void {
    this.#change(({ favourites, recent }) => {
      const others = without(favourites, place);
      return { recent, favourites: others.length < favourites.length ? others : [...favourites, place].slice(-MOST_FAVOURITES) };
    });
  }

  #change(change: (kept: Kept) => Kept): void {
    const all = this.#all();
    const kept = change(all.get(this.#owner) ?? this.view.getState());
    all.delete(this.#owner);
    const entries = [...all, [this.#owner, kept] as const].slice(-MOST_OWNERS);
    this.view.setState(kept, true);
    try {
      this.#store().setItem(ENTRY, JSON.stringify(entries));
    } catch {
      // A browser that keeps nothing (full, or private mode) shows them as long as the page is open.
    }
  }

  /** What is kept, by owner. What another version of the UI has written in another form counts as nothing. */
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
