import { actionIndex, ATOMIC_ACTIONS, maskOf, resourceKindOf, type AtomicAction } from './action.ts';
import type { Clause } from './clause.ts';
import { decide, type Decision } from './decide.ts';
import type { Grants } from './grants.ts';
import { clausesOnKey } from './key-tree.ts';
import type { Resource, Selector } from './resource.ts';
import type { Effect, RuleRef } from './rule.ts';

/** A rule that speaks about the action and covers the resource, and the selector by which it does. */
export type MatchingRule = { readonly rule: RuleRef; readonly effect: Effect; readonly selector: Selector };

export type Explanation = {
  readonly decision: Decision;
  /** From the widest selector to the narrowest. */
  readonly matches: readonly MatchingRule[];
};

/** The decision, and every rule that matches. */
export function explain(grants: Grants, action: AtomicAction, resource: Resource): Explanation {
  const asked = ATOMIC_ACTIONS[actionIndex(action)];
  const askable = asked !== undefined && resourceKindOf(asked) === resource.kind;
  const clauses = askable ? clausesOn(grants, resource).filter((clause) => (clause.actions & maskOf(action)) !== 0) : [];
  return {
    decision: decide(grants, action, resource),
    matches: clauses.map(({ decision, effect, selector }) => ({ rule: decision.rule!, effect, selector })),
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
