import type { Binding, Subject } from './binding.ts';
import type { PolicySetDefinition } from './policy-set.ts';

/** Whom a definition names: a group, or one person. */
export type Holder = { readonly group: string } | Subject;

/** How somebody comes to hold a policy: by the binding or the local user at `place` of the definition (from 0), and by its role if it gives one. */
export type Way = { readonly from: 'binding' | 'local user'; readonly place: number; readonly role: string | undefined; readonly policy: string };

/** What a holder has by itself. A person has it beside that of their groups; the groups of a local user do not count. */
export type Held = { readonly holder: Holder; readonly isLocal: boolean; readonly roles: ReadonlySet<string>; readonly ways: readonly Way[] };

type Draft = { readonly holder: Holder; isLocal: boolean; readonly roles: Set<string>; readonly ways: Way[] };

/** One text for each group and each person. */
export function holderId(holder: Holder): string {
  return JSON.stringify('group' in holder ? [holder.group] : [holder.issuer, holder.subject]);
}

/** Everybody whom the definition names, by {@link holderId}, in its order. Whether it is enabled is not looked at. */
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

/** The groups or subjects of a binding, each once. */
export function membersOf(binding: Binding): Holder[] {
  const members: readonly Holder[] = 'groups' in binding ? binding.groups.map((group) => ({ group })) : binding.subjects;
  return [...new Map(members.map((holder) => [holderId(holder), holder])).values()];
}
