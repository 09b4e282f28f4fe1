import type { Assignment } from '../../policy/index/principal.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import type { ReviewedPlace } from '../../policy/answers/place-index.ts';
import type { ReviewedLine } from '../../policy/answers/review.ts';
import {
  findCandidates,
  memberCandidate,
  policyCandidate,
  ruleAtKey,
  type Candidate,
  type DecidedLine,
  type PlannedEdit,
} from './plan-candidates.ts';
import { planRules } from './plan-rules.ts';
import type { ReviewRow } from './review-row.ts';

/** A decision that cannot be carried out without taking something else away, and the reasons. */
export type Refusal = { readonly row: ReviewRow; readonly reasons: readonly string[] };

export type Plan = { readonly edits: readonly PlannedEdit[]; readonly refused: readonly Refusal[] };

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
