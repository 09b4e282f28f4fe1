import type { Binding, Role } from './records.ts';

/** The groups and subjects that bindings give a policy. */
export type Holders = { readonly groups: readonly string[]; readonly subjects: readonly string[] };

export function holdersOf(policy: string, bindings: readonly Binding[], roles: readonly Role[]): Holders {
  const having = new Set(roles.filter(({ policies }) => policies.includes(policy)).map(({ name }) => name));
  const giving = bindings.filter(
    ({ role, policies }) => policies?.includes(policy) === true || (role !== undefined && having.has(role)),
  );
  return {
    groups: [...new Set(giving.flatMap(({ groups }) => groups ?? []))],
    subjects: [...new Set(giving.flatMap(({ subjects }) => subjects?.map(({ subject }) => subject) ?? []))],
  };
}
