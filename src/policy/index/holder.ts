import type { Binding, Subject } from '../model/binding.ts';
import type { PolicySetDefinition } from './policy-set.ts';

/** A group or a person that a definition names. */
export type Holder = { readonly group: string } | Subject;

/** How a holder gets a policy: from the binding or local user with index `place` in the definition, and through `role` if that gives a role. */
export type Way = {
  readonly from: 'binding' | 'local user';
  readonly place: number;
  readonly role: string | undefined;
  readonly policy: string;
};

/** What a holder is given directly. A person also holds what their groups are given, unless the person is a local user. */
export type Held = {
  readonly holder: Holder;
  readonly isLocal: boolean;
  readonly roles: ReadonlySet<string>;
  readonly ways: readonly Way[];
};

type Draft = { readonly holder: Holder; isLocal: boolean; readonly roles: Set<string>; readonly ways: Way[] };

/** A unique string for a group or a person. */
export function holderId(holder: Holder): string {
  return JSON.stringify('group' in holder ? [holder.group] : [holder.issuer, holder.subject]);
}

/** All holders that the definition names, by {@link holderId}, in its order. `enabled` is ignored. */
export function holdersOf({ bindings, localUsers, roles }: PolicySetDefinition): ReadonlyMap<string, Held> {
  const policiesOf = new Map(roles.map(({ name, policies }) => [name, policies]));
  const drafts = new Map<string, Draft>();
  const draftOf = (holder: Holder): Draft => {
    const id = holderId(holder);
    const draft = drafts.get(id) ?? { holder, isLocal: false, roles: new Set(), ways: [] };
    drafts.set(id, draft);
    return draft;
  };
  const giveRole = (draft: Draft, role: string, from: Pick<Way, 'from' | 'place'>): void => {
    draft.roles.add(role);
    for (const policy of policiesOf.get(role) ?? []) draft.ways.push({ ...from, role, policy });
  };

  for (const [place, binding] of bindings.entries()) {
    for (const holder of membersOf(binding)) {
      const draft = draftOf(holder);
      if ('role' in binding) giveRole(draft, binding.role, { from: 'binding', place });
      else for (const policy of binding.policies) draft.ways.push({ from: 'binding', place, role: undefined, policy });
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
export function membersOf(binding: Binding): Holder[] {
  const members: readonly Holder[] =
    'groups' in binding ? binding.groups.map((group) => ({ group })) : binding.subjects;
  return [...new Map(members.map((holder) => [holderId(holder), holder])).values()];
}
