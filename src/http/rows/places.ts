import { listPlaces, markPlaces } from '../../operation/places.ts';
import { row } from '../routing/row.ts';

const tag = 'Places';

/** Routes for the favourite and recent places of the signed-in person. */
export const placeRows = [
  row({
    method: 'get',
    path: '/api/places',
    operation: listPlaces,
    tag,
    summary: 'List your favourite and recent places',
    description: 'Places that you may not list now are left out.',
    answers: { 200: { description: 'The favourites, the oldest first, and the recent places, the latest first.' } },
    problems: ['not_supported'],
  }),
  row({
    method: 'post',
    path: '/api/places',
    operation: markPlaces,
    tag,
    summary: 'Mark places as favourite, plain or opened',
    description: 'Of more than 50 favourites and 20 recent places the oldest are removed.',
    body: ['mark', 'places'],
    answers: { 200: { description: 'All your places.' } },
    problems: ['not_supported'],
  }),
];
