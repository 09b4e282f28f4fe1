import { useStore } from 'zustand';
import { isSamePlace } from '../place/place.ts';
import { call } from '../api/rpc.ts';
import { onSessionChange, ownerId, sessionState } from '../session/session.ts';
import { KeptPlaces, type Keeper, type Kept } from './kept-places.ts';

/** The favourite and recent folders of the signed-in user. */
export const places = new KeptPlaces(() => window.localStorage);

const keeper: Keeper = {
  list: () => call('place/list', {}),
  mark: (mark, marked) => call('place/mark', { mark, places: marked }),
};

const read = (): void => {
  const state = sessionState();
  places.readFor(ownerId(), state.status === 'active' && state.account.keepsPlaces ? keeper : undefined);
};
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
