import { relative } from 'node:path';
import type { AggregatedResult } from '@jest/test-result';
import { writeResults, type TestResults } from './test-results.ts';

type Counted = Pick<
  AggregatedResult,
  'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites' | 'numPendingTests' | 'numTodoTests' | 'testResults'
>;

/** A suite that could not even run counts as failed. */
export function resultsOf(results: Counted): TestResults {
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
    times: results.testResults.flatMap(({ testFilePath, testResults }) =>
      testResults.map(({ ancestorTitles, title, duration, status }) => ({
        name: `${relative(process.cwd(), testFilePath)}: ${[...ancestorTitles, title].join(' ')}`,
        ms: duration ?? 0,
        isFailed: status === 'failed',
      })),
    ),
  };
}

/** Leaves the results of jest for `scripts/test.ts`. */
// eslint-disable-next-line import/no-default-export -- jest takes a reporter from the default export
export default class JestReporter {
  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    writeResults('jest', resultsOf(results));
  }
}
