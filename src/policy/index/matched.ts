import type { Given } from '../model/binding.ts';
import { claimsIn, isSafeSegment } from '../model/each.ts';
import type { Identity } from '../model/identity.ts';
import type { PolicySetDefinition } from './policy-set.ts';

/** A binding that applies to a person, and the person's groups that it names. */
export type MatchedBinding = Given & {
  /** Its index in the definition, from 0. */
  readonly place: number;
  readonly groups: readonly string[];
};

/** The bindings that apply to a person's claims, and the claims that have no effect. */
export type MatchedClaims = {
  /** The roles that the configuration gives to a local user; undefined for other people. */
  readonly localRoles: readonly string[] | undefined;
  readonly bindings: readonly MatchedBinding[];
  /** Groups that no binding names. */
  readonly unusedGroups: ReadonlySet<string>;
  /** True when a policy of the person uses `each: subject`, and the subject cannot be the name of a folder. */
  readonly isSubjectUnsafe: boolean;
  /** The groups that cannot be the name of a folder, when a policy of the person uses `each: group`. */
  readonly unsafeGroups: ReadonlySet<string>;
};

/** Finds the bindings that apply to a person, and the claims that have no effect. */
export function matchedClaims(
  { bindings, localUsers, roles, policies }: PolicySetDefinition,
  { issuer, subject, groups }: Identity,
): MatchedClaims {
  const isPerson = (each: { readonly issuer: string; readonly subject: string }): boolean =>
    each.issuer === issuer && each.subject === subject;
  const localRoles = localUsers.find(isPerson)?.roles;
  const own = localRoles === undefined ? new Set(groups) : new Set<string>();
  const matched = bindings.flatMap((binding, place): MatchedBinding[] => {
    const named =
      'groups' in binding && own.size > 0 ? [...new Set(binding.groups.filter((group) => own.has(group)))] : [];
    if (named.length === 0 && !('subjects' in binding && binding.subjects.some(isPerson))) return [];
    return [
      'role' in binding
        ? { place, groups: named, role: binding.role }
        : { place, groups: named, policies: binding.policies },
    ];
  });
  const heldRoles = new Set([
    ...(localRoles ?? []),
    ...matched.flatMap((binding) => ('role' in binding ? binding.role : [])),
  ]);
  const held = new Set([
    ...matched.flatMap((binding) => ('policies' in binding ? binding.policies : [])),
    ...roles.flatMap((role) => (heldRoles.has(role.name) ? role.policies : [])),
  ]);
  const claims = claimsIn(policies.filter(({ name }) => held.has(name)));
  const used = new Set(matched.flatMap((binding) => binding.groups));
  return {
    localRoles,
    bindings: matched,
    unusedGroups: new Set([...own].filter((group) => !used.has(group))),
    isSubjectUnsafe: claims.has('subject') && !isSafeSegment(subject),
    unsafeGroups: new Set(claims.has('group') ? [...own].filter((group) => !isSafeSegment(group)) : []),
  };
}
