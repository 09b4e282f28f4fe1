import {
  ATOMIC_ACTIONS,
  maskOfAll,
  resourceKindOf,
  type ActionMask,
  type AtomicAction,
} from '../../src/policy/model/action.ts';
import type { Resource, Scope, Selector } from '../../src/policy/model/resource.ts';
import type { Policy, Rule } from '../../src/policy/model/rule.ts';
import { BUCKETS, FRESH, interestingKeys } from './arbitraries.ts';

/** The specification, read aloud: every rule is looked at, every time. Shares no code with what it checks. */
export function decideNaively(
  policies: readonly Policy[],
  action: AtomicAction,
  resource: Resource,
): 'allowed' | 'no_matching_allow' | 'explicit_deny' {
  if (resourceKindOf(action) !== resource.kind) return 'no_matching_allow';
  let allowed = false;
  for (const policy of policies) {
    for (const rule of policy.rules) {
      if (!matches(rule, action, resource)) continue;
      if (rule.effect === 'deny') return 'explicit_deny';
      allowed = true;
    }
  }
  return allowed ? 'allowed' : 'no_matching_allow';
}

/** What the rules of a policy that cover the resource say, of all actions at once. */
export function saidNaively(
  { rules }: Policy,
  resource: Resource,
): { readonly allowed: ActionMask; readonly denied: ActionMask } {
  const said = { allowed: 0, denied: 0 };
  for (const rule of rules) {
    if (!rule.resources.some((selector) => coversNaively(selector, resource))) continue;
    const mask = maskOfAll(rule.actions.filter((action) => resourceKindOf(action) === resource.kind));
    if (rule.effect === 'deny') said.denied |= mask;
    else said.allowed |= mask;
  }
  return said;
}

function matches(rule: Rule, action: AtomicAction, resource: Resource): boolean {
  return rule.actions.includes(action) && rule.resources.some((selector) => coversNaively(selector, resource));
}

export function coversNaively(selector: Selector, resource: Resource): boolean {
  switch (selector.type) {
    case 'all':
      return true;
    case 'provider':
      return resource.provider === selector.provider;
    case 'bucket':
      return (
        resource.provider === selector.provider && resource.kind !== 'provider' && resource.bucket === selector.bucket
      );
    case 'prefix':
      return inBucketOf(selector, resource) && resource.key.slice(0, selector.prefix.length) === selector.prefix;
    case 'object':
      return inBucketOf(selector, resource) && resource.key === selector.key;
  }
}

function inBucketOf(
  selector: { provider: string; bucket: string },
  resource: Resource,
): resource is Extract<Resource, { kind: 'object' }> {
  return resource.kind === 'object' && resource.provider === selector.provider && resource.bucket === selector.bucket;
}

/** Tries every resource in the scope at which an answer can change. */
export function allowedBeneathNaively(policies: readonly Policy[], scope: Scope): ActionMask {
  const resources = resourcesIn(policies, scope);
  return maskOfAll(
    ATOMIC_ACTIONS.filter((action) =>
      resources.some((resource) => decideNaively(policies, action, resource) === 'allowed'),
    ),
  );
}

function resourcesIn(policies: readonly Policy[], scope: Scope): Resource[] {
  const { provider } = scope;
  const buckets = 'bucket' in scope ? [scope.bucket] : BUCKETS;
  const around: Resource[] = 'bucket' in scope ? [] : [{ kind: 'provider', provider }];
  return around.concat(
    buckets.flatMap((bucket): Resource[] => [
      { kind: 'bucket', provider, bucket },
      ...keysIn(policies, scope).map((key): Resource => ({ kind: 'object', provider, bucket, key })),
    ]),
  );
}

function keysIn(policies: readonly Policy[], scope: Scope): string[] {
  if ('key' in scope) return [scope.key];
  const prefix = 'prefix' in scope ? scope.prefix : '';
  return [prefix, prefix + FRESH, ...interestingKeys(policies).filter((key) => key.startsWith(prefix))];
}
