import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The two runners of the suite: jest for the server, Playwright for the browser. */
export const RUNNERS = ['jest', 'playwright'] as const;
export type Runner = (typeof RUNNERS)[number];

export type TestTime = { readonly name: string; readonly ms: number; readonly isFailed: boolean };

/** What a runner counted. */
export type TestResults = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly times: readonly TestTime[];
};

/** Names the folder where each runner leaves its results. */
export const RESULTS_FOLDER = 'SVC_TEST_RESULTS';

/** Leaves the results of a runner in the folder that `SVC_TEST_RESULTS` names, if it names one. */
export function writeResults(runner: Runner, results: TestResults): void {
  const folder = process.env[RESULTS_FOLDER];
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(folder, runner), JSON.stringify(results));
}

/** The results of both runners. One that left none did not run to its end: that counts as a failure. */
export function readResults(folder: string): readonly TestResults[] {
  return RUNNERS.map((runner) => {
    const file = fileOf(folder, runner);
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as TestResults)
      : { passed: 0, failed: 1, skipped: 0, times: [] };
  });
}

/** One line for a machine. */
export function summaryLine(results: readonly TestResults[]): string {
  const sum = (what: 'passed' | 'failed' | 'skipped') => results.reduce((total, each) => total + each[what], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The names of the tests that failed, one a line. */
export function failedTests(results: readonly TestResults[]): string {
  const failed = results.flatMap((each) => each.times).filter(({ isFailed }) => isFailed);
  return failed.length === 0 ? '' : `the failed tests:\n${failed.map(({ name }) => `  ${name}\n`).join('')}\n`;
}

/** The slowest tests of both runners, one a line, the slowest first. */
export function slowestTests(results: readonly TestResults[], count = 10): string {
  const times = results.flatMap((each) => each.times).sort((a, b) => b.ms - a.ms);
  return times
    .slice(0, count)
    .map(({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${name}`)
    .join('\n');
}

function fileOf(folder: string, runner: Runner): string {
  return join(folder, `${runner}.json`);
}
