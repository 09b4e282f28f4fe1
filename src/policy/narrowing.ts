import type { AtomicAction } from './action.ts';
import { joinPlaces, narrowedTo, type Place } from './place.ts';
import type { PolicySetDefinition } from './policy-set.ts';
import type { WrittenSelector } from './resource.ts';
import type { RuleRef, WrittenPolicy, WrittenRule } from './rule.ts';
import type { RuleUsage } from './usage.ts';

/** An allow rule that gives less than another one: its actions, and which of the other's selectors stay, as they are or narrower. */
export type NarrowRule = { readonly actions: readonly AtomicAction[]; readonly resources: readonly { readonly at: number; readonly selector: WrittenSelector }[] };

/** What stands in the place of a rule: one rule or two, or none where nothing of it was used. */
export type Narrowing = { readonly rule: RuleRef; readonly becomes: readonly NarrowRule[] };

/** Actions by which somebody looks around. No rule decides a listing as a whole, so nothing is said about their use. */
const LOOKING: readonly AtomicAction[] = ['providers:list', 'buckets:list', 'objects:list'];

/** Whether use of the action can be told from the audit. @param readsKnown - whether the audit holds all that was read. */
export function isJudged(action: AtomicAction, readsKnown: boolean): boolean {
  return !LOOKING.includes(action) && (readsKnown || action !== 'objects:get');
}

/**
 * The narrowest that a rule may be made without taking away what was used. Undefined where it is as narrow already, and where nobody holds it.
 *
 * What cannot be judged stays, unless those to whom it is given did nothing at all. Where it needs more room than what was used, it becomes a rule of its own.
 */
export function narrowingOf({ rule, written, by, places, isIdle }: RuleUsage, readsKnown: boolean): Narrowing | undefined {
  if (by.length === 0) return undefined;
  if (isIdle && readsKnown) return { rule, becomes: [] };
  const unjudged = written.actions.filter((action) => !isJudged(action, readsKnown));
  const used = written.actions.filter((action) => isJudged(action, readsKnown) && places.has(action));
  const whole = written.resources.map((selector, at) => ({ at, selector }));
  const resources = whole.flatMap(({ at, selector }) => {
    const place = used.reduce<Place | undefined>((sum, action) => joined(sum, places.get(action)![at]), undefined);
    return place === undefined ? [] : [{ at, selector: narrowedTo(selector, place) }];
  });
  const isWhole = resources.length === whole.length && resources.every(({ at, selector }) => selector === written.resources[at]);
  const keeps = written.actions.filter((action) => unjudged.includes(action) || used.includes(action));
  if (used.length === 0) return unjudged.length === written.actions.length ? undefined : { rule, becomes: unjudged.length === 0 ? [] : [{ actions: unjudged, resources: whole }] };
  if (isWhole) return keeps.length === written.actions.length ? undefined : { rule, becomes: [{ actions: keeps, resources }] };
  return { rule, becomes: [...(unjudged.length === 0 ? [] : [{ actions: unjudged, resources: whole }]), { actions: used, resources }] };
}

function joined(one: Place | undefined, other: Place | undefined): Place | undefined {
  return one === undefined || other === undefined ? (one ?? other) : joinPlaces(one, other);
}

/** The definition with the narrower rules. */
export function narrowed(definition: PolicySetDefinition, narrowings: readonly Narrowing[]): PolicySetDefinition {
  const byRule = new Map(narrowings.map((one) => [`${one.rule.rule} ${one.rule.policy}`, one.becomes]));
  const rulesOf = ({ name, rules }: WrittenPolicy): WrittenRule[] =>
    rules.flatMap((rule, i) => byRule.get(`${i} ${name}`)?.map(({ actions, resources }) => ({ effect: rule.effect, actions, resources: resources.map(({ selector }) => selector) })) ?? [rule]);
  return { ...definition, policies: definition.policies.map((policy) => ({ ...policy, rules: rulesOf(policy) })) };
}
