import { useStore } from 'zustand';
import { isSamePlace } from '../place/place.ts';
import { onSessionChange, ownerId } from '../session/session.ts';
import { KeptPlaces, type Kept } from './kept-places.ts';

/** The favourite and recent folders of the signed-in user. */
export const places = new KeptPlaces(() => window.localStorage);

const read = (): void => places.readFor(ownerId());
onSessionChange(read);
// The event fires when another tab changes the storage.
window.addEventListener('storage', read);

/** The favourite folders, and the recent folders that are not favourites. */
export function useKeptPlaces(): Kept {
  const { favourites, recent } = useStore(places.view);
  return {
    favourites,
    recent: recent.filter((place) => !favourites.some((favourite) => isSamePlace(favourite, place))),
  };
}
