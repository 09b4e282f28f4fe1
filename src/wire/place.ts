import { inBucket, keyPrefix, list, object, oneOf } from './schema.ts';

const place = object({ ...inBucket, prefix: { ...keyPrefix, description: 'The folder; empty for the bucket.' } });
const kept = object({
  favourites: list(place, { description: 'At most 50, the oldest first.' }),
  recent: list(place, { description: 'At most 20, the latest first.' }),
});

/** The favourite and recent places of the caller. Places that the caller may not list are left out. */
export const placeOperations = {
  'place/list': { input: object({}), output: kept },
  'place/mark': {
    input: object({
      mark: oneOf(['favourite', 'plain', 'opened'], {
        description:
          '`favourite` adds the places to the favourites, `plain` removes them, `opened` puts them at the front of the recent ones.',
      }),
      places: list(place, { minItems: 1, maxItems: 50 }),
    }),
    output: kept,
  },
};
