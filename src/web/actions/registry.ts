import type { Action, BucketTarget, ProviderTarget, Selection } from './action.ts';
import type { Place } from '../place/place.ts';

/** Every action of the UI, by what it works on, in the order in which menus show them. */
export const actions: {
  readonly provider: readonly Action<ProviderTarget>[];
  readonly bucket: readonly Action<BucketTarget>[];
  readonly folder: readonly Action<Place>[];
  readonly entries: readonly Action<Selection>[];
} = { provider: [], bucket: [], folder: [], entries: [] };
