import { ATOMIC_ACTIONS, type AtomicAction } from '../../policy/model/action.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import { within, type ReviewedPlace } from '../../policy/answers/place-index.ts';
import type { RuleRef } from '../../policy/model/rule.ts';
import { ruleAtKey, type Candidate, type DecidedLine, type PlannedEdit } from './plan-candidates.ts';

/** What happens to the places of a rule: all of it goes, some actions stay, or all stays. */
type Outcome = readonly AtomicAction[] | 'gone' | 'kept';

const ruleKey = ({ policy, rule }: RuleRef) => JSON.stringify(['rule', policy, rule]);

/** Plans the changes of rules: selectors that go, actions that stay. `carried` names the decisions that they carry out. */
export function planRules(
  definition: PolicySetDefinition,
  left: ReadonlyMap<string, DecidedLine>,
  done: ReadonlySet<string>,
  candidates: ReadonlyMap<string, Candidate>,
  places: readonly ReviewedPlace[],
): { readonly edits: PlannedEdit[]; readonly carried: ReadonlySet<string> } {
  const policies = new Map(definition.policies.map((policy) => [policy.name, policy]));
  const byRule = new Map<string, { readonly rule: RuleRef; readonly ids: string[] }>();
  for (const [id, { line }] of left) {
    if (line.kind !== 'rule' || policies.get(line.rule.policy)?.source !== 'config') continue;
    const known = byRule.get(ruleKey(line.rule)) ?? { rule: line.rule, ids: [] };
    byRule.set(ruleKey(line.rule), known);
    known.ids.push(id);
  }
  const edits: PlannedEdit[] = [];
  const carried = new Set<string>();
  for (const { rule, ids } of byRule.values()) {
    const written = policies.get(rule.policy)!.rules[rule.rule]!;
    if (written.effect === 'deny') continue;
    const about = places.filter((place) => written.resources.some((selector) => within(selector, place) !== undefined));
    const touched = written.resources.map((selector) => about.filter((place) => within(selector, place) !== undefined));
    const outcomes = new Map<ReviewedPlace, Outcome>(
      about.map((place) => [
        place,
        outcomeOf(place, candidates.get(ruleAtKey(rule, place)), left, done, written.actions),
      ]),
    );
    keepMixedSelectors(touched, outcomes);
    edits.push(...editsOf(rule, touched, outcomes));
    for (const id of ids) {
      const { line, decision } = left.get(id)!;
      const outcome = line.kind === 'rule' ? outcomes.get(line.place) : 'kept';
      if (outcome !== undefined && outcome !== 'kept' && (outcome === 'gone') === (decision.narrowTo === undefined))
        carried.add(id);
    }
  }
  return { edits, carried };
}

/** Something is done at a place only if all lines of the rule there have the same decision. Lines that other changes remove are ignored. */
function outcomeOf(
  place: ReviewedPlace,
  candidate: Candidate | undefined,
  left: ReadonlyMap<string, DecidedLine>,
  done: ReadonlySet<string>,
  actions: readonly AtomicAction[],
): Outcome {
  if (candidate === undefined || candidate.keptCount > 0) return 'kept';
  const wanted = new Set(
    [...candidate.lines]
      .filter((id) => !done.has(id))
      .map((id) => JSON.stringify(left.get(id)!.decision.narrowTo ?? 'gone')),
  );
  if (wanted.size !== 1) return 'kept';
  const outcome = JSON.parse([...wanted][0]!) as Exclude<Outcome, 'kept'>;
  if (outcome === 'gone') return outcome;
  // The line of a bucket does not say whether the holder sees the provider, so `providers:list` stays.
  return ATOMIC_ACTIONS.filter(
    (action) =>
      actions.includes(action) &&
      (outcome.includes(action) || (action === 'providers:list' && place.bucket !== undefined)),
  );
}

/** Keeps selectors that concern several places with different outcomes, because a selector can only be removed or moved as a whole. */
function keepMixedSelectors(
  touched: readonly (readonly ReviewedPlace[])[],
  outcomes: Map<ReviewedPlace, Outcome>,
): void {
  for (let again = true; again;) {
    again = false;
    for (const places of touched) {
      if (
        places.every((place) => outcomes.get(place) === 'kept') ||
        places.every((place) => isSame(outcomes.get(place)!, outcomes.get(places[0]!)!))
      )
        continue;
      for (const place of places) outcomes.set(place, 'kept');
      again = true;
    }
  }
}

const isSame = (one: Outcome, other: Outcome) => JSON.stringify(one) === JSON.stringify(other);

function editsOf(
  rule: RuleRef,
  touched: readonly (readonly ReviewedPlace[])[],
  outcomes: ReadonlyMap<ReviewedPlace, Outcome>,
): PlannedEdit[] {
  const groups = new Map<string, { readonly outcome: Outcome; readonly selectors: number[] }>();
  for (const [i, places] of touched.entries()) {
    // A selector that concerns no place that a request can name stays.
    const outcome = places[0] === undefined ? 'kept' : outcomes.get(places[0])!;
    const group = groups.get(JSON.stringify(outcome)) ?? { outcome, selectors: [] };
    groups.set(JSON.stringify(outcome), group);
    group.selectors.push(i);
  }
  const gone = groups.get('"gone"');
  const narrowed = [...groups.values()].filter(({ outcome }) => typeof outcome !== 'string');
  const stays = groups.has('"kept"') ? undefined : narrowed.shift();
  return [
    ...(gone === undefined ? [] : [{ do: 'drop selectors', rule, selectors: gone.selectors } as const]),
    ...(stays === undefined
      ? []
      : [{ do: 'keep actions', rule, actions: stays.outcome as readonly AtomicAction[] } as const]),
    ...narrowed.map(
      ({ outcome, selectors }) =>
        ({ do: 'move selectors', rule, selectors, actions: outcome as readonly AtomicAction[] }) as const,
    ),
  ];
}
