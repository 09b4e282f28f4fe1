import { useStore } from 'zustand';
import { onSessionChange, ownerId } from '../session/session.ts';
import { KeptPlaces, type Kept } from './kept-places.ts';

/** The favourite and recent folders of whoever is signed in. */
export const places = new KeptPlaces(() => window.localStorage);

const read = (): void => places.readFor(ownerId());
onSessionChange(read);
// Another tab has changed them.
window.addEventListener('storage', read);

export function useKeptPlaces(): Kept {
  return useStore(places.view);
}
