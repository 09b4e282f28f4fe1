import { isEach } from '../model/each.ts';
import type { PolicySetDefinition } from './policy-set.ts';

/** Whether a policy denies something to a group, or in the folder of each group. If so, all groups of a person must be known, or a deny could be missed. */
export function deniesToGroups({ bindings, policies, roles, enabled }: PolicySetDefinition): boolean {
  if (!enabled) return false;
  const denying = new Set(
    policies.filter(({ rules }) => rules.some(({ effect }) => effect === 'deny')).map(({ name }) => name),
  );
  const denyingRoles = new Set(
    roles.filter(({ policies: held }) => held.some((name) => denying.has(name))).map(({ name }) => name),
  );
  if (
    policies.some(({ rules }) =>
      rules.some(
        ({ effect, resources }) =>
          effect === 'deny' && resources.some((selector) => isEach(selector) && selector.each === 'group'),
      ),
    )
  )
    return true;
  return bindings.some(
    (binding) =>
      'groups' in binding &&
      ('role' in binding ? denyingRoles.has(binding.role) : binding.policies.some((name) => denying.has(name))),
  );
}
