import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { AggregatedResult, TestResult } from '@jest/test-result';

/** What a run tells: the first test that failed, and how long each file took, in milliseconds. */
export type Outcome = { readonly failed?: string; readonly milliseconds: Readonly<Record<string, number>> };

/** Writes the outcome to the file that `SVC_TEST_OUTCOME` names. With `--bail` Jest ends before it writes its own results. */
// eslint-disable-next-line no-restricted-syntax -- jest takes a reporter from the default export
export default class OutcomeReporter {
  onRunComplete(_contexts: unknown, { testResults }: AggregatedResult): void {
    const [failed] = testResults.flatMap(failureOf);
    const milliseconds = Object.fromEntries(testResults.map(({ testFilePath, perfStats }) => [relative('.', testFilePath), perfStats.end - perfStats.start]));
    const outcome: Outcome = { ...(failed === undefined ? {} : { failed }), milliseconds };
    writeFileSync(process.env['SVC_TEST_OUTCOME']!, JSON.stringify(outcome));
  }
}

function failureOf({ testFilePath, testExecError, testResults }: TestResult): readonly string[] {
  const failed = testResults.find(({ status }) => status === 'failed')?.fullName ?? testExecError?.message;
  return failed === undefined ? [] : [`${relative('.', testFilePath)}: ${failed}`];
}
