import { inPages, nextPage } from './paged.ts';
import { boolean, integer, list, object, oneOf, optional, string, strings, text, textOrNull, time, type Wire } from './schema.ts';

/** A sign-in that came back from the identity provider. Of claims it holds names, and the values of the subject and of groups alone. */
const signIn = object({
  id: text('The id of the request, which the audit and the log have as well.'),
  at: time,
  kind: oneOf(['web', 'desktop']),
  address: textOrNull("The client's address; null where it is not known."),
  result: oneOf(['signedIn', 'refused']),
  code: optional(text('Why it was refused: a code of the problems.')),
  detail: optional(text('The reason in words.')),
  providerError: optional(text('The error that the provider sent in place of a code.')),
  issuer: string,
  subject: optional(text('Left out where the provider did not say whose sign-in it was.')),
  subjectUnsafe: boolean({ description: 'Whether a policy gives each subject a folder, and this one cannot be the name of one.' }),
  subjectClaim: text('The claim that the subject is read from.'),
  groupsClaim: text('The claim that the groups are read from.'),
  groupsFound: boolean({ description: 'Whether the person had that claim.' }),
  claims: { ...strings, description: 'Names of the claims that were received.' },
  groups: list(
    object({
      name: string,
      bound: boolean({ description: 'Whether a binding names the group.' }),
      unsafe: boolean({ description: 'Whether a policy gives each group a folder, and this one cannot be the name of one.' }),
    }),
  ),
  bindings: list(object({ place: integer({ description: 'Index of the binding, from 0.' }), groups: { ...strings, description: 'The groups by which it matched; none where it names the person.' }, role: optional(string), policies: optional(strings) })),
  localRoles: optional({ ...strings, description: 'Roles that the configuration gives to a local user, whose groups do not count.' }),
  leftOut: integer({ description: 'How many more claims, groups and bindings there were.' }),
});
export type SignInWire = Wire<typeof signIn>;

export const signInOperations = {
  /** The latest 500 sign-ins and refusals, the latest first; with `unknown` the latest 100 that failed before the provider said whose they were. */
  'signIn/list': {
    input: object({ ...inPages, result: optional(oneOf(['signedIn', 'refused', 'unknown'], { description: 'Signed in and refused when left out.' })) }),
    output: object({ signIns: list(signIn), ...nextPage }),
  },
};
