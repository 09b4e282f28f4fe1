import type { AtomicAction } from './action.ts';
import { explain, explainUnnamed, type MatchingRule, type Unnamed } from './explain.ts';
import { compileGrants, type Grants } from './grants.ts';
import { holdersOf, type Held, type Holder, type Way } from './holder.ts';
import type { PolicySetDefinition } from './policy-set.ts';
import type { Resource } from './resource.ts';

/** A rule that has a say for a holder, and each way by which they hold its policy. */
export type HeldRule = MatchingRule & { readonly by: readonly Way[] };

/** A group or a person about whom some rule says something there. `rules` from the widest selector to the narrowest. */
export type Entitled = { readonly holder: Holder; readonly isLocal: boolean; readonly outcome: 'allowed' | 'denied'; readonly rules: readonly HeldRule[] };

/**
 * Who may do something. A person may when one of theirs is `allowed` and none is `denied`; of a local user only what names them counts.
 * `everybody`: whether all others who are signed in may, which is so where policy is off. Nobody else is named then.
 */
export type WhoMay = { readonly everybody: boolean; readonly holders: readonly Entitled[] };

/** @param place - a resource, or a place of which a bucket or an object is meant that no rule names more closely. */
export function whoMay(definition: PolicySetDefinition, action: AtomicAction, place: Resource | Unnamed): WhoMay {
  if (!definition.enabled) return { everybody: true, holders: [] };
  const { grants, holders } = preparedFor(definition);
  const { matches } = 'kind' in place ? explain(grants, action, place) : explainUnnamed(grants, action, place);
  return { everybody: false, holders: holders.flatMap((held) => entitled(held, matches)) };
}

function entitled({ holder, isLocal, ways }: Held, matches: readonly MatchingRule[]): Entitled[] {
  const rules = matches.flatMap((match): HeldRule[] => {
    const by = ways.filter(({ policy }) => policy === match.rule.policy);
    return by.length === 0 ? [] : [{ ...match, by }];
  });
  if (rules.length === 0) return [];
  return [{ holder, isLocal, outcome: rules.some(({ effect }) => effect === 'deny') ? 'denied' : 'allowed', rules }];
}

type Prepared = { readonly grants: Grants; readonly holders: readonly Held[] };

const prepared = new WeakMap<PolicySetDefinition, Prepared>();

/** All policies in one index, made once for each definition. */
function preparedFor(definition: PolicySetDefinition): Prepared {
  let known = prepared.get(definition);
  if (known === undefined) prepared.set(definition, (known = { grants: compileGrants(definition.policies), holders: [...holdersOf(definition).values()] }));
  return known;
}
