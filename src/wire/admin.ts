import { ACTION_NAMES, ATOMIC_ACTIONS } from '../policy/action.ts';
import { boolean, bucketName, integer, list, nothing, object, objectKey, oneOf, optional, providerName, string, strings, text, textOrNull, time, type Wire } from './schema.ts';
import { inPages, nextPage, onePerson } from './paged.ts';
import { selector } from './selector.ts';

const effect = oneOf(['allow', 'deny']);

export const rule = object({ effect, actions: list(oneOf(ATOMIC_ACTIONS)), resources: list(selector) });

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
      matches: list(object({ effect, policy: string, rule: integer({ description: 'Index of the rule in its policy, from 0.' }), resource: selector })),
    }),
  ),
});
export type Explanation = Wire<typeof explanation>;

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
  /** The person, the action and the resource to explain. An action on a bucket needs `bucket`, an action on an object needs `key` too. */
  'policy/explain': {
    input: object({
      issuer: optional(text('Issuer of the person; the administrator\'s own issuer when left out.', { maxLength: 2_048 })),
      subject: optional(text('Subject claim of the person.', { maxLength: 255 })),
      groups: optional(list(text('Name of a group.', { maxLength: 255 }), { maxItems: 100 })),
      action: oneOf(ACTION_NAMES),
      provider: providerName,
      bucket: optional(bucketName),
      key: optional(objectKey),
    }),
    output: explanation,
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
