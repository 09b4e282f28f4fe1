import { readFileSync, statSync } from 'node:fs';
import { visible } from '../../format/visible.ts';
import { atomicActions, isActionName, type AtomicAction } from '../../policy/model/action.ts';
import { decideRequest } from '../../policy/index/decide-request.ts';
import type { PolicySet } from '../../policy/index/policy-set.ts';
import type { Decision } from '../../policy/model/decision.ts';
import { keyFault, type DotSegments } from '../../policy/model/name.ts';
import type { RuleRef, WrittenPolicy } from '../../policy/model/rule.ts';
import { resourceAt } from '../../policy/model/written-place.ts';
import { unknownAction } from './unknown-action.ts';
import { unreadable } from './regular-file.ts';
import { readYaml } from './yaml.ts';

/** A case: a request, and the expected decision. `at` is its number in its file, from 1. */
export type PolicyCase = {
  readonly at: number;
  readonly line: number | undefined;
  readonly subject: string;
  /** Undefined for the configured issuer. */
  readonly issuer: string | undefined;
  readonly groups: readonly string[];
  readonly action: string;
  readonly path: string;
  readonly expect: 'allow' | 'deny';
  readonly because: string | undefined;
};

/** The result of a case: a decision for each atomic action of the case's action. `fault` says why it differs from the expectation. */
export type CaseResult = PolicyCase & {
  readonly decided: 'allow' | 'deny' | undefined;
  readonly decisions: readonly (Decision & { readonly action: AtomicAction })[];
  readonly fault: string | undefined;
};

const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Reads the cases of a file, or says why it cannot be read. */
export function readCases(
  file: string,
):
  | { readonly cases: readonly PolicyCase[]; readonly fault?: undefined }
  | { readonly fault: string; readonly cases?: undefined } {
  const source = readSource(file);
  if (typeof source !== 'string') return { fault: `${file}: ${source.message}` };
  const yaml = readYaml(source);
  if (yaml.fault !== undefined)
    return { fault: `${file}${yaml.fault.line === undefined ? '' : `:${yaml.fault.line}`}: ${yaml.fault.message}` };
  if (!Array.isArray(yaml.value)) return { fault: `${file}: is not a list of cases; see \`svc policy test --help\`` };
  const cases: PolicyCase[] = [];
  for (const [i, value] of (yaml.value as unknown[]).entries()) {
    const line = yaml.lineOf(String(i));
    const read = caseOf(value);
    if (typeof read === 'string') return { fault: `${caseName(file, { at: i + 1, line })}: ${read}` };
    cases.push({ at: i + 1, line, ...read });
  }
  return { cases };
}

/** `cases.yaml:7: case 3`, for editors that jump to the line. */
export function caseName(file: string, { at, line }: Pick<PolicyCase, 'at' | 'line'>): string {
  return `${file}${line === undefined ? '' : `:${line}`}: case ${at}`;
}

function readSource(file: string): string | { readonly message: string } {
  try {
    return statSync(file).size > MAX_FILE_BYTES ? { message: 'is larger than 8 MiB' } : readFileSync(file, 'utf8');
  } catch (error) {
    return { message: unreadable(error) };
  }
}

const MEMBERS = ['subject', 'issuer', 'groups', 'action', 'path', 'expect', 'because'];

function caseOf(value: unknown): Omit<PolicyCase, 'at' | 'line'> | string {
  if (typeof value !== 'object' || value === null) return `has to be a mapping with ${MEMBERS.join(', ')}`;
  const { subject, issuer, groups = [], action, path, expect, because } = value as Record<string, unknown>;
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return `there is no member \`${visible(unknown)}\`; there are ${MEMBERS.join(', ')}`;
  if (typeof subject !== 'string' || typeof action !== 'string' || typeof path !== 'string')
    return 'needs `subject`, `action` and `path` as texts';
  if (issuer !== undefined && typeof issuer !== 'string') return '`issuer` has to be a text';
  if (expect !== 'allow' && expect !== 'deny') return '`expect` has to be `allow` or `deny`';
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string'))
    return '`groups` has to be a list of texts';
  return { subject, groups, action, path, expect, issuer, because: typeof because === 'string' ? because : undefined };
}

type InConfiguration = {
  /** For cases without one. */
  readonly issuer: string;
  /** What a provider does with keys that have a segment `.` or `..`. */
  readonly dotsOf: (provider: string) => DotSegments;
};

/** Decides each case. A key that the service refuses before it asks policy is denied, by no rule. */
export function runCases(cases: readonly PolicyCase[], policies: PolicySet, around: InConfiguration): CaseResult[] {
  return cases.map((one) => ({ ...one, ...outcomeOf(one, policies, around) }));
}

function outcomeOf(
  { subject, issuer: own, groups, action, path, expect, because }: PolicyCase,
  policies: PolicySet,
  { issuer, dotsOf }: InConfiguration,
): Pick<CaseResult, 'decided' | 'decisions' | 'fault'> {
  const undecided = (fault: string) => ({ decided: undefined, decisions: [], fault });
  if (!isActionName(action)) return undecided(unknownAction(action));
  const { grants } = policies.grantsFor({ issuer: own ?? issuer, subject, groups });
  const decisions: CaseResult['decisions'][number][] = [];
  let isRefused = false;
  for (const one of atomicActions(action)) {
    const resource = resourceAt(one, path);
    if ('fault' in resource) return undecided(resource.fault);
    if (resource.kind === 'object' && keyFault(resource.key, dotsOf(resource.provider)) !== undefined) isRefused = true;
    else decisions.push({ action: one, ...decideRequest(grants, one, resource) });
  }
  const decided = !isRefused && decisions.every(({ allowed }) => allowed) ? 'allow' : 'deny';
  return {
    decided,
    decisions,
    fault:
      decided === expect
        ? undefined
        : `\`${action}\` on \`${path}\` as \`${subject}\` is ${decided}, not ${expect}${because === undefined ? '' : ` (${because})`}`,
  };
}

/** How many rules decided at least one case. `percent` is rounded down, so that 100 means all of them. */
export type Coverage = {
  readonly rules: number;
  readonly decided: number;
  readonly percent: number;
  readonly undecided: readonly RuleRef[];
};

/** Computes which rules decide a case. Built-in rules are excluded. */
export function coverageOf(policies: readonly WrittenPolicy[], results: readonly CaseResult[]): Coverage {
  const idOf = ({ policy, rule }: RuleRef) => JSON.stringify([policy, rule]);
  const deciding = new Set(
    results.flatMap(({ decisions }) => decisions.flatMap(({ rule }) => (rule === undefined ? [] : [idOf(rule)]))),
  );
  const rules = policies
    .filter(({ source }) => source !== 'built-in')
    .flatMap(({ name, rules: written }) => written.map((_, rule): RuleRef => ({ policy: name, rule })));
  const undecided = rules.filter((rule) => !deciding.has(idOf(rule)));
  const decided = rules.length - undecided.length;
  return {
    rules: rules.length,
    decided,
    percent: rules.length === 0 ? 100 : Math.floor((100 * decided) / rules.length),
    undecided,
  };
}
