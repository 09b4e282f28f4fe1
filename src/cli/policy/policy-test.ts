import { writeFile } from 'node:fs/promises';
import {
  caseName,
  coverageOf,
  readCases,
  runCases,
  type CaseResult,
  type Coverage,
} from '../../config/read/policy-cases.ts';
import { dotsIn } from '../../config/compile/bucket-owners.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import type { LoadedPolicies } from './configured-policies.ts';
import { junitXml } from '../terminal/junit.ts';
import { ruleText } from './policy-text.ts';
import { columns, count } from '../terminal/text.ts';

export type TestedFile = { readonly file: string; readonly results: readonly CaseResult[] };
export type PolicyTestRun = { readonly files: readonly TestedFile[]; readonly coverage: Coverage };

/**
 * Decides each case of the files.
 *
 * @throws {CliFailure} usage: a file is not a list of cases.
 */
export function runPolicyTests(
  files: readonly string[],
  { policies, definition, issuer, buckets }: LoadedPolicies,
): PolicyTestRun {
  const tested = files.map((file): TestedFile => {
    const { cases, fault } = readCases(file);
    if (fault !== undefined) throw usageFault(fault);
    return { file, results: runCases(cases, policies, { issuer, dotsOf: dotsIn(buckets) }) };
  });
  return {
    files: tested,
    coverage: coverageOf(
      definition.policies,
      tested.flatMap(({ results }) => results),
    ),
  };
}

/** The cases with unexpected results, one per line. */
export function failureLines({ files }: PolicyTestRun): string[] {
  return files.flatMap(({ file, results }) =>
    results.flatMap((result) => (result.fault === undefined ? [] : [`${caseName(file, result)}: ${result.fault}`])),
  );
}

/** A row for each case, and the rules that decide none of them. */
export function testTable({ files, coverage }: PolicyTestRun, { lines }: LoadedPolicies): string[] {
  const results = files.flatMap((one) => one.results);
  const failed = results.filter(({ fault }) => fault !== undefined).length;
  const of = (rule: Coverage['undecided'][number]) => ruleText(rule, lines.ofRule(rule));
  return [
    ...columns(
      results.map((one) => [
        one.fault === undefined ? 'ok' : 'FAILED',
        whoText(one),
        one.action,
        one.path,
        outcomeText(one),
        byText(one, of),
      ]),
    ),
    `${count(results.length - failed, 'case')} as expected${failed === 0 ? '' : `, ${failed} not`}`,
    `${coverage.decided} of ${count(coverage.rules, 'rule')} decided a case: ${coverage.percent} %`,
    ...coverage.undecided.map((rule) => `  no case is decided by ${of(rule)}`),
  ];
}

function whoText({ subject, groups }: CaseResult): string {
  return groups.length === 0 ? subject : `${subject} (${groups.join(', ')})`;
}

function outcomeText({ decided, expect }: CaseResult): string {
  if (decided === undefined) return 'cannot be asked';
  return decided === expect ? decided : `${decided}, not ${expect}`;
}

/** The rules that decided. */
function byText({ decisions }: CaseResult, of: (rule: Coverage['undecided'][number]) => string): string {
  const rules = decisions.flatMap(({ rule }) => (rule === undefined ? [] : [of(rule)]));
  if (decisions.length > 0 && rules.length === 0) return 'no rule allows it';
  return rules.length === 0 ? '' : `by ${[...new Set(rules)].join(', ')}`;
}

/** The results for scripts. */
export function testJson({ files, coverage }: PolicyTestRun): object {
  const cases = files.flatMap(({ file, results }) => results.map((result) => ({ file, ...result })));
  const failed = cases.flatMap(({ file, at, line, fault }) =>
    fault === undefined ? [] : [{ file, at, line, message: fault }],
  );
  return { passed: cases.length - failed.length, failed, cases, coverage };
}

/** Writes the results for programs that show test results. */
export async function writeJunit(path: string, { files }: PolicyTestRun): Promise<void> {
  const suites = files.map(({ file, results }) => ({
    name: file,
    cases: results.map((one) => ({
      name: `${one.at}: ${one.action} on ${one.path} as ${whoText(one)} is ${one.expect}`,
      line: one.line,
      failure: one.fault,
    })),
  }));
  await writeFile(path, junitXml('svc policy test', suites));
}
