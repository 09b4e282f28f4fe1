import type { PolicySetDefinition } from './policy-set.ts';

/** Whether somebody could lose something by being in a group: then it matters that all of a person's groups are known. */
export function deniesToGroups({ bindings, policies, roles, enabled }: PolicySetDefinition): boolean {
  if (!enabled) return false;
  const denying = new Set(policies.filter(({ rules }) => rules.some(({ effect }) => effect === 'deny')).map(({ name }) => name));
  const denyingRoles = new Set(roles.filter(({ policies: held }) => held.some((name) => denying.has(name))).map(({ name }) => name));
  return bindings.some((binding) => 'groups' in binding && ('role' in binding ? denyingRoles.has(binding.role) : binding.policies.some((name) => denying.has(name))));
}
