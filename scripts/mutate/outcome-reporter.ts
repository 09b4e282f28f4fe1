import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { AggregatedResult, AssertionResult, TestResult } from '@jest/test-result';

/** What a run tells. */
export type Outcome = {
  /** The first test that failed, or the first file that could not run. */
  readonly failed?: string;
  /** Tests that failed, or lasted longer than {@link LONG_MS}, by their full names. */
  readonly unfit: readonly string[];
  /** How long each file took without these, in milliseconds. */
  readonly milliseconds: Readonly<Record<string, number>>;
};

const LONG_MS = 10_000;

/** Writes the outcome to the file that `SVC_TEST_OUTCOME` names. With `--bail` Jest ends before it writes its own results. */
// eslint-disable-next-line no-restricted-syntax -- jest takes a reporter from the default export
export default class OutcomeReporter {
  onRunComplete(_contexts: unknown, { testResults: files }: AggregatedResult): void {
    const [failed] = files.flatMap(failureOf);
    const outcome: Outcome = {
      ...(failed === undefined ? {} : { failed }),
      unfit: files.flatMap(({ testResults }) => testResults.filter(isUnfit).map(({ fullName }) => fullName)),
      milliseconds: Object.fromEntries(files.map((file) => [relative('.', file.testFilePath), fitMilliseconds(file)])),
    };
    writeFileSync(process.env['SVC_TEST_OUTCOME']!, JSON.stringify(outcome));
  }
}

function failureOf({ testFilePath, testExecError, testResults }: TestResult): readonly string[] {
  const failed = testResults.find(({ status }) => status === 'failed')?.fullName ?? testExecError?.message;
  return failed === undefined ? [] : [`${relative('.', testFilePath)}: ${failed}`];
}

const isUnfit = ({ status, duration }: AssertionResult): boolean => status === 'failed' || (duration ?? 0) > LONG_MS;

function fitMilliseconds({ perfStats, testResults }: TestResult): number {
  return testResults.filter(isUnfit).reduce((rest, { duration }) => rest - (duration ?? 0), perfStats.end - perfStats.start);
}
