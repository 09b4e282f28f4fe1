import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { AggregatedResult, AssertionResult, TestResult } from '@jest/test-result';

/** `isDoubtful`: the machine could be the reason, because it is busy, or because a file could not be loaded. */
export type Failure = { readonly file: string; readonly what: string; readonly isDoubtful: boolean };

export type LongTest = { readonly file: string; readonly name: string; readonly milliseconds: number };

/** What a run tells. */
export type Outcome = {
  /** The first test that failed, or the first file that could not run. */
  readonly failed?: Failure;
  /** Tests that failed, by their full names. */
  readonly failing: readonly string[];
  /** Tests that passed, and lasted longer than {@link LONG_MS}. */
  readonly long: readonly LongTest[];
  /** How long each file took without these, in milliseconds. */
  readonly milliseconds: Readonly<Record<string, number>>;
};

const LONG_MS = 10_000;
/** Tests give no less time to what they wait for. */
const LATE_MS = 1_000;

/** Writes the outcome to the file that `SVC_TEST_OUTCOME` names. With `--bail` Jest ends before it writes its own results. */
// eslint-disable-next-line import/no-default-export -- jest takes a reporter from the default export
export default class OutcomeReporter {
  onRunComplete(_contexts: unknown, { testResults: files }: AggregatedResult): void {
    const [failed] = files.flatMap(failureOf);
    const outcome: Outcome = {
      ...(failed === undefined ? {} : { failed }),
      failing: files.flatMap(({ testResults }) => testResults.filter(isFailed).map(({ fullName }) => fullName)),
      long: files.flatMap(({ testFilePath, testResults }) =>
        testResults.filter(isLong).map(({ fullName: name, duration }) => ({
          file: relative('.', testFilePath),
          name,
          milliseconds: duration ?? 0,
        })),
      ),
      milliseconds: Object.fromEntries(files.map((file) => [relative('.', file.testFilePath), fitMilliseconds(file)])),
    };
    writeFileSync(process.env['SVC_TEST_OUTCOME']!, JSON.stringify(outcome));
  }
}

function failureOf({ testFilePath, testExecError, testResults }: TestResult): readonly Failure[] {
  const file = relative('.', testFilePath);
  const failed = testResults.find(isFailed);
  if (failed !== undefined) return [{ file, what: failed.fullName, isDoubtful: isLate(failed) }];
  return testExecError === undefined ? [] : [{ file, what: testExecError.message, isDoubtful: true }];
}

/** The time of a hook for all tests counts for none of them; its message tells. */
const isLate = ({ duration, failureMessages }: AssertionResult): boolean =>
  (duration ?? 0) > LATE_MS || failureMessages.some((message) => message.includes('Exceeded timeout of'));

const isFailed = ({ status }: AssertionResult): boolean => status === 'failed';
const isLong = ({ status, duration }: AssertionResult): boolean => status === 'passed' && (duration ?? 0) > LONG_MS;

function fitMilliseconds({ perfStats, testResults }: TestResult): number {
  return testResults
    .filter((test) => isFailed(test) || isLong(test))
    .reduce((rest, { duration }) => rest - (duration ?? 0), perfStats.end - perfStats.start);
}
