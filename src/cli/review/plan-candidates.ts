import type { AtomicAction } from '../../policy/model/action.ts';
import { principalId, type Principal, type Assignment } from '../../policy/index/principal.ts';
import type { ReviewedPlace } from '../../policy/answers/place-index.ts';
import type { ReviewedLine } from '../../policy/answers/review.ts';
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

/** A possible change of the configuration, and the review lines that it affects. */
export type Candidate = {
  readonly edit: PlannedEdit | undefined;
  readonly lines: Set<string>;
  readonly kept: string[];
  keptCount: number;
};

const SHOWN = 3;

type Keyed = { readonly key: string; readonly edit: PlannedEdit };
type Via = Pick<Assignment, 'from' | 'place' | 'role'>;

export function memberCandidate({ holder }: DecidedLine['line'], { from, place, role }: Via): Keyed {
  if (from === 'local user')
    return { key: JSON.stringify(['user', place, role]), edit: { do: 'take role', localUser: place, role: role! } };
  return {
    key: JSON.stringify(['member', place, principalId(holder)]),
    edit: { do: 'take from binding', binding: place, holder },
  };
}

export function policyCandidate(line: DecidedLine['line'], { from, place, role }: Via): Keyed | undefined {
  if (line.kind !== 'rule') return undefined;
  const { policy } = line.rule;
  if (role !== undefined)
    return { key: JSON.stringify(['role', role, policy]), edit: { do: 'drop from role', role, policy } };
  return from === 'binding'
    ? { key: JSON.stringify(['given', place, policy]), edit: { do: 'drop from binding', binding: place, policy } }
    : undefined;
}

export const ruleAtKey = (rule: RuleRef, { provider, bucket }: ReviewedPlace) =>
  JSON.stringify(['rule at', rule.policy, rule.rule, provider, bucket ?? null]);

/** All possible changes that would remove some decided line, with all lines that they affect. */
export function findCandidates(
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
