import { createStore } from 'zustand/vanilla';
import type { Place } from '../place/place.ts';

/** The folder that the user has just created, until its row has become the current one. */
export const createdFolder = createStore<Place | undefined>(() => undefined);
