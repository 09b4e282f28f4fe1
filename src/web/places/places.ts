import { useStore } from 'zustand';
import { isSamePlace } from '../place/place.ts';
import { onSessionChange, ownerId } from '../session/session.ts';
import { KeptPlaces, type Kept } from './kept-places.ts';

/** The favourite and recent folders of whoever is signed in. */
export const places = new KeptPlaces(() => window.localStorage);

const read = (): void => places.readFor(ownerId());
onSessionChange(read);
// Another tab has changed them.
window.addEventListener('storage', read);

/** The recent folders are those that are no favourites. */
export function useKeptPlaces(): Kept {
  const { favourites, recent } = useStore(places.view);
  return { favourites, recent: recent.filter((place) => !favourites.some((favourite) => isSamePlace(favourite, place))) };
}
