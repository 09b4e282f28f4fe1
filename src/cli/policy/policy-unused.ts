import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { policyEdits } from '../../config/edit/policy-patch.ts';
import { failedTests } from '../../config/compile/policy-tests.ts';
import { nameInPatch, unifiedDiff } from '../../config/edit/unified-diff.ts';
import { CannotEdit, editYaml } from '../../config/edit/yaml-edit.ts';
import { diffUnlessTooMany, type Change } from '../../policy/answers/diff.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import { applyNarrowings, narrowingOf, type Narrowing } from '../../policy/answers/narrowing.ts';
import { Usage, type RuleUsage } from '../../policy/answers/usage.ts';
import { resourceAt } from '../../policy/model/written-place.ts';
import { auditPlaceOf, noLineIn } from '../audit/audit-place.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import { loadPolicies, type LoadedPolicies } from './configured-policies.ts';
import type { AuditFiles, AuditHistory, AuditPlace, Edge } from '../terminal/edge.ts';
import { momentOf } from '../argument/moment.ts';
import { isGain } from './policy-diff.ts';
import { runPolicyTests } from './policy-test.ts';
import { isAmbiguous, usesIn } from './policy-uses.ts';
import { dayText, gapNotes, Seen, type Span } from './unused-notes.ts';

export type UnusedOptions = {
  readonly config: string;
  readonly audit?: string;
  readonly key?: readonly string[];
  readonly since: string;
  readonly from?: string;
  readonly to?: string;
};

/** A rule, how it was used, and how narrow it can be made. */
export type JudgedRule = RuleUsage & {
  readonly source: 'built-in' | 'config' | 'iam';
  readonly narrowing: Narrowing | undefined;
};

/** The comparison of granted and used access. */
export type Unused = {
  readonly loaded: LoadedPolicies;
  readonly span: Span;
  /** Whether the audit shows which objects were read. */
  readonly readsKnown: boolean;
  /** Limitations of the audit to consider. */
  readonly notes: readonly string[];
  readonly rules: readonly JudgedRule[];
  /** A patch of the configuration that makes its rules narrower; empty when none can be. */
  readonly patch: string;
  /** Who loses what with the patch. Nobody gains anything. Undefined when there are too many combinations. */
  readonly changes: readonly Change[] | undefined;
};

/** @throws {CliFailure} `audit_broken`, `audit_too_short`, `not_patchable`, and for a fault of the configuration or of an option. */
export async function findUnused(
  edge: Edge,
  { config, audit, key, since, from = since, to }: UnusedOptions,
): Promise<Unused> {
  const span = spanOf(from, to);
  const loaded = await loadPolicies(edge, config);
  const { definition } = loaded;
  if (!definition.enabled)
    throw usageFault(`\`${config}\` has \`policy.enabled: false\`: everybody may do everything, and no rule is used`);
  const place = await auditPlaceOf(audit, { config, ...(key !== undefined && { key }) }, edge);
  const files = await edge.audit();
  requireWhole(place, files);
  const history = files.history(place, span);
  requireLongEnough(history, span);

  const usage = new Usage(definition);
  const seen = new Seen(files.revisionOf(definition));
  for (const line of history.lines()) {
    const uses = usesIn(line, seen.revision);
    seen.take(line['policyRevision'], Date.parse(line.time), uses);
    if (isAmbiguous(line)) seen.ambiguous += 1;
    usage.saw(line);
    for (const use of uses) usage.take(use);
  }
  if (history.days.size === 0)
    throw new CliFailure(
      EXIT.failed,
      'the audit has no lines in that time, so it does not show which rules were used',
      'audit_too_short',
    );
  takeCases(usage, loaded);
  const readsKnown = history.reads === 'all' && history.lost === 0;
  const sources = new Map(definition.policies.map(({ name, source: from }) => [name, from]));
  const rules = usage.rules().map((one): JudgedRule => ({
    ...one,
    source: sources.get(one.rule.policy)!,
    narrowing: narrowingOf(one, readsKnown),
  }));
  const proposal = await propose(edge, { config, loaded, rules });
  return { loaded, span, readsKnown, notes: [...gapNotes(history, span), ...seen.notes()], rules, ...proposal };
}

function spanOf(since: string, to: string | undefined): Span {
  const end = to === undefined ? Date.now() : momentOf(to);
  const from = momentOf(since);
  if (from >= end) throw usageFault('--since has to be before --to, and before now');
  return { from, to: end };
}

/** @throws {CliFailure} `audit_broken` */
function requireWhole({ path, keys }: AuditPlace, files: AuditFiles): void {
  const chains = files.verifyAudit(path, keys, new Map());
  const broken = chains.filter(({ faults }) => faults.length > 0).map(({ name }) => name);
  if (chains.length === 0) throw new CliFailure(EXIT.failed, noLineIn(path), 'audit_broken');
  if (broken.length > 0)
    throw new CliFailure(
      EXIT.failed,
      `the audit is damaged or was changed (${broken.join(', ')}), so it does not show which rules were used; \`svc audit verify\` says what is wrong`,
      'audit_broken',
    );
}

/** @throws {CliFailure} `audit_too_short` */
function requireLongEnough({ begins }: AuditHistory, { from }: Span): void {
  if (begins === undefined || begins > from) {
    if (begins === undefined)
      throw new CliFailure(
        EXIT.failed,
        'the audit has no lines, so it does not show which rules were used',
        'audit_too_short',
      );
    const text = dayText(begins) === dayText(from) ? (moment: number) => new Date(moment).toISOString() : dayText;
    throw new CliFailure(
      EXIT.failed,
      `the audit begins on ${text(begins)}, after ${text(from)}: it does not show earlier use; ask for \`--since ${new Date(begins).toISOString()}\` or later`,
      'audit_too_short',
    );
  }
}

/** Access that a case of `policy.tests` expects must stay allowed. */
function takeCases(usage: Usage, loaded: LoadedPolicies): void {
  for (const { results } of runPolicyTests(loaded.tests, loaded).files) {
    for (const { expect, decisions, subject, issuer = loaded.issuer, path } of results) {
      for (const { allowed, action, rule } of expect === 'allow' ? decisions : []) {
        const on = resourceAt(action, path);
        if (allowed && !('fault' in on))
          usage.take({ action, on, person: { issuer, subject }, rule, time: undefined, counts: false });
      }
    }
  }
}

type Before = { readonly config: string; readonly loaded: LoadedPolicies; readonly rules: readonly JudgedRule[] };

/**
 * Makes a patch and computes what it changes. The patched files are compiled and compared with the intended definition.
 *
 * @throws {CliFailure} `not_patchable`
 */
async function propose(
  edge: Edge,
  { config, loaded: { definition, lines, tests }, rules }: Before,
): Promise<Pick<Unused, 'patch' | 'changes'>> {
  const some = rules.flatMap(({ source, narrowing, written, rule }) =>
    source === 'config' && narrowing !== undefined ? [{ ...narrowing, written, ...lines.ofRule(rule)! }] : [],
  );
  if (some.length === 0) return { patch: '', changes: [] };
  try {
    const instead = new Map<string, string>();
    const patches = [...Map.groupBy(some, ({ file }) => file)].map(([file, inFile]) => {
      const source = readFileSync(file, 'utf8');
      const { text, cuts } = editYaml(source, policyEdits(source, inFile));
      instead.set(file, text);
      return unifiedDiff(nameInPatch(file, process.cwd()), source, cuts);
    });
    const after = await loadPolicies(edge, config, { instead });
    if (!isDeepStrictEqual(unordered(after.definition), unordered(applyNarrowings(definition, some))))
      throw new CannotEdit('the patched configuration would differ from the intended one');
    const [fault] = failedTests(tests, after.definition, after.buckets);
    if (fault !== undefined) throw new CannotEdit(fault.message);
    const changes = diffUnlessTooMany(definition, after.definition);
    if (changes?.some(isGain) === true) throw new CannotEdit('somebody would gain access');
    return { patch: patches.join(''), changes };
  } catch (error) {
    if (error instanceof CannotEdit || (error instanceof CliFailure && error.code === 'config'))
      throw new CliFailure(EXIT.failed, `\`${config}\` cannot be edited: ${error.message}`, 'not_patchable');
    throw error;
  }
}

/** A definition in which the order of rules and of their members does not matter, for comparisons. */
function unordered(definition: PolicySetDefinition): unknown {
  const textOf = (rule: object): string =>
    JSON.stringify(rule, (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  return {
    ...definition,
    policies: definition.policies.map((policy) => ({ ...policy, rules: policy.rules.map(textOf).sort() })),
  };
}
