import { actionIndex, ATOMIC_ACTIONS, maskOf, resourceKindOf, type AtomicAction } from '../model/action.ts';
import { allowedOnNewBucket, allowedOnNewKey } from '../listing/beneath.ts';
import type { Clause } from '../model/clause.ts';
import { decide, type Decision } from '../index/decide.ts';
import { NO_MATCHING_ALLOW } from '../model/decision.ts';
import type { Grants } from '../index/grants.ts';
import { clausesOnKey } from '../index/key-tree.ts';
import { objectResource, providerResource, type KeysScope, type Resource, type Selector } from '../model/resource.ts';
import type { Effect, RuleRef } from '../model/rule.ts';

/** A rule that names the action and covers the resource, and the selector that covers it. */
export type MatchingRule = { readonly rule: RuleRef; readonly effect: Effect; readonly selector: Selector };

export type Explanation = {
  readonly decision: Decision;
  /** From the widest selector to the narrowest. */
  readonly matches: readonly MatchingRule[];
};

/**
 * Returns the decision and every rule that matches.
 *
 * @example
 * // rule 0 of `readers` allows `objects:get` on `2026/`, and rule 1 denies it on `2026/draft/`
 * explain(grants, 'objects:get', objectResource('main', 'photos', '2026/draft/a.jpg'))
 * // decision: { allowed: false, reason: 'explicit_deny', rule: { policy: 'readers', rule: 1 } }
 * // matches: rule 0 (`allow`), then rule 1 (`deny`), each with its selector
 */
export function explain(grants: Grants, action: AtomicAction, resource: Resource): Explanation {
  const asked = ATOMIC_ACTIONS[actionIndex(action)];
  const askable = asked !== undefined && resourceKindOf(asked) === resource.kind;
  const clauses = askable
    ? clausesOn(grants, resource).filter((clause) => (clause.actions & maskOf(action)) !== 0)
    : [];
  return {
    decision: decide(grants, action, resource),
    matches: clauses.map(matchOf),
  };
}

function matchOf({ decision, effect, selector }: Clause): MatchingRule {
  return { rule: decision.rule!, effect, selector };
}

/** A place in which no bucket or key is named: a provider stands for a bucket in it, a prefix for a key beneath it. */
export type Unnamed = { readonly provider: string } | KeysScope;

/** Returns the decision on a bucket or key in the place that no rule names more closely, such as a new one, and every rule that matches. */
export function explainUnnamed(grants: Grants, action: AtomicAction, place: Unnamed): Explanation {
  const allowed =
    (('bucket' in place ? allowedOnNewKey(grants, place) : allowedOnNewBucket(grants, place.provider)) &
      maskOf(action)) !==
    0;
  const around =
    'bucket' in place
      ? clausesOn(grants, objectResource(place.provider, place.bucket, place.prefix))
      : clausesOn(grants, providerResource(place.provider));
  // A selector for the single key that equals the prefix does not cover the keys beneath it.
  const clauses = around.filter(
    ({ actions, selector }) => (actions & maskOf(action)) !== 0 && selector.type !== 'object',
  );
  const deny = clauses.find(({ effect }) => effect === 'deny');
  const [first] = clauses;
  return {
    decision: allowed && first !== undefined ? first.decision : (deny?.decision ?? NO_MATCHING_ALLOW),
    matches: clauses.map(matchOf),
  };
}

/** All clauses that cover the resource, from the widest to the narrowest. */
function clausesOn(grants: Grants, resource: Resource): Clause[] {
  const provider = grants.providers.get(resource.provider);
  const clauses = [...grants.clauses, ...(provider?.clauses ?? [])];
  if (resource.kind === 'provider') return clauses;
  const bucket = provider?.buckets.get(resource.bucket);
  if (bucket === undefined) return clauses;
  clauses.push(...bucket.clauses);
  return resource.kind === 'bucket' ? clauses : [...clauses, ...clausesOnKey(bucket.keys, resource.key)];
}
