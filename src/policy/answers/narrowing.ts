import type { AtomicAction } from '../model/action.ts';
import { joinPlaces, narrowedTo, type Place } from '../model/place.ts';
import type { PolicySetDefinition } from '../index/policy-set.ts';
import type { WrittenSelector } from '../model/resource.ts';
import { ruleId, type RuleRef, type WrittenPolicy, type WrittenRule } from '../model/rule.ts';
import type { RuleUsage } from './usage.ts';

/**
 * A narrower form of an allow rule: its actions, and the selectors that it keeps. `at` is the index of the original selector; `selector` is the original or a
 * narrower one.
 */
export type NarrowRule = {
  readonly actions: readonly AtomicAction[];
  readonly resources: readonly { readonly at: number; readonly selector: WrittenSelector }[];
};

/** The rules that replace a rule: one or two, or none when nothing of it was used. */
export type Narrowing = { readonly rule: RuleRef; readonly becomes: readonly NarrowRule[] };

/** Actions that list things. No rule decides a listing as a whole, so their use cannot be attributed. */
const LOOKING: readonly AtomicAction[] = ['providers:list', 'buckets:list', 'objects:list'];

/** Actions that are used by reading alone. */
const READING: readonly AtomicAction[] = ['objects:get', 'objects:versions'];

/**
 * Whether the audit shows the use of an action.
 *
 * @param readsKnown - whether the audit contains everything that was read.
 */
export function isUseRecorded(action: AtomicAction, readsKnown: boolean): boolean {
  return !LOOKING.includes(action) && (readsKnown || !READING.includes(action));
}

/**
 * The narrowest form of a rule that still allows everything it was used for; undefined when the rule is as narrow already, or when nobody holds it.
 *
 * Actions that cannot be judged stay, unless the holders did nothing at all. When they need wider selectors than the used actions, they become a separate rule.
 */
export function narrowingOf(
  { rule, written, by, places, isIdle }: RuleUsage,
  readsKnown: boolean,
): Narrowing | undefined {
  if (by.length === 0) return undefined;
  if (isIdle && readsKnown) return { rule, becomes: [] };
  const unjudged = written.actions.filter((action) => !isUseRecorded(action, readsKnown));
  const used = written.actions.filter((action) => isUseRecorded(action, readsKnown) && places.has(action));
  const whole = written.resources.map((selector, at) => ({ at, selector }));
  const resources = whole.flatMap(({ at, selector }) => {
    const place = used.reduce<Place | undefined>((sum, action) => joined(sum, places.get(action)![at]), undefined);
    return place === undefined ? [] : [{ at, selector: narrowedTo(selector, place) }];
  });
  const isWhole =
    resources.length === whole.length && resources.every(({ at, selector }) => selector === written.resources[at]);
  const keeps = written.actions.filter((action) => unjudged.includes(action) || used.includes(action));
  if (used.length === 0)
    return unjudged.length === written.actions.length
      ? undefined
      : { rule, becomes: unjudged.length === 0 ? [] : [{ actions: unjudged, resources: whole }] };
  if (isWhole)
    return keeps.length === written.actions.length ? undefined : { rule, becomes: [{ actions: keeps, resources }] };
  return {
    rule,
    becomes: [
      ...(unjudged.length === 0 ? [] : [{ actions: unjudged, resources: whole }]),
      { actions: used, resources },
    ],
  };
}

function joined(one: Place | undefined, other: Place | undefined): Place | undefined {
  return one === undefined || other === undefined ? (one ?? other) : joinPlaces(one, other);
}

/** The definition with the narrower rules in place. */
export function applyNarrowings(
  definition: PolicySetDefinition,
  narrowings: readonly Narrowing[],
): PolicySetDefinition {
  const byRule = new Map(narrowings.map((one) => [ruleId(one.rule), one.becomes]));
  const rulesOf = ({ name, rules }: WrittenPolicy): WrittenRule[] =>
    rules.flatMap(
      (rule, i) =>
        byRule.get(ruleId({ policy: name, rule: i }))?.map(({ actions, resources }) => ({
          effect: rule.effect,
          actions,
          resources: resources.map(({ selector }) => selector),
        })) ?? [rule],
    );
  return { ...definition, policies: definition.policies.map((policy) => ({ ...policy, rules: rulesOf(policy) })) };
}
