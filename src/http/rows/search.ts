import { countObjects, searchObjects } from '../../operation/search.ts';
import { row } from '../routing/row.ts';

const BUCKET = '/api/providers/:provider/buckets/:bucket';
const tag = 'Objects';

/** Routes that read every key beneath a prefix, and send results while they run. */
export const searchRows = [
  row({
    method: 'get',
    path: `${BUCKET}/search`,
    operation: searchObjects,
    tag,
    summary: 'Find the objects that you may see by name, kind, size, date and tag',
    description:
      'Streams results as lines of JSON, in the order of the keys. The last line has `done`, or `next_cursor` when the search reached its limit of time or results: send it as `cursor` to continue, without repeated results. When something fails during the search, the last line has `error`. An answer that ends without one of these was cut off.',
    query: ['q', 'prefix', 'folders', 'kind', 'minSize', 'maxSize', 'after', 'before', 'tag', 'cursor'],
    lines: true,
    answers: { 200: { description: 'The results. There are none if you may list nothing here.' } },
    problems: ['rate_limited', 'overloaded', 'not_supported'],
  }),
  row({
    method: 'get',
    path: `${BUCKET}/size`,
    operation: countObjects,
    tag,
    summary: 'Count the objects that you may see, and their bytes',
    description:
      'Streams lines of JSON: the count so far, and the count of each folder directly beneath the prefix as soon as it is known. The last line has `done`, `next_cursor` or `error`, as in a search. With a `cursor`, the counts begin at zero again: add up the counts of all answers, also for a folder that appears twice.',
    query: ['prefix', 'cursor'],
    lines: true,
    answers: { 200: { description: 'The counts. They are empty if you may list nothing here.' } },
    problems: ['rate_limited', 'overloaded'],
  }),
];
