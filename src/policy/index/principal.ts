import type { Binding, Subject } from '../model/binding.ts';
import type { PolicySetDefinition } from './policy-set.ts';

/** A group or a person that a definition names. */
export type Principal = { readonly group: string } | Subject;

/** How a principal gets a policy: from the binding or local user with index `place` in the definition, and through `role` if that gives a role. */
export type Assignment = {
  readonly from: 'binding' | 'local user';
  readonly place: number;
  readonly role: string | undefined;
  readonly policy: string;
};

/** What a principal is given directly. A person also holds what their groups are given, unless the person is a local user. */
export type PrincipalAssignments = {
  readonly holder: Principal;
  readonly isLocal: boolean;
  readonly roles: ReadonlySet<string>;
  readonly assignments: readonly Assignment[];
};

type Draft = {
  readonly holder: Principal;
  isLocal: boolean;
  readonly roles: Set<string>;
  readonly assignments: Assignment[];
};

/** A unique string for a group or a person. */
export function principalId(principal: Principal): string {
  return JSON.stringify('group' in principal ? [principal.group] : [principal.issuer, principal.subject]);
}

/** All principals that the definition names, by {@link principalId}, in its order. `enabled` is ignored. */
export function principalsOf({
  bindings,
  localUsers,
  roles,
}: PolicySetDefinition): ReadonlyMap<string, PrincipalAssignments> {
  const policiesOf = new Map(roles.map(({ name, policies }) => [name, policies]));
  const drafts = new Map<string, Draft>();
  const draftOf = (holder: Principal): Draft => {
    const id = principalId(holder);
    const draft = drafts.get(id) ?? { holder, isLocal: false, roles: new Set(), assignments: [] };
    drafts.set(id, draft);
    return draft;
  };
  const giveRole = (draft: Draft, role: string, from: Pick<Assignment, 'from' | 'place'>): void => {
    draft.roles.add(role);
    for (const policy of policiesOf.get(role) ?? []) draft.assignments.push({ ...from, role, policy });
  };

  for (const [place, binding] of bindings.entries()) {
    for (const holder of membersOf(binding)) {
      const draft = draftOf(holder);
      if ('role' in binding) giveRole(draft, binding.role, { from: 'binding', place });
      else
        for (const policy of binding.policies)
          draft.assignments.push({ from: 'binding', place, role: undefined, policy });
    }
  }
  for (const [place, { issuer, subject, roles: held }] of localUsers.entries()) {
    const draft = draftOf({ issuer, subject });
    draft.isLocal = true;
    for (const role of held) giveRole(draft, role, { from: 'local user', place });
  }
  return drafts;
}

/** The groups or subjects of a binding, without duplicates. */
export function membersOf(binding: Binding): Principal[] {
  const members: readonly Principal[] =
    'groups' in binding ? binding.groups.map((group) => ({ group })) : binding.subjects;
  return [...new Map(members.map((holder) => [principalId(holder), holder])).values()];
}
