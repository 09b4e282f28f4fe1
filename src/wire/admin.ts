import { ACTION_NAMES, ATOMIC_ACTIONS } from '../policy/model/action.ts';
import {
  boolean,
  bucketName,
  integer,
  keyPrefix,
  list,
  nothing,
  object,
  objectKey,
  oneOf,
  optional,
  providerName,
  string,
  strings,
  text,
  textOrNull,
  time,
  type Wire,
} from './schema.ts';
import { selector, writtenSelector } from './selector.ts';

const effect = oneOf(['allow', 'deny']);

export const rule = object({ effect, actions: list(oneOf(ATOMIC_ACTIONS)), resources: list(writtenSelector) });

/** The decision on each atomic action of the given action name, with every rule that matches, from the widest selector to the narrowest. */
const explanation = object({
  allowed: boolean({ description: 'Whether every one of `answers` is allowed.' }),
  roles: strings,
  policies: strings,
  answers: list(
    object({
      action: oneOf(ATOMIC_ACTIONS),
      allowed: boolean(),
      reason: oneOf(['allowed', 'explicit_deny', 'no_matching_allow']),
      unnamed: optional(
        boolean({
          description:
            'The answer is about a bucket or an object of the place that no rule names more closely, such as a new one.',
        }),
      ),
      somewhere: optional(boolean({ description: 'With `unnamed`: whether it is allowed somewhere in the place.' })),
      matches: list(
        object({
          effect,
          policy: string,
          rule: integer({ description: 'Index of the rule in its policy, from 0.' }),
          resource: selector,
        }),
      ),
    }),
  ),
});
export type Explanation = Wire<typeof explanation>;

const person = {
  issuer: text("Issuer of the person; by default the administrator's own issuer.", { maxLength: 2_048 }),
  subject: text('Subject claim of the person.', { maxLength: 1_024 }),
  groups: list(text('Name of a group.', { maxLength: 255 }), { maxItems: 200 }),
};
/** Input members for a person, who need not exist. */
const somebody = {
  issuer: optional(person.issuer),
  subject: optional(person.subject),
  groups: optional(person.groups),
};

const actions = list(oneOf(ACTION_NAMES));
const here = { ...actions, description: 'Actions allowed on a new object directly there.' };
const listed = boolean({
  description: 'Whether the person sees it in a list. Something that is not listed may open by its address.',
});
const view = object({
  roles: strings,
  policies: strings,
  admin: boolean({ description: 'Whether the person sees the administration.' }),
  providers: list(
    object({
      name: string,
      listed,
      actions,
      others: { ...actions, description: 'Actions allowed in a bucket that neither configuration nor policy names.' },
      buckets: list(
        object({
          name: string,
          listed,
          actions,
          here,
          places: list(object({ prefix: optional(string), key: optional(string), actions, here: optional(here) })),
        }),
      ),
    }),
  ),
  leftOut: integer({ description: 'Number of further buckets and places. An answer has at most 1,000.' }),
});
export type View = Wire<typeof view>;

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
              effect,
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
    }),
  ),
});

export const adminOperations = {
  'role/list': { input: nothing, output: object({ roles: list(object({ name: string, policies: strings })) }) },
  'policy/list': {
    input: nothing,
    output: object({
      policies: list(object({ name: string, source: oneOf(['built-in', 'config', 'iam']), rules: list(rule) })),
    }),
  },
  /** An entry has `groups` or `subjects`, and `role` or `policies`. */
  'binding/list': {
    input: nothing,
    output: object({
      bindings: list(
        object({
          groups: optional(strings),
          subjects: optional(list(object({ issuer: string, subject: string }))),
          role: optional(string),
          policies: optional(strings),
        }),
      ),
    }),
  },
  /**
   * The person, action and resource to explain. An action on a bucket needs `bucket`; an action on an object also needs `key` or `prefix`. Without an action,
   * all actions that apply to the given resource are explained.
   */
  'policy/explain': {
    input: object({
      ...somebody,
      action: optional(oneOf(ACTION_NAMES, { description: 'Default: every action.' })),
      provider: providerName,
      bucket: optional(bucketName),
      prefix: optional({ ...keyPrefix, description: 'Ask about a new object directly beneath this.' }),
      key: optional(objectKey),
    }),
    output: explanation,
  },
  /** What the UI would show to a person, as far as configuration and policies name it. */
  'policy/viewAs': { input: object({ ...somebody, subject: person.subject }), output: view },
  'provider/health': {
    input: nothing,
    output: object({
      providers: list(
        object({
          name: string,
          reachable: boolean({ description: 'Whether storage responded.' }),
          reason: textOrNull('The problem; null if there is none.'),
          tookMs: integer({ description: 'Milliseconds that the check took.' }),
          checkedAt: time,
        }),
      ),
    }),
  },
};

/** What callers who are no administrator may ask too. */
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
