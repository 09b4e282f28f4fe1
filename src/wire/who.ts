import { ACTION_NAMES, ATOMIC_ACTIONS } from '../policy/model/action.ts';
import {
  boolean,
  bucketName,
  integer,
  keyPrefix,
  list,
  object,
  objectKey,
  oneOf,
  optional,
  providerName,
  string,
  text,
  textOrNull,
  timeOrNull,
} from './schema.ts';
import { writtenSelector } from './selector.ts';

/**
 * The people and groups that are allowed each atomic action of the given action name. A person is allowed when one of their entries is allowed and none is
 * denied.
 */
const whoMay = object({
  nextCursor: textOrNull(
    'The `cursor` of the next page; every answer of the page ends at the same group or person. Null at the end.',
  ),
  answers: list(
    object({
      action: oneOf(ATOMIC_ACTIONS),
      unnamed: boolean({
        description: 'The answer is about an object of the place that no rule names more closely, such as a new one.',
      }),
      takenFor: optional(
        object(
          { key: optional(string), prefix: optional(string) },
          {
            description:
              'The key or prefix that the answer is about, when some storage takes the one that was asked about for it. A request is allowed only if the answers for all names of the object allow it.',
          },
        ),
      ),
      everybody: boolean({ description: 'Whether everybody who is signed in, and is not in `holders`, may do it.' }),
      holders: list(
        object({
          group: optional(text('A group, or a person by issuer and subject.')),
          issuer: optional(string),
          subject: optional(string),
          local: boolean({ description: 'Whether it is a local user. The groups of a local user have no effect.' }),
          only: optional(
            object(
              {
                subject: optional(text('Only the person with this subject.')),
                group: optional(text('Only people who also have this group.')),
                unsafe: optional(
                  oneOf(['subject', 'group'], {
                    description: 'Only people whose subject, or one of whose groups, cannot be the name of a folder.',
                  }),
                ),
              },
              {
                description:
                  'Condition under which the entry applies. Without it, the entry applies to everybody in the group, or to the person.',
              },
            ),
          ),
          outcome: oneOf(['allowed', 'denied']),
          rules: list(
            object({
              effect: oneOf(['allow', 'deny']),
              policy: string,
              rule: integer({ description: 'Index of the rule in its policy, from 0.' }),
              resource: writtenSelector,
              by: list(
                object({
                  from: oneOf(['binding', 'local user']),
                  place: integer({ description: 'Index of the binding or local user, from 0.' }),
                  role: optional(string),
                }),
              ),
            }),
          ),
          leftOut: integer({
            description: 'Number of further rules that affect them there. Deny rules are listed first.',
          }),
        }),
      ),
      keys: list(
        object({
          kind: oneOf(['apiKey', 's3Key']),
          id: text('The public id of an API key, or the access key ID of an S3 key.'),
          description: string,
          expiresAt: timeOrNull,
          creator: object({ issuer: string, subject: string, name: string }),
        }),
        {
          description:
            'The keys that may do it, because their creators and their scopes may: at most 200, the newest of each kind first, and in the first page alone. A key that rests or whose creator is suspended counts, because it may work again.',
        },
      ),
      keysLeftOut: integer({ description: 'Number of further keys that may do it.' }),
    }),
  ),
});

export const whoOperations = {
  /** Lists who may perform an action on a resource. An action on a bucket needs `bucket`; an action on an object also needs `key` or `prefix`. */
  'policy/who': {
    input: object({
      action: oneOf(ACTION_NAMES),
      provider: providerName,
      bucket: optional(bucketName),
      prefix: optional({ ...keyPrefix, description: 'Ask about a new object directly beneath this.' }),
      key: optional(objectKey),
      cursor: optional(
        text('Where an earlier answer to the same question stopped: its `nextCursor`.', { maxLength: 64 }),
      ),
      limit: optional(
        integer({
          minimum: 1,
          maximum: 1_000,
          default: 200,
          description: 'Maximum number of groups and people in an answer.',
        }),
      ),
    }),
    output: whoMay,
  },
};
