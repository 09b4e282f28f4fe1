import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { resultsOf as resultsOfPlaywright } from '../support/browser-reporter.ts';
import { resultsOf as resultsOfJest } from '../support/jest-reporter.ts';
import { ONE_PROCESS } from '../support/one-process.ts';
import {
  failedTests,
  readResults,
  RESULTS_FOLDER,
  slowestTests,
  summaryLine,
  writeResults,
} from '../support/test-results.ts';

const none = { passed: 0, failed: 0, skipped: 0, times: [] };

describe('summaryLine', () => {
  it('adds up what passed and what failed', () => {
    expect(
      summaryLine([
        { ...none, passed: 12, failed: 3 },
        { ...none, passed: 30, failed: 1 },
      ]),
    ).toBe('42 passed, 4 failed');
  });

  it('names skipped tests only when there are some', () => {
    expect(
      summaryLine([
        { ...none, passed: 1, skipped: 2 },
        { ...none, skipped: 1 },
      ]),
    ).toBe('1 passed, 0 failed, 3 skipped');
  });
});

describe('the results of jest', () => {
  const counts = {
    numPassedTests: 0,
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [],
  };

  it('count a suite that could not run as failed, and planned tests as skipped', () => {
    const results = resultsOfJest({
      ...counts,
      numPassedTests: 1,
      numFailedTests: 1,
      numRuntimeErrorTestSuites: 1,
      numPendingTests: 2,
      numTodoTests: 1,
    });
    expect(results).toEqual({ passed: 1, failed: 2, skipped: 3, times: [] });
  });

  it('count a test that needs the service in its own process as skipped, and those for which it was not started, and no other', () => {
    const test = (status: 'passed' | 'failed', title: string, why = '', ...ancestorTitles: string[]) =>
      ({ status, title, ancestorTitles, failureMessages: [why], duration: 1 }) as never;
    const apart = `Error: ${ONE_PROCESS}: the test moves the clock`;
    const file = (...testResults: never[]) => ({ testFilePath: '/a.test.ts', testResults }) as never;
    const testResults = [
      file(test('failed', 'one', apart), test('failed', 'two', 'another reason'), test('passed', 'three')),
      file(
        test('failed', '(beforeAll)', apart, 'with a clock'),
        test('failed', 'four', 'the service is undefined', 'with a clock', 'that moves'),
        test('failed', 'five', 'the service is undefined', 'without'),
      ),
    ];
    const { passed, failed, skipped, times } = resultsOfJest({
      ...counts,
      numPassedTests: 1,
      numFailedTests: 5,
      testResults,
    });
    expect({ passed, failed, skipped }).toEqual({ passed: 1, failed: 2, skipped: 3 });
    expect(times.filter(({ isFailed }) => isFailed).map(({ name }) => name.split(': ')[1])).toEqual([
      'two',
      'without five',
    ]);
  });
});

describe('the results of Playwright', () => {
  const test = (outcome: 'expected' | 'unexpected' | 'flaky' | 'skipped', results: number) => ({
    titlePath: () => ['', '', 'a.test.ts', 'a folder', 'opens'],
    outcome: () => outcome,
    results: Array.from({ length: results }, () => ({ duration: 20 })) as never,
  });

  it('count a flaky test, a test that was never reached, and an error outside of tests as failed', () => {
    const tests = [
      test('expected', 1),
      test('unexpected', 1),
      test('flaky', 2),
      test('skipped', 1),
      test('skipped', 0),
    ];
    expect(resultsOfPlaywright(tests, 1)).toMatchObject({ passed: 1, failed: 4, skipped: 1 });
  });

  it('name each test with its file, and add up the time of its tries', () => {
    expect(resultsOfPlaywright([test('flaky', 2)], 0).times).toEqual([
      { name: 'tests/e2e/a.test.ts: a folder opens', ms: 40, isFailed: true },
    ]);
  });
});

describe('the results of both', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-results-'));
    process.env[RESULTS_FOLDER] = folder;
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    Reflect.deleteProperty(process.env, RESULTS_FOLDER);
  });

  it('count a runner that left no results as one failure', () => {
    writeResults('jest', { ...none, passed: 7 });
    expect(summaryLine(readResults(folder))).toBe('7 passed, 1 failed');
    writeResults('playwright', { ...none, passed: 2 });
    expect(summaryLine(readResults(folder))).toBe('9 passed, 0 failed');
  });
});

describe('the tests of both', () => {
  const results = [
    {
      ...none,
      times: [
        { name: 'a', ms: 900, isFailed: true },
        { name: 'b', ms: 20_040, isFailed: false },
      ],
    },
    { ...none, times: [{ name: 'c', ms: 1_000, isFailed: true }] },
  ];

  it('are listed, the slowest first, up to a count', () => {
    expect(slowestTests(results, 2)).toBe('  20.0 s  b\n   1.0 s  c');
  });

  it('are named where they failed, and nothing is said where none did', () => {
    expect([failedTests(results), failedTests([none])]).toEqual(['the failed tests:\n  a\n  c\n\n', '']);
  });
});
