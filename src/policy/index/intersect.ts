import { maskOf, type ActionMask } from '../model/action.ts';
import type { Grants } from './grants.ts';
import { allowedAt } from './key-tree.ts';
import { allowedOnKey } from './packed-trees.ts';
import type { Selector } from '../model/resource.ts';
import type { Policy, Rule } from '../model/rule.ts';

/** Policies, and the grants compiled from them. */
export type Compiled = { readonly policies: readonly Policy[]; readonly grants: Grants };

/**
 * The policies that allow exactly what both allow.
 *
 * Deny rules stay as they are. When two selectors overlap, one always covers the other, so two allow rules share exactly one of their selectors. A selector
 * therefore stays when the other side allows all of it, and the result never has more selectors than both sides have in total. Rules get new numbers.
 *
 * @param scope - has allow rules only, like the scope of an API key.
 */
export function restrict(given: Compiled, scope: Compiled): Policy[] {
  return [...keepWithin(given.policies, scope.grants), ...keepWithin(scope.policies, given.grants)];
}

function keepWithin(policies: readonly Policy[], grants: Grants): Policy[] {
  return policies.map((policy) => ({
    ...policy,
    rules: policy.rules.flatMap((rule) => (rule.effect === 'deny' ? [rule] : cutDown(rule, grants))),
  }));
}

function cutDown({ actions, resources }: Rule, grants: Grants): Rule[] {
  return resources.flatMap((selector) => {
    const allowed = allowedOn(grants, selector);
    const shared = actions.filter((action) => (allowed & maskOf(action)) !== 0);
    return shared.length === 0 ? [] : [{ effect: 'allow', actions: shared, resources: [selector] }];
  });
}

/** The actions that are allowed by the rules that cover the whole selector. */
function allowedOn(grants: Grants, selector: Selector): ActionMask {
  if (selector.type === 'all') return grants.allowed;
  const provider = grants.providers.get(selector.provider);
  if (selector.type === 'provider') return (provider ?? grants).allowed;
  const bucket = provider?.buckets.get(selector.bucket);
  if (selector.type === 'bucket' || bucket === undefined) return (bucket ?? provider ?? grants).allowed;
  return selector.type === 'prefix'
    ? allowedAt(bucket.keys, selector.prefix)
    : allowedOnKey(bucket.trees, bucket.root, selector.key);
}
