import { describe, expect, it } from '@jest/globals';
import { summaryLine } from '../support/summary-reporter.ts';

const none = { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0, numTodoTests: 0 };

describe('summaryLine', () => {
  it('counts what passed and what failed', () => {
    expect(summaryLine({ ...none, numPassedTests: 12, numFailedTests: 3 })).toBe('12 passed, 3 failed');
  });

  it('counts a suite that could not run as failed', () => {
    expect(summaryLine({ ...none, numPassedTests: 1, numRuntimeErrorTestSuites: 1 })).toBe('1 passed, 1 failed');
  });

  it('names skipped and planned tests only when there are some', () => {
    expect(summaryLine({ ...none, numPassedTests: 1, numPendingTests: 2, numTodoTests: 1 })).toBe('1 passed, 0 failed, 3 skipped');
  });
});
