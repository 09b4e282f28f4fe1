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
