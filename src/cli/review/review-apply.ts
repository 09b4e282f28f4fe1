import { CannotEdit } from '../../config/edit/yaml-edit.ts';
import { faultLine } from '../../config/read/fault.ts';
import { loadPolicy } from '../../config/load.ts';
import { failedTests } from '../../config/compile/policy-tests.ts';
import type { AtomicAction } from '../../policy/model/action.ts';
import { diffUnlessTooMany, type Change } from '../../policy/answers/diff.ts';
import { principalId } from '../../policy/index/principal.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import type { ReviewedPlace } from '../../policy/answers/place-index.ts';
import { reviewAccess, reviewedPlaces, type ReviewedLine } from '../../policy/answers/review.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { LoadedPolicies } from '../policy/configured-policies.ts';
import type { Edge } from '../terminal/edge.ts';
import { otherThanRead, readDecisions, type Decision } from './review-decisions.ts';
import { patchFiles } from './review-edits.ts';
import type { DecidedLine } from './plan-candidates.ts';
import { planReview } from './review-plan.ts';
import { ReviewRows } from './review-row.ts';

/**
 * The result of applying a review: a patch of the configuration, and what it changes. `changes` is undefined when there are too many combinations of people.
 */
export type AppliedReview = {
  readonly patch: string;
  readonly removed: number;
  readonly narrowed: number;
  readonly changes: readonly Change[] | undefined;
};

/**
 * Makes the patch that takes away exactly what a review decided. What everybody may do afterwards is computed from the patched files, line by line, and
 * compared with the decisions.
 *
 * @param filled - the table with the decisions.
 * @param directory - the directory to which file names in the patch are relative.
 * @throws {CliFailure} with each decision that cannot be carried out, by its line.
 */
export function applyReview(
  loaded: LoadedPolicies,
  {
    env,
    file,
    filled,
    directory,
  }: { readonly env: Edge['env']; readonly file: string; readonly filled: string; readonly directory: string },
): AppliedReview {
  const decisions = readDecisions(filled);
  if (decisions.length === 0) return { patch: '', removed: 0, narrowed: 0, changes: [] };
  if (!loaded.signIn || !loaded.definition.enabled)
    throw refused(['policy or sign-in is off, so that no rule counts: there is nothing to take away']);
  const { definition } = loaded;
  const places = reviewedPlaces(definition, loaded.buckets);
  const decided = decidedLines(decisions, loaded, places);
  const { edits, refused: left } = planReview(definition, decided, places, rowsOf(loaded, places));
  if (left.length > 0)
    throw refused(
      left.map(
        ({ row, reasons }) =>
          `${row.id} (${row.who} at ${row.place}): cannot be taken away without others losing: ${reasons.join('; ')}. Decide those lines in the same way, or give this one a rule or binding of its own first`,
      ),
    );
  const { texts, patch } = patched(() => patchFiles(edits, loaded, directory));
  const after = loadPolicy({ file, env, instead: texts });
  const faults = after.faults ?? failedTests(after.tests, after.policy, after.buckets);
  if (after.policy === undefined || faults.length > 0)
    throw refused(['the patched configuration would not be valid:', ...faults.map((fault) => faultLine(file, fault))]);
  requireExact(definition, after.policy, places, decided, loaded);
  const narrowed = [...decided.values()].filter(({ decision }) => decision.narrowTo !== undefined).length;
  return { patch, removed: decided.size - narrowed, narrowed, changes: diffUnlessTooMany(definition, after.policy) };
}

function refused(messages: readonly string[]): CliFailure {
  return new CliFailure(EXIT.failed, messages, 'review_refused');
}

function* rowsOf(loaded: LoadedPolicies, places: readonly ReviewedPlace[]) {
  const rows = new ReviewRows(loaded);
  for (const line of reviewAccess(loaded.definition, places)) yield { line, row: rows.of(line) };
}

/** Matches each decision with its line. Decisions whose line no longer exists, or that make no sense, are refused by name. */
function decidedLines(
  decisions: readonly Decision[],
  loaded: LoadedPolicies,
  places: readonly ReviewedPlace[],
): ReadonlyMap<string, DecidedLine> {
  const open = new Map(decisions.map((decision) => [decision.id, decision]));
  const decided = new Map<string, DecidedLine>();
  const faults: string[] = [];
  for (const { line, row } of rowsOf(loaded, places)) {
    const decision = open.get(row.id);
    if (decision === undefined || line.kind === 'unrestricted') continue;
    open.delete(row.id);
    const fault = otherThanRead(decision, row) ?? unfit(line, decision.narrowTo);
    if (fault === undefined) decided.set(row.id, { line, row, decision });
    else faults.push(`${decisionText(decision)}: ${fault}`);
  }
  for (const decision of open.values())
    faults.push(
      `${decisionText(decision)}: the configuration has no such line any more; it was changed since, so take a new review`,
    );
  if (faults.length > 0) throw refused(faults);
  return decided;
}

function decisionText({ id, at, read }: Decision): string {
  return `line ${at} of the table (${id}, ${read['who'] ?? ''} at ${read['place'] ?? ''})`;
}

/** The reason why a decision makes no sense for its line. */
function unfit(
  line: Exclude<ReviewedLine, { kind: 'unrestricted' }>,
  narrowTo: readonly AtomicAction[] | undefined,
): string | undefined {
  if (line.kind === 'rule' && line.effect === 'deny')
    return 'it is a deny: removing it would grant access, which a review must not do';
  if (narrowTo === undefined) return undefined;
  if (line.kind === 'admin') return 'administration cannot be narrowed';
  return narrowTo.some((action) => !line.written.actions.includes(action))
    ? '`narrow_to` names an action that its rule does not allow'
    : undefined;
}

function patched<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof CannotEdit) throw refused([error.message]);
    throw error;
  }
}

/** Checks for every holder at every place that the access after the patch equals the access before it minus the decisions. */
function requireExact(
  before: PolicySetDefinition,
  after: PolicySetDefinition,
  places: readonly ReviewedPlace[],
  decided: ReadonlyMap<string, DecidedLine>,
  loaded: LoadedPolicies,
): void {
  const rows = new ReviewRows(loaded);
  const wanted = (line: ReviewedLine): ReviewedLine | undefined => {
    const decision = decided.get(rows.of(line).id)?.decision;
    if (decision === undefined || line.kind === 'unrestricted') return line;
    if (decision.narrowTo === undefined || line.kind === 'admin') return undefined;
    const { narrowTo } = decision;
    return {
      ...line,
      regions: line.regions
        .map((region) => ({ ...region, actions: region.actions.filter((action) => narrowTo.includes(action)) }))
        .filter(({ actions }) => actions.length > 0),
    };
  };
  const [expected, found] = [
    byPlace(reviewAccess(before, places), places, wanted),
    byPlace(reviewAccess(after, places), places, (line) => line),
  ];
  for (let one = expected.next(); ; one = expected.next()) {
    const other = found.next();
    if (one.done === true && other.done === true) return;
    if (one.value !== other.value)
      throw refused(['the patch would not do exactly what was decided; nothing is printed. Please report this']);
  }
}

/** Yields one text per place with the access of all holders, beginning with the administrators of the service. */
function* byPlace(
  lines: Iterable<ReviewedLine>,
  places: readonly ReviewedPlace[],
  change: (line: ReviewedLine) => ReviewedLine | undefined,
): Generator<string, void, void> {
  const all = lines[Symbol.iterator]();
  let next = all.next();
  for (const place of [undefined, ...places]) {
    const said: string[] = [];
    for (; next.done !== true && ('place' in next.value ? next.value.place : undefined) === place; next = all.next()) {
      const line = change(next.value);
      if (line === undefined || line.kind === 'unrestricted') continue;
      if (line.kind === 'admin') said.push(principalId(line.holder));
      else if (line.regions.length > 0)
        said.push(
          JSON.stringify([
            principalId(line.holder),
            line.isLocal,
            line.rule.policy,
            line.effect,
            textsOf(line.regions.map(({ actions, selector, except }) => [actions, selector, textsOf(except)])),
          ]),
        );
    }
    yield said.sort().join('\n');
  }
}

/** The same texts for the same members, in whatever order they come. */
function textsOf(members: readonly unknown[]): string[] {
  return members.map((member) => JSON.stringify(member)).sort();
}
