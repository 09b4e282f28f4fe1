import { ATOMIC_ACTIONS, type AtomicAction } from '../../policy/model/action.ts';
import { principalId, type Principal, type Assignment } from '../../policy/index/principal.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import { within, type ReviewedLine, type ReviewedPlace } from '../../policy/answers/review.ts';
import type { RuleRef } from '../../policy/model/rule.ts';
import type { Decision } from './review-decisions.ts';
import type { ReviewRow } from './review-row.ts';

/** A change of a definition. Together the changes take away what was decided. */
export type PlannedEdit =
  | { readonly do: 'take from binding'; readonly binding: number; readonly holder: Principal }
  | { readonly do: 'take role'; readonly localUser: number; readonly role: string }
  | { readonly do: 'drop from binding'; readonly binding: number; readonly policy: string }
  | { readonly do: 'drop from role'; readonly role: string; readonly policy: string }
  | { readonly do: 'drop selectors'; readonly rule: RuleRef; readonly selectors: readonly number[] }
  | { readonly do: 'keep actions'; readonly rule: RuleRef; readonly actions: readonly AtomicAction[] }
  | {
      readonly do: 'move selectors';
      readonly rule: RuleRef;
      readonly selectors: readonly number[];
      readonly actions: readonly AtomicAction[];
    };

export type DecidedLine = {
  readonly line: Exclude<ReviewedLine, { kind: 'unrestricted' }>;
  readonly row: ReviewRow;
  readonly decision: Decision;
};

/** A decision that cannot be carried out without taking something else away, and the reasons. */
export type Refusal = { readonly row: ReviewRow; readonly reasons: readonly string[] };

export type Plan = { readonly edits: readonly PlannedEdit[]; readonly refused: readonly Refusal[] };

/** A possible change of the configuration, and the review lines that it affects. */
type Candidate = {
  readonly edit: PlannedEdit | undefined;
  readonly lines: Set<string>;
  readonly kept: string[];
  keptCount: number;
};

const SHOWN = 3;

/**
 * Finds the changes that take away exactly what was decided, from the smallest to the widest: a member of a binding, a policy of a binding or role, and
 * selectors or actions of a rule. A change is made only when every affected line was decided in this way.
 *
 * @param places - the places of the review's lines.
 * @param lines - all lines of the review with their rows.
 */
export function planReview(
  definition: PolicySetDefinition,
  decided: ReadonlyMap<string, DecidedLine>,
  places: readonly ReviewedPlace[],
  lines: Iterable<{ readonly line: ReviewedLine; readonly row: ReviewRow }>,
): Plan {
  const removed = new Map([...decided].filter(([, { decision }]) => decision.narrowTo === undefined));
  const candidates = findCandidates(decided, lines);
  const edits: PlannedEdit[] = [];
  /** The assignments that the planned edits remove. */
  const gone = new Set<string>();
  const tried = new Set<string>();
  for (const candidateOf of [memberCandidate, policyCandidate]) {
    for (const [id, { line }] of removed) {
      for (const assignment of line.by) {
        const key = candidateOf(line, assignment)?.key;
        const candidate = candidates.get(key ?? '');
        if (
          key === undefined ||
          candidate?.edit === undefined ||
          gone.has(assignmentId(id, assignment)) ||
          tried.has(key)
        )
          continue;
        tried.add(key);
        if (candidate.keptCount > 0 || ![...candidate.lines].every((one) => removed.has(one))) continue;
        edits.push(candidate.edit);
        for (const one of candidate.lines)
          for (const other of removed.get(one)!.line.by)
            if (candidateOf(removed.get(one)!.line, other)?.key === key) gone.add(assignmentId(one, other));
      }
    }
  }
  const left = new Map(
    [...decided].filter(([id, { line }]) => !line.by.every((assignment) => gone.has(assignmentId(id, assignment)))),
  );
  const done = new Set([...removed.keys()].filter((id) => !left.has(id)));
  const { edits: ruleEdits, carried } = planRules(definition, left, done, candidates, places);
  const refused = [...left]
    .filter(([id]) => !carried.has(id))
    .map(([, one]) => ({ row: one.row, reasons: reasonsFor(one, candidates, definition) }));
  return { edits: [...edits, ...ruleEdits], refused };
}

const assignmentId = (id: string, { from, place, role }: Pick<Assignment, 'from' | 'place' | 'role'>) =>
  JSON.stringify([id, from, place, role ?? null]);

type Keyed = { readonly key: string; readonly edit: PlannedEdit };
type Via = Pick<Assignment, 'from' | 'place' | 'role'>;

function memberCandidate({ holder }: DecidedLine['line'], { from, place, role }: Via): Keyed {
  if (from === 'local user')
    return { key: JSON.stringify(['user', place, role]), edit: { do: 'take role', localUser: place, role: role! } };
  return {
    key: JSON.stringify(['member', place, principalId(holder)]),
    edit: { do: 'take from binding', binding: place, holder },
  };
}

function policyCandidate(line: DecidedLine['line'], { from, place, role }: Via): Keyed | undefined {
  if (line.kind !== 'rule') return undefined;
  const { policy } = line.rule;
  if (role !== undefined)
    return { key: JSON.stringify(['role', role, policy]), edit: { do: 'drop from role', role, policy } };
  return from === 'binding'
    ? { key: JSON.stringify(['given', place, policy]), edit: { do: 'drop from binding', binding: place, policy } }
    : undefined;
}

const ruleKey = ({ policy, rule }: RuleRef) => JSON.stringify(['rule', policy, rule]);
const ruleAtKey = (rule: RuleRef, { provider, bucket }: ReviewedPlace) =>
  JSON.stringify(['rule at', rule.policy, rule.rule, provider, bucket ?? null]);

/** All possible changes that would remove some decided line, with all lines that they affect. */
function findCandidates(
  decided: ReadonlyMap<string, DecidedLine>,
  lines: Iterable<{ readonly line: ReviewedLine; readonly row: ReviewRow }>,
): ReadonlyMap<string, Candidate> {
  const candidates = new Map<string, Candidate>();
  const keysOf = (line: ReviewedLine): { readonly key: string; readonly edit: PlannedEdit | undefined }[] => {
    if (line.kind === 'unrestricted') return [];
    const ofAssignments = line.by.flatMap((assignment) =>
      [memberCandidate(line, assignment), policyCandidate(line, assignment) ?? []].flat(),
    );
    return [
      ...ofAssignments,
      ...(line.kind === 'rule' ? [{ key: ruleAtKey(line.rule, line.place), edit: undefined }] : []),
    ];
  };
  for (const { line } of decided.values())
    for (const { key, edit } of keysOf(line)) candidates.set(key, { edit, lines: new Set(), kept: [], keptCount: 0 });
  for (const { line, row } of lines) {
    for (const { key } of keysOf(line)) {
      const candidate = candidates.get(key);
      if (candidate === undefined) continue;
      if (decided.has(row.id)) candidate.lines.add(row.id);
      else {
        candidate.keptCount += 1;
        if (candidate.kept.length < SHOWN) candidate.kept.push(`${row.who} at ${row.place} (${row.may})`);
      }
    }
  }
  return candidates;
}

/** What happens to the places of a rule: all of it goes, some actions stay, or all stays. */
type Outcome = readonly AtomicAction[] | 'gone' | 'kept';

function planRules(
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

/** What else would be taken away, for each way in which the line could be removed. */
function reasonsFor(
  { line, decision }: DecidedLine,
  candidates: ReadonlyMap<string, Candidate>,
  { policies }: PolicySetDefinition,
): string[] {
  if (line.kind === 'admin')
    return [
      ...new Set(
        line.by.flatMap((assignment) =>
          alsoText('the same binding or local user also gives', candidates.get(memberCandidate(line, assignment).key)),
        ),
      ),
    ];
  if (line.effect === 'deny') return ['it denies something, and without it somebody could gain'];
  const assignments =
    decision.narrowTo !== undefined
      ? []
      : line.by.flatMap((assignment) =>
          alsoText(
            `${assignment.from} ${assignment.place + 1} also gives`,
            candidates.get(memberCandidate(line, assignment).key),
          ),
        );
  const source = policies.find(({ name }) => name === line.rule.policy)?.source;
  const rule = `rule ${line.rule.rule + 1} of \`${line.rule.policy}\``;
  if (source !== 'config')
    return [...new Set(assignments), `${rule} is ${source === 'iam' ? 'imported from an IAM document' : 'built in'}`];
  const others = alsoText(`${rule} also is for`, candidates.get(ruleAtKey(line.rule, line.place)));
  return [
    ...new Set([
      ...assignments,
      ...(others.length > 0
        ? others
        : [`${rule} is about other places in the same selector, or other lines of it are decided otherwise`]),
    ]),
  ];
}

function alsoText(what: string, candidate: Candidate | undefined): string[] {
  if (candidate === undefined || candidate.keptCount === 0) return [];
  const more = candidate.keptCount - candidate.kept.length;
  return [`${what} ${candidate.kept.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}
