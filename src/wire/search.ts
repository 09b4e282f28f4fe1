import { objectEntry } from './object.ts';
import { problem } from './problem.ts';
import {
  boolean,
  inBucket,
  integer,
  keyPrefix,
  list,
  object,
  oneOf,
  optional,
  strings,
  text,
  textOrNull,
} from './schema.ts';
import { KINDS } from './kind.ts';

const cursor = optional(
  text('Where an earlier answer to the same question stopped: its `nextCursor`.', { maxLength: 4_096 }),
);
/** A name of 128 characters, `=`, and a value of 256. */
const MAX_TAG_CHARACTERS = 385;
const bytes = integer({ minimum: 0, description: 'Bytes.' });
const day = (description: string) =>
  optional(
    text(`${description} A day (UTC) or a time, as in RFC 3339.`, {
      maxLength: 40,
      examples: ['2025-01-31', '2025-01-31T12:00:00Z'],
    }),
  );

const count = {
  objects: integer({
    minimum: 0,
    description: 'Number of objects that you may list, without the markers of empty folders.',
  }),
  bytes: integer({ minimum: 0, description: 'Their bytes together.' }),
  deletable: integer({ minimum: 0, description: 'Number of these that you may delete.' }),
};
const folderCount = object({ prefix: text('A folder directly beneath the prefix.'), ...count });

const seen = integer({ minimum: 0, description: 'Number of keys that you may list and that were checked.' });
const ends = {
  done: optional(boolean({ description: 'The last line: the answer is complete.' })),
  nextCursor: optional(
    text('The last line, if there is more: the `cursor` of the next request. Its results add to these.'),
  ),
  error: optional({ ...problem, description: 'The last line, when something failed on the way: a problem document.' }),
};

export const searchOperations = {
  'object/search': {
    input: object({
      ...inBucket,
      q: optional(
        text(
          'A part of the name. Case does not matter. With a slash, it is compared with the whole path below `prefix`, otherwise only with the name.',
          { maxLength: 256 },
        ),
      ),
      prefix: optional({
        ...keyPrefix,
        default: '',
        description: 'Only keys that start with this prefix are searched.',
      }),
      folders: optional(
        boolean({
          default: false,
          description:
            'Whether folders are found by their name too. Folders have no kind, size or date, so filters for these exclude them.',
        }),
      ),
      kind: optional(oneOf(KINDS, { description: 'Kind of the object, according to the ending of its name.' })),
      minSize: optional(bytes),
      maxSize: optional(bytes),
      after: day('Only objects that were last changed then or later.'),
      before: day('Only objects that were last changed earlier.'),
      tag: optional(
        text(
          'Only objects with this tag whose tags you may read: its name, or `name=value`. Case matters; the first `=` divides. Storage is asked once for each object that the other filters leave. Folders have no tags.',
          { minLength: 1, maxLength: MAX_TAG_CHARACTERS, examples: ['state', 'state=approved'] },
        ),
      ),
      cursor,
    }),
    output: object({
      objects: list(objectEntry),
      prefixes: strings,
      seen,
      nextCursor: textOrNull(
        'The `cursor` of the next page; null at the end. A page may be empty and still have a next one.',
      ),
    }),
    /** Each line has one of these members. The example is in the form of the HTTP API. */
    line: object(
      {
        object: optional(objectEntry),
        prefix: optional(text('A folder whose name was found.')),
        seen: optional(seen),
        ...ends,
      },
      {
        examples: [
          {
            object: {
              key: '2025/summer/beach.jpg',
              size: 48_213,
              etag: '"9b2cf535f27731c974343645a3985328"',
              last_modified: '2026-01-31T09:30:00.000Z',
            },
          },
        ],
      },
    ),
  },
  'object/size': {
    input: object({
      ...inBucket,
      prefix: optional({
        ...keyPrefix,
        default: '',
        description: 'Only keys that start with this prefix are counted.',
      }),
      cursor,
    }),
    output: object({
      ...count,
      folders: list(folderCount),
      nextCursor: textOrNull(
        'The `cursor` of the next page; null at the end. Add up the counts of all pages, also for a folder that appears twice.',
      ),
    }),
    /** Each line is either the current count or one of the other members. */
    line: object(
      {
        objects: optional(count.objects),
        bytes: optional(count.bytes),
        deletable: optional(count.deletable),
        folder: optional(folderCount),
        ...ends,
      },
      { examples: [{ objects: 1_000, bytes: 48_213_000, deletable: 0 }] },
    ),
  },
};
