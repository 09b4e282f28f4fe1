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
  string,
  text,
  textOrNull,
  time,
  type Wire,
} from './schema.ts';
import { VERSION_EXAMPLE } from './version-id.ts';

export const moment = (description: string) =>
  text(`${description} A time as in RFC 3339.`, { maxLength: 40, examples: ['2026-01-31T17:00:00Z'] });

const sum = (description: string) =>
  object(
    { objects: integer({ minimum: 0, description: 'Number of objects.' }), bytes: integer({ minimum: 0 }) },
    { description },
  );

const counts = object({
  restore: sum('What is brought back. `bytes` is the size of the content that comes back.'),
  delete: sum('What is deleted.'),
  leave: sum('What is not as it was then and stays as it is. `bytes` is its size now.'),
  unchanged: sum('What is as it was then, so that nothing is done. Deleted objects are not counted.'),
});
export type RestoreCounts = Wire<typeof counts>;

const entry = object({
  key: string,
  change: oneOf(['restore', 'delete', 'leave'], {
    description:
      '`restore`: content of that time is brought back. `delete`: the object did not exist then and is deleted; its versions stay. `leave`: it stays as it is, because of `why`.',
  }),
  version: textOrNull('The version that is brought back, otherwise null.', VERSION_EXAMPLE),
  size: integer({
    minimum: 0,
    description: 'Bytes of the content that comes back; otherwise of the newest content, 0 if it is deleted.',
  }),
  why: textOrNull(
    'Why the object stays as it is: `access_denied`: policy does not allow the change. `not_kept`: the content of that time is not kept any more, or nobody knows whether there was any. `not_versioned`: the bucket keeps no new versions now, so the change could not be undone. `changed`: somebody changed it since the plan. Otherwise the code of the error. Null when it does not stay.',
    { examples: ['not_kept'] },
  ),
});
export type RestoreEntry = Wire<typeof entry>;

const plannedAt = time;

export const restoreFolderOperations = {
  'object/restoreFolder': {
    input: object({
      ...inBucket,
      prefix: optional({
        ...keyPrefix,
        default: '',
        description: 'Only keys that start with this prefix are brought back to the moment.',
      }),
      at: moment('The moment.'),
      dryRun: optional(boolean({ default: false, description: 'Only tell what would be done.' })),
      ifUnmodifiedSince: optional(
        moment(
          'The time of the plan that somebody agreed to: its `plannedAt`. Objects that were changed since then stay as they are.',
        ),
      ),
      cursor: optional(
        text('`nextCursor` of the previous answer, whose counts these are added to.', { maxLength: 4_096 }),
      ),
    }),
    output: object({
      plannedAt,
      entries: list(entry, { description: 'In the order of the keys. An object that is as it was then has none.' }),
      counts,
      nextCursor: textOrNull(
        'The `cursor` of the next request; null at the end. Add up the counts of all answers. An answer may be empty and still have a next one.',
      ),
    }),
    /** Each line has one of these members. The example is in the form of the HTTP API. */
    line: object(
      {
        plannedAt: optional(plannedAt),
        entry: optional(entry),
        counts: optional(counts),
        done: optional(boolean({ description: 'The last line: every object was looked at.' })),
        nextCursor: optional(
          text('The last line, if there is more: the `cursor` of the next request. Add up the counts of all answers.'),
        ),
        error: optional({
          ...problem,
          description: 'The last line, when something failed on the way: a problem document.',
        }),
      },
      {
        examples: [
          {
            entry: {
              key: '2025/summer/beach.jpg',
              change: 'restore',
              version: '3HL4kqtJvjVBH40Nrjfkd',
              size: 48_213,
              why: null,
            },
          },
        ],
      },
    ),
  },
};
