import { relative } from 'node:path';
import type { AggregatedResult, TestResult } from '@jest/test-result';
import { ONE_PROCESS, WORKERS } from './one-process.ts';
import { writeResults, type TestResults } from './test-results.ts';

type Counted = Pick<
  AggregatedResult,
  'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites' | 'numPendingTests' | 'numTodoTests'
> & { readonly testResults: readonly (Pick<TestResult, 'testFilePath' | 'testResults'> & Partial<TestResult>)[] };
type Test = TestResult['testResults'][number];

/** A suite that could not even run counts as failed, and a test that needs the service in its own process as skipped. */
export function resultsOf(results: Counted): TestResults {
  const apart = new Set(results.testResults.flatMap(({ testResults }) => apartOf(testResults)));
  // What ends the service of a file that has none is no failure of its own.
  const broken = results.testResults.filter(
    ({ testExecError, testResults }) => testExecError != null && testResults.some((test) => apart.has(test)),
  );
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests - apart.size + results.numRuntimeErrorTestSuites - broken.length,
    skipped: results.numPendingTests + results.numTodoTests + apart.size,
    times: results.testResults.flatMap(({ testFilePath, testResults }) =>
      testResults.map((test) => ({
        name: `${relative(process.cwd(), testFilePath)}: ${[...test.ancestorTitles, test.title].join(' ')}`,
        ms: test.duration ?? 0,
        isFailed: test.status === 'failed' && !apart.has(test),
      })),
    ),
  };
}

/** The tests of a file that failed because they need the service in its own process, and those for which it was not started therefore. */
function apartOf(tests: readonly Test[]): readonly Test[] {
  const failed = tests.filter(({ status }) => status === 'failed');
  const told = failed.filter((test) => reasonOf(test) !== undefined);
  const scopes = told.filter(({ title }) => title.startsWith('(before')).map(({ ancestorTitles }) => ancestorTitles);
  return failed.filter(
    (test) =>
      told.includes(test) || scopes.some((scope) => scope.every((title, at) => title === test.ancestorTitles[at])),
  );
}

function reasonOf({ failureMessages }: Test): string | undefined {
  return new RegExp(`${ONE_PROCESS}: (.*)`).exec(failureMessages.join('\n'))?.[1];
}

/** Leaves the results of jest for `scripts/test.ts`. With workers it tells of each file itself, because jest shows skipped tests as failed. */
// eslint-disable-next-line import/no-default-export -- jest takes a reporter from the default export
export default class JestReporter {
  onTestResult(_test: unknown, { testFilePath, testResults, testExecError, failureMessage }: TestResult): void {
    if (WORKERS === undefined) return;
    const apart = apartOf(testResults);
    const failed = testResults.filter((test) => test.status === 'failed' && !apart.includes(test));
    const isBroken = testExecError != null && apart.length === 0;
    const reasons = [...new Set(apart.flatMap((test) => reasonOf(test) ?? []))];
    process.stdout.write(
      [
        `${relative(process.cwd(), testFilePath)}: ${failed.length > 0 || isBroken ? 'failed' : 'passed'}`,
        ...(apart.length === 0 ? [] : [`  ${apart.length} ${ONE_PROCESS}: ${reasons.join('; ')}`]),
        ...failed.flatMap((test) => [`  ${[...test.ancestorTitles, test.title].join(' ')}`, ...test.failureMessages]),
        ...(isBroken ? [failureMessage ?? ''] : []),
        '',
      ].join('\n'),
    );
  }

  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    writeResults('jest', resultsOf(results));
  }
}
