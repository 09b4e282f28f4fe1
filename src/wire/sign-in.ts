import { inPages, nextPage, ofGroup } from './paged.ts';
import {
  boolean,
  integer,
  list,
  object,
  oneOf,
  optional,
  string,
  strings,
  text,
  textOrNull,
  time,
  type Wire,
} from './schema.ts';

/** A sign-in after the identity provider's answer. It contains the names of the claims, and only the values of the subject, the name and the groups. */
const signIn = object({
  id: text('The ID of the request, as in the audit and the log.'),
  at: time,
  kind: oneOf(['web', 'desktop']),
  address: textOrNull("The client's address; null if unknown."),
  result: oneOf(['signedIn', 'refused']),
  code: optional(text('Why it was refused: a code of the problems.')),
  detail: optional(text('The reason in words.')),
  providerError: optional(text('The error that the provider sent instead of a code.')),
  issuer: string,
  subject: optional(text('Absent if the provider did not name a person.')),
  name: optional(text('The name of the person. Absent if the provider did not name a person.')),
  subjectUnsafe: boolean({
    description: 'Whether a policy gives each subject a folder, and this one cannot be the name of one.',
  }),
  subjectClaim: text('The claim that the subject is read from.'),
  groupsClaim: text('The claim that the groups are read from.'),
  groupsFound: boolean({ description: 'Whether the person had that claim.' }),
  claims: { ...strings, description: 'Names of the claims that were received.' },
  groups: list(
    object({
      name: string,
      bound: boolean({ description: 'Whether a binding names the group.' }),
      unsafe: boolean({
        description: 'Whether a policy gives each group a folder, and this one cannot be the name of one.',
      }),
    }),
  ),
  bindings: list(
    object({
      place: integer({ description: 'Index of the binding, from 0.' }),
      groups: { ...strings, description: 'The groups that matched; none if the binding names the person.' },
      role: optional(string),
      policies: optional(strings),
    }),
  ),
  localRoles: optional({
    ...strings,
    description: 'Roles that the configuration gives to a local user. The groups of a local user have no effect.',
  }),
  leftOut: integer({ description: 'Number of further claims, groups and bindings.' }),
});
export type SignInWire = Wire<typeof signIn>;

export const signInOperations = {
  /** The latest 500 successful and refused sign-ins, the latest first; with `unknown`, the latest 100 that failed before the provider named a person. */
  'signIn/list': {
    input: object({
      ...inPages,
      group: ofGroup('Only the latest successful sign-in of each person, and only if they had this group then.'),
      result: optional(
        oneOf(['signedIn', 'refused', 'unknown'], { description: 'Default: both successful and refused sign-ins.' }),
      ),
    }),
    output: object({ signIns: list(signIn), ...nextPage }),
  },
};
