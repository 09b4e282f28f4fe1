import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AggregatedResult } from '@jest/test-result';

/** One line for a machine: a suite that could not even run counts as failed. */
export function summaryLine(results: Pick<AggregatedResult, 'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites' | 'numPendingTests' | 'numTodoTests'>): string {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Writes the summary line to the file that `SVC_TEST_SUMMARY` names, so that `.ci/run` can end with it. */
// eslint-disable-next-line no-restricted-syntax -- jest takes a reporter from the default export
export default class SummaryReporter {
  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    const file = process.env['SVC_TEST_SUMMARY'];
    if (file === undefined || file === '') return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${summaryLine(results)}\n`);
  }
}
