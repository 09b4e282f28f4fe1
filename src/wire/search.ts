import { objectEntry } from './object.ts';
import { problem } from './problem.ts';
import { boolean, inBucket, integer, keyPrefix, list, object, oneOf, optional, strings, text, textOrNull } from './schema.ts';
import { KINDS } from './kind.ts';

const cursor = optional(text('Where an earlier answer to the same question stopped: its `nextCursor`.', { maxLength: 4_096 }));
const bytes = integer({ minimum: 0, description: 'Bytes.' });
const day = (description: string) => optional(text(`${description} A day (UTC) or a time, as in RFC 3339.`, { maxLength: 40, examples: ['2025-01-31', '2025-01-31T12:00:00Z'] }));

const count = {
  objects: integer({ minimum: 0, description: 'How many objects you may list. The marks of empty folders do not count.' }),
  bytes: integer({ minimum: 0, description: 'Their bytes together.' }),
  deletable: integer({ minimum: 0, description: 'How many of them you may delete.' }),
};
const folderCount = object({ prefix: text('A folder directly beneath the prefix.'), ...count });

const seen = integer({ minimum: 0, description: 'How many keys that you may list were looked at.' });
const ends = {
  done: optional(boolean({ description: 'The last line: all is told.' })),
  nextCursor: optional(text('The last line, when there is more: the `cursor` to go on with. What comes then adds to what came before.')),
  error: optional({ ...problem, description: 'The last line, when something failed on the way: a problem document.' }),
};

export const searchOperations = {
  'object/search': {
    input: object({
      ...inBucket,
      q: optional(text('A part of the name, upper and lower case alike. With a slash it is looked for in the whole path below `prefix`, else in the name alone.', { maxLength: 256 })),
      prefix: optional({ ...keyPrefix, default: '', description: 'Only keys that start with this prefix are looked at.' }),
      folders: optional(boolean({ default: false, description: 'Find folders by their name too. They have no kind, size or date, and are not found where these are asked for.' })),
      kind: optional(oneOf(KINDS, { description: 'What an object is by the ending of its name.' })),
      minSize: optional(bytes),
      maxSize: optional(bytes),
      after: day('Only objects that were last changed then or later.'),
      before: day('Only objects that were last changed earlier.'),
      cursor,
    }),
    output: object({
      objects: list(objectEntry),
      prefixes: strings,
      seen,
      nextCursor: textOrNull('The `cursor` to go on with; null at the end. A page may be empty and still have a next one.'),
    }),
    /** Each line has one of these members. The example is as HTTP tells it. */
    line: object({ object: optional(objectEntry), prefix: optional(text('A folder whose name was found.')), seen: optional(seen), ...ends }, { examples: [{ object: { key: '2025/summer/beach.jpg', size: 48_213, etag: '"9b2cf535f27731c974343645a3985328"', last_modified: '2026-01-31T09:30:00.000Z' } }] }),
  },
  'object/size': {
    input: object({ ...inBucket, prefix: optional({ ...keyPrefix, default: '', description: 'Only keys that start with this prefix are counted.' }), cursor }),
    output: object({ ...count, folders: list(folderCount), nextCursor: textOrNull('The `cursor` to go on with; null at the end. Add up the counts of all pages, and those of a folder that is told twice.') }),
    /** Each line is the count so far, or has one of the other members. */
    line: object({ objects: optional(count.objects), bytes: optional(count.bytes), deletable: optional(count.deletable), folder: optional(folderCount), ...ends }, { examples: [{ objects: 1_000, bytes: 48_213_000, deletable: 0 }] }),
  },
};
