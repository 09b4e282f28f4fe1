import { countObjects, searchObjects } from '../../operation/search.ts';
import { row } from '../row.ts';

const BUCKET = '/api/providers/:provider/buckets/:bucket';
const tag = 'Objects';

/** Routes that look at every key beneath a prefix, and tell what they find while they go on. */
export const searchRows = [
  row({
    method: 'get',
    path: `${BUCKET}/search`,
    operation: searchObjects,
    tag,
    summary: 'Find the objects that you may see by name, kind, size and date',
    description:
      'Answers in lines of JSON, in the order of the keys, as they are found. The last line has `done`, or `next_cursor` when the search took long or found much: ask again with it as `cursor`, and nothing comes twice. When something fails on the way, the last line has `error`. An answer that ends without one of these was cut off.',
    query: ['q', 'prefix', 'folders', 'kind', 'minSize', 'maxSize', 'after', 'before', 'cursor'],
    lines: true,
    answers: { 200: { description: 'What was found. It is nothing when you may list nothing here.' } },
    problems: ['rate_limited'],
  }),
  row({
    method: 'get',
    path: `${BUCKET}/size`,
    operation: countObjects,
    tag,
    summary: 'Count the objects that you may see, and their bytes',
    description:
      'Answers in lines of JSON: the count so far, and the count of each folder directly beneath the prefix when it is known. The last line has `done`, `next_cursor` or `error`, as in a search. The counts of an answer with a `cursor` begin at zero again: add them up, and those of a folder that is told twice.',
    query: ['prefix', 'cursor'],
    lines: true,
    answers: { 200: { description: 'What was counted. It is nothing when you may list nothing here.' } },
    problems: ['rate_limited'],
  }),
];
