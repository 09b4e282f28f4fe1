import { ACTION_NAMES, ATOMIC_ACTIONS } from '../policy/action.ts';
import { boolean, bucketName, integer, keyPrefix, list, nothing, object, objectKey, oneOf, optional, providerName, string, strings, text, textOrNull, time, type Wire } from './schema.ts';
import { inPages, nextPage, onePerson } from './paged.ts';
import { selector, writtenSelector } from './selector.ts';

const effect = oneOf(['allow', 'deny']);

export const rule = object({ effect, actions: list(oneOf(ATOMIC_ACTIONS)), resources: list(writtenSelector) });

/** The decision on each atomic action of the name that was asked about, with every rule that has a say in it, from the widest selector to the narrowest. */
const explanation = object({
  allowed: boolean({ description: 'Whether every one of `answers` is allowed.' }),
  roles: strings,
  policies: strings,
  answers: list(
    object({
      action: oneOf(ATOMIC_ACTIONS),
      allowed: boolean(),
      reason: oneOf(['allowed', 'explicit_deny', 'no_matching_allow']),
      unnamed: optional(boolean({ description: 'The answer is about a bucket or an object of the place that no rule names more closely, such as a new one.' })),
      somewhere: optional(boolean({ description: 'With `unnamed`: whether it is allowed somewhere in the place.' })),
      matches: list(object({ effect, policy: string, rule: integer({ description: 'Index of the rule in its policy, from 0.' }), resource: selector })),
    }),
  ),
});
export type Explanation = Wire<typeof explanation>;

const person = {
  issuer: text('Issuer of the person; the administrator\'s own issuer when left out.', { maxLength: 2_048 }),
  subject: text('Subject claim of the person.', { maxLength: 1_024 }),
  groups: list(text('Name of a group.', { maxLength: 255 }), { maxItems: 200 }),
};
/** A person who need not exist. */
const somebody = { issuer: optional(person.issuer), subject: optional(person.subject), groups: optional(person.groups) };

const actions = list(oneOf(ACTION_NAMES));
const here = { ...actions, description: 'What is allowed on a new object directly there.' };
const listed = boolean({ description: 'Whether the person sees it in a list. Something that is not listed may open by its address.' });
const view = object({
  roles: strings,
  policies: strings,
  admin: boolean({ description: 'Whether the person sees the administration.' }),
  providers: list(
    object({
      name: string,
      listed,
      actions,
      others: { ...actions, description: 'What is allowed in a bucket that neither configuration nor policy names.' },
      buckets: list(object({ name: string, listed, actions, here, places: list(object({ prefix: optional(string), key: optional(string), actions, here: optional(here) })) })),
    }),
  ),
  leftOut: integer({ description: 'How many more buckets and places are named. An answer has at most 1,000.' }),
});
export type View = Wire<typeof view>;

/** Who may do something, for each atomic action of the name that was asked about. A person may when one of theirs is allowed and none is denied. */
const whoMay = object({
  nextCursor: textOrNull('The `cursor` to go on with: all answers end at the same group or person. Null at the end.'),
  answers: list(
    object({
      action: oneOf(ATOMIC_ACTIONS),
      unnamed: boolean({ description: 'The answer is about an object of the place that no rule names more closely, such as a new one.' }),
      everybody: boolean({ description: 'Whether everybody signed in may who is none of `holders`.' }),
      holders: list(
        object({
          group: optional(text('A group; else a person, by issuer and subject.')),
          issuer: optional(string),
          subject: optional(string),
          local: boolean({ description: 'Whether it is a local user, whose groups do not count.' }),
          only: optional(
            object(
              {
                subject: optional(text('Those with this subject.')),
                group: optional(text('Those who have this group as well.')),
                unsafe: optional(oneOf(['subject', 'group'], { description: 'Those whose subject, or one of whose groups, cannot be the name of a folder.' })),
              },
              { description: 'The entry is about these alone; everybody of the group or the person when left out.' },
            ),
          ),
          outcome: oneOf(['allowed', 'denied']),
          rules: list(
            object({
              effect,
              policy: string,
              rule: integer({ description: 'Index of the rule in its policy, from 0.' }),
              resource: writtenSelector,
              by: list(object({ from: oneOf(['binding', 'local user']), place: integer({ description: 'Index of the binding or local user, from 0.' }), role: optional(string) })),
            }),
          ),
          leftOut: integer({ description: 'How many more rules say something about them there; those that deny are told first then.' }),
        }),
      ),
    }),
  ),
});

const sessionId = text('Public id of a session. It is not a credential.', { minLength: 1, maxLength: 128 });

export const adminOperations = {
  'role/list': { input: nothing, output: object({ roles: list(object({ name: string, policies: strings })) }) },
  'policy/list': {
    input: nothing,
    output: object({ policies: list(object({ name: string, source: oneOf(['built-in', 'config', 'iam']), rules: list(rule) })) }),
  },
  /** An entry has `groups` or `subjects`, and `role` or `policies`. */
  'binding/list': {
    input: nothing,
    output: object({
      bindings: list(
        object({ groups: optional(strings), subjects: optional(list(object({ issuer: string, subject: string }))), role: optional(string), policies: optional(strings) }),
      ),
    }),
  },
  /** The person, the action and the resource to explain. An action on a bucket needs `bucket`, an action on an object needs `key` or `prefix` too. Without an action every one is explained, as far as the place says. */
  'policy/explain': {
    input: object({
      ...somebody,
      action: optional(oneOf(ACTION_NAMES, { description: 'Every action when left out.' })),
      provider: providerName,
      bucket: optional(bucketName),
      prefix: optional({ ...keyPrefix, description: 'Ask about a new object directly beneath this.' }),
      key: optional(objectKey),
    }),
    output: explanation,
  },
  /** Who may do something there. An action on a bucket needs `bucket`, an action on an object needs `key` or `prefix` too. */
  'policy/who': {
    input: object({
      action: oneOf(ACTION_NAMES),
      provider: providerName,
      bucket: optional(bucketName),
      prefix: optional({ ...keyPrefix, description: 'Ask about a new object directly beneath this.' }),
      key: optional(objectKey),
      cursor: optional(text('Where an earlier answer to the same question stopped: its `nextCursor`.', { maxLength: 64 })),
      limit: optional(integer({ minimum: 1, maximum: 1_000, default: 200, description: 'How many groups and people an answer names.' })),
    }),
    output: whoMay,
  },
  /** What the UI would show to somebody, as far as configuration and policy name it. */
  'policy/viewAs': { input: object({ ...somebody, subject: person.subject }), output: view },
  'provider/health': {
    input: nothing,
    output: object({
      providers: list(
        object({
          name: string,
          reachable: boolean({ description: 'Whether storage answered at all.' }),
          reason: textOrNull('What is wrong; null when nothing is.'),
          tookMs: integer({ description: 'Milliseconds that the check took.' }),
          checkedAt: time,
        }),
      ),
    }),
  },
  'session/list': {
    input: object(inPages),
    output: object({
      sessions: list(
        object({
          id: sessionId,
          subject: string,
          issuer: string,
          groups: strings,
          name: string,
          kind: oneOf(['web', 'desktop']),
          since: time,
          expires: time,
          lastUsed: text('When the session was last used, to the minute, as RFC 3339.'),
          address: textOrNull('The client\'s address at the sign-in; null where it is not known.'),
          current: boolean({ description: 'Whether this request came with the session.' }),
        }),
      ),
      ...nextPage,
    }),
  },
  'session/revoke': { input: object({ id: sessionId }), output: nothing },
  'session/revokeAll': { input: object(onePerson), output: object({ revoked: integer({ description: 'How many sessions have ended.' }) }) },
};
