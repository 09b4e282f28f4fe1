import { ATOMIC_ACTIONS, type AtomicAction } from '../../policy/model/action.ts';
import { holderId, type Holder, type Way } from '../../policy/index/holder.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import { within, type ReviewedLine, type ReviewedPlace } from '../../policy/answers/review.ts';
import type { RuleRef } from '../../policy/model/rule.ts';
import type { Decision } from './review-decisions.ts';
import type { ReviewRow } from './review-row.ts';

/** A change of a definition. Together the changes take away what was decided. */
export type PlannedEdit =
  | { readonly do: 'take from binding'; readonly binding: number; readonly holder: Holder }
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
type Lever = {
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
  const levers = findLevers(decided, lines);
  const edits: PlannedEdit[] = [];
  /** The ways of lines that the planned edits remove. */
  const gone = new Set<string>();
  const tried = new Set<string>();
  for (const leverOf of [memberLever, policyLever]) {
    for (const [id, { line }] of removed) {
      for (const way of line.by) {
        const key = leverOf(line, way)?.key;
        const lever = levers.get(key ?? '');
        if (key === undefined || lever?.edit === undefined || gone.has(wayId(id, way)) || tried.has(key)) continue;
        tried.add(key);
        if (lever.keptCount > 0 || ![...lever.lines].every((one) => removed.has(one))) continue;
        edits.push(lever.edit);
        for (const one of lever.lines)
          for (const other of removed.get(one)!.line.by)
            if (leverOf(removed.get(one)!.line, other)?.key === key) gone.add(wayId(one, other));
      }
    }
  }
  const left = new Map([...decided].filter(([id, { line }]) => !line.by.every((way) => gone.has(wayId(id, way)))));
  const done = new Set([...removed.keys()].filter((id) => !left.has(id)));
  const { edits: ruleEdits, carried } = planRules(definition, left, done, levers, places);
  const refused = [...left]
    .filter(([id]) => !carried.has(id))
    .map(([, one]) => ({ row: one.row, reasons: reasonsFor(one, levers, definition) }));
  return { edits: [...edits, ...ruleEdits], refused };
}

const wayId = (id: string, { from, place, role }: Pick<Way, 'from' | 'place' | 'role'>) =>
  JSON.stringify([id, from, place, role ?? null]);

type Keyed = { readonly key: string; readonly edit: PlannedEdit };
type Via = Pick<Way, 'from' | 'place' | 'role'>;

function memberLever({ holder }: DecidedLine['line'], { from, place, role }: Via): Keyed {
  if (from === 'local user')
    return { key: JSON.stringify(['user', place, role]), edit: { do: 'take role', localUser: place, role: role! } };
  return {
    key: JSON.stringify(['member', place, holderId(holder)]),
    edit: { do: 'take from binding', binding: place, holder },
  };
}

function policyLever(line: DecidedLine['line'], { from, place, role }: Via): Keyed | undefined {
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
function findLevers(
  decided: ReadonlyMap<string, DecidedLine>,
  lines: Iterable<{ readonly line: ReviewedLine; readonly row: ReviewRow }>,
): ReadonlyMap<string, Lever> {
  const levers = new Map<string, Lever>();
  const keysOf = (line: ReviewedLine): { readonly key: string; readonly edit: PlannedEdit | undefined }[] => {
    if (line.kind === 'unrestricted') return [];
    const ofWays = line.by.flatMap((way) => [memberLever(line, way), policyLever(line, way) ?? []].flat());
    return [...ofWays, ...(line.kind === 'rule' ? [{ key: ruleAtKey(line.rule, line.place), edit: undefined }] : [])];
  };
  for (const { line } of decided.values())
    for (const { key, edit } of keysOf(line)) levers.set(key, { edit, lines: new Set(), kept: [], keptCount: 0 });
  for (const { line, row } of lines) {
    for (const { key } of keysOf(line)) {
      const lever = levers.get(key);
      if (lever === undefined) continue;
      if (decided.has(row.id)) lever.lines.add(row.id);
      else {
        lever.keptCount += 1;
        if (lever.kept.length < SHOWN) lever.kept.push(`${row.who} at ${row.place} (${row.may})`);
      }
    }
  }
  return levers;
}

/** What happens to the places of a rule: all of it goes, some actions stay, or all stays. */
type Fate = readonly AtomicAction[] | 'gone' | 'kept';

function planRules(
  definition: PolicySetDefinition,
  left: ReadonlyMap<string, DecidedLine>,
  done: ReadonlySet<string>,
  levers: ReadonlyMap<string, Lever>,
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
    const fates = new Map<ReviewedPlace, Fate>(
      about.map((place) => [place, fateOf(place, levers.get(ruleAtKey(rule, place)), left, done, written.actions)]),
    );
    withdraw(touched, fates);
    edits.push(...editsOf(rule, touched, fates));
    for (const id of ids) {
      const { line, decision } = left.get(id)!;
      const fate = line.kind === 'rule' ? fates.get(line.place) : 'kept';
      if (fate !== undefined && fate !== 'kept' && (fate === 'gone') === (decision.narrowTo === undefined))
        carried.add(id);
    }
  }
  return { edits, carried };
}

/** Something is done at a place only if all lines of the rule there have the same decision. Lines that other changes remove are ignored. */
function fateOf(
  place: ReviewedPlace,
  lever: Lever | undefined,
  left: ReadonlyMap<string, DecidedLine>,
  done: ReadonlySet<string>,
  actions: readonly AtomicAction[],
): Fate {
  if (lever === undefined || lever.keptCount > 0) return 'kept';
  const wanted = new Set(
    [...lever.lines]
      .filter((id) => !done.has(id))
      .map((id) => JSON.stringify(left.get(id)!.decision.narrowTo ?? 'gone')),
  );
  if (wanted.size !== 1) return 'kept';
  const fate = JSON.parse([...wanted][0]!) as Exclude<Fate, 'kept'>;
  if (fate === 'gone') return fate;
  // The line of a bucket does not say whether the holder sees the provider, so `providers:list` stays.
  return ATOMIC_ACTIONS.filter(
    (action) =>
      actions.includes(action) &&
      (fate.includes(action) || (action === 'providers:list' && place.bucket !== undefined)),
  );
}

/** Keeps selectors that concern several places with different fates, because a selector can only be removed or moved as a whole. */
function withdraw(touched: readonly (readonly ReviewedPlace[])[], fates: Map<ReviewedPlace, Fate>): void {
  for (let again = true; again;) {
    again = false;
    for (const places of touched) {
      if (
        places.every((place) => fates.get(place) === 'kept') ||
        places.every((place) => isSame(fates.get(place)!, fates.get(places[0]!)!))
      )
        continue;
      for (const place of places) fates.set(place, 'kept');
      again = true;
    }
  }
}

const isSame = (one: Fate, other: Fate) => JSON.stringify(one) === JSON.stringify(other);

function editsOf(
  rule: RuleRef,
  touched: readonly (readonly ReviewedPlace[])[],
  fates: ReadonlyMap<ReviewedPlace, Fate>,
): PlannedEdit[] {
  const groups = new Map<string, { readonly fate: Fate; readonly selectors: number[] }>();
  for (const [i, places] of touched.entries()) {
    // A selector that concerns no place that a request can name stays.
    const fate = places[0] === undefined ? 'kept' : fates.get(places[0])!;
    const group = groups.get(JSON.stringify(fate)) ?? { fate, selectors: [] };
    groups.set(JSON.stringify(fate), group);
    group.selectors.push(i);
  }
  const gone = groups.get('"gone"');
  const narrowed = [...groups.values()].filter(({ fate }) => typeof fate !== 'string');
  const stays = groups.has('"kept"') ? undefined : narrowed.shift();
  return [
    ...(gone === undefined ? [] : [{ do: 'drop selectors', rule, selectors: gone.selectors } as const]),
    ...(stays === undefined
      ? []
      : [{ do: 'keep actions', rule, actions: stays.fate as readonly AtomicAction[] } as const]),
    ...narrowed.map(
      ({ fate, selectors }) =>
        ({ do: 'move selectors', rule, selectors, actions: fate as readonly AtomicAction[] }) as const,
    ),
  ];
}

/** What else would be taken away, for each way in which the line could be removed. */
function reasonsFor(
  { line, decision }: DecidedLine,
  levers: ReadonlyMap<string, Lever>,
  { policies }: PolicySetDefinition,
): string[] {
  if (line.kind === 'admin')
    return [
      ...new Set(
        line.by.flatMap((way) =>
          alsoText('the same binding or local user also gives', levers.get(memberLever(line, way).key)),
        ),
      ),
    ];
  if (line.effect === 'deny') return ['it denies something, and without it somebody could gain'];
  const ways =
    decision.narrowTo !== undefined
      ? []
      : line.by.flatMap((way) =>
          alsoText(`${way.from} ${way.place + 1} also gives`, levers.get(memberLever(line, way).key)),
        );
  const source = policies.find(({ name }) => name === line.rule.policy)?.source;
  const rule = `rule ${line.rule.rule + 1} of \`${line.rule.policy}\``;
  if (source !== 'config')
    return [...new Set(ways), `${rule} is ${source === 'iam' ? 'imported from an IAM document' : 'built in'}`];
  const others = alsoText(`${rule} also is for`, levers.get(ruleAtKey(line.rule, line.place)));
  return [
    ...new Set([
      ...ways,
      ...(others.length > 0
        ? others
        : [`${rule} is about other places in the same selector, or other lines of it are decided otherwise`]),
    ]),
  ];
}

function alsoText(what: string, lever: Lever | undefined): string[] {
  if (lever === undefined || lever.keptCount === 0) return [];
  const more = lever.keptCount - lever.kept.length;
  return [`${what} ${lever.kept.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}
