import { createStore, type StoreApi } from 'zustand/vanilla';
import { isSamePlace, type Place } from '../place/place.ts';

const ENTRY = 'svc.places';
const MOST_FAVOURITES = 100;
const MOST_RECENT = 12;
/** The maximum number of people whose places a browser stores. The least recent one is removed first. */
const MOST_OWNERS = 20;

/** The favourite folders of a person in the order in which they were added, and the recently visited ones, the latest first. */
export type Kept = { readonly favourites: readonly Place[]; readonly recent: readonly Place[] };

/** The part of the `localStorage` interface that is used. */
type TextStore = { getItem(key: string): string | null; setItem(key: string, value: string): void };

const NOTHING: Kept = { favourites: [], recent: [] };

/** The favourite and recent folders of a person, stored in the browser. */
export class KeptPlaces {
  readonly view: StoreApi<Kept> = createStore(() => NOTHING);
  readonly #store: () => TextStore;
  #owner = '';

  /** @param store - throws if the browser blocks storage; the places then last until the page is closed. */
  constructor(store: () => TextStore) {
    this.#store = store;
  }

  /** Switches to the places of a person, and reads the changes of other tabs. */
  readFor(owner: string): void {
    this.#owner = owner;
    this.view.setState(this.#all().get(owner) ?? NOTHING, true);
  }

  visit(place: Place): void {
    this.#change(({ favourites, recent }) => ({
      favourites,
      recent: [place, ...without(recent, place)].slice(0, MOST_RECENT),
    }));
  }

  /** Adds a place to the favourites, or removes it. */
  toggle(place: Place): void {
    this.#change(({ favourites, recent }) => {
      const others = without(favourites, place);
      return {
        recent,
        favourites: others.length < favourites.length ? others : [...favourites, place].slice(-MOST_FAVOURITES),
      };
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
