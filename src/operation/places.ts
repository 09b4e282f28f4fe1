import type { Caller } from '../access/caller.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Kept, Place, PlaceStore } from '../place/kept-places.ts';
import { commonPrefixVisible } from '../policy/listing/beneath.ts';
import { operation, type Performance } from './operation.ts';
import type { Services } from './services.ts';

export const listPlaces = operation({
  name: 'place/list',
  access: { kind: 'interactive' },
  run: async (performance) =>
    visible(await storeOf(performance.services).read(performance.caller.identity), performance),
});

export const markPlaces = operation({
  name: 'place/mark',
  access: { kind: 'interactive' },
  run: async (performance) => {
    const { input, caller, services } = performance;
    const places = input.places.map(({ provider, bucket, prefix }) =>
      services.targets.beneath(provider, bucket, prefix),
    );
    return visible(await storeOf(services).mark(caller.identity, input.mark, places, Date.now()), performance);
  },
});

/** Whether the service keeps the places of a caller. Without sign-in everybody would have the same ones. */
export function keepsPlaces({ places }: Pick<Services, 'places'>, { session }: Pick<Caller, 'session'>): boolean {
  return places !== undefined && session !== undefined;
}

/** The places that policy lets the caller list now, on providers that are configured now. */
function visible(
  { favourites, recent }: Kept,
  { caller, storage }: Pick<Performance<unknown>, 'caller' | 'storage'>,
): Kept {
  const providers = new Set(storage.names());
  const isVisible = (place: Place) => providers.has(place.provider) && commonPrefixVisible(caller.effective, place);
  return { favourites: favourites.filter(isVisible), recent: recent.filter(isVisible) };
}

function storeOf({ places }: Services): PlaceStore {
  if (places === undefined)
    throw new SvcError('not_supported', {
      detail: 'without a state database no places are kept; set `state` in the configuration',
    });
  return places;
}
