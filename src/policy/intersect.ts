import type { AtomicAction } from './action.ts';
import { narrower } from './covers.ts';
import type { Selector } from './resource.ts';
import type { Policy, Rule } from './rule.ts';

/** One rule of an allow-only scope, such as an API key has. */
export type ScopeRule = { readonly actions: readonly AtomicAction[]; readonly resources: readonly Selector[] };

/**
 * The policies that allow exactly what both `policies` and `scope` allow.
 *
 * Deny rules stay as they are; each allow rule is cut down to what it shares with each rule of the scope. The rules are numbered anew.
 */
export function restrict(policies: readonly Policy[], scope: readonly ScopeRule[]): Policy[] {
  return policies.map((policy) => ({
    ...policy,
    rules: policy.rules.flatMap((rule) => (rule.effect === 'deny' ? [rule] : scope.flatMap((within) => cutDown(rule, within)))),
  }));
}

function cutDown(rule: Rule, within: ScopeRule): Rule[] {
  const actions = rule.actions.filter((action) => within.actions.includes(action));
  if (actions.length === 0) return [];
  const resources = rule.resources.flatMap((a) => within.resources.map((b) => narrower(a, b)).filter((shared) => shared !== undefined));
  return resources.length === 0 ? [] : [{ effect: 'allow', actions, resources }];
}
