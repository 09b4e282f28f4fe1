/**
 * `npm test` (core) and `npm run test:system`: runs the tests of both runners, also when the first has failures, and ends with the slowest tests and one line
 * that counts all. `npm run test:workers` does it with the tests that ask the service over HTTP, which then runs with two workers.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BROWSER } from '../tests/support/browser-path.ts';
import {
  failedTests,
  readResults,
  RESULTS_FOLDER,
  RUNNERS,
  slowestTests,
  summaryLine,
  writeResults,
} from '../tests/support/test-results.ts';

const SUITES = ['core', 'system'] as const;
type Suite = (typeof SUITES)[number];

const SCRIPTS = {
  jest: (suite: Suite) => ['test:only', '--', '--selectProjects', ...(suite === 'core' ? ['core', 'apart'] : [suite])],
  playwright: (suite: Suite) => ['test:browser', '--', '--project', suite],
} as const;
/** A core test that hangs has no time limit of its own. */
const LIMIT_MS = { core: 30 * 60_000, system: undefined } as const;
const LEFT_OUT =
  'left out: the system tests, which need servers and packages (`npm run test:install` lists them). Run `npm run test:system`.';
const NO_BROWSER = 'left out: the browser tests, because this machine has no Chromium; CHROMIUM_PATH can name one.';

const WITH_WORKERS = ['http', 'rpc', 's3', 's3key', 'cli'].flatMap((name) => [
  `tests/${name}/`,
  `tests/system/${name}/`,
]);

const folderOf = (suite: Suite): string => join(import.meta.dirname, '../.cache/test-results', suite);

const [suite, load] = process.argv.slice(2);
if (suite === 'count') count();
else if (suite === 'workers') process.exitCode = await runWithWorkers(process.argv.slice(3));
else if (suite === 'core' || suite === 'system')
  process.exitCode = await (load === '--beside-load' ? besideLoad(() => run(suite)) : run(suite));

function count(): void {
  const results = SUITES.flatMap((each) => readResults(folderOf(each)));
  process.stdout.write(`\n${failedTests(results)}${summaryLine(results)}\n`);
}

/** @returns the exit status. */
async function run(suite: Suite): Promise<number> {
  const folder = folderOf(suite);
  rmSync(folder, { recursive: true, force: true });
  process.env[RESULTS_FOLDER] = folder;
  const runners = RUNNERS.filter((runner) => runner === 'jest' || BROWSER !== undefined);
  if (BROWSER === undefined) writeResults('playwright', { passed: 0, failed: 0, skipped: 0, times: [] });
  const statuses: (number | null)[] = [];
  // Tests wait for a part of their time, so that the core tests end earlier when both runners work at once. The system tests are too many for that.
  if (suite === 'core') statuses.push(...(await Promise.all(runners.map((runner) => ended(runner, suite)))));
  else for (const runner of runners) statuses.push(await ended(runner, suite));
  const results = readResults(folder);
  const leftOut = [...(BROWSER === undefined ? [NO_BROWSER] : []), ...(suite === 'core' ? [LEFT_OUT] : [])];
  process.stdout.write(
    `\nthe slowest tests:\n${slowestTests(results)}\n\n${failedTests(results)}${[...leftOut, summaryLine(results)].join('\n')}\n`,
  );
  return statuses.every((status) => status === 0) ? 0 : 1;
}

/** Runs the tests that ask the service over HTTP, or those that are named, with several workers. @returns the exit status. */
async function runWithWorkers(named: readonly string[]): Promise<number> {
  const folder = join(import.meta.dirname, '../.cache/test-results/workers');
  rmSync(folder, { recursive: true, force: true });
  process.env[RESULTS_FOLDER] = folder;
  process.env['SVC_TEST_WORKERS'] ??= '2';
  const jest = ['run', '-s', 'test:only', '--', '--reporters', './tests/support/jest-reporter.ts'];
  // The exit status of jest counts the tests that need the service in its own process.
  await once(
    spawn('npm', [...jest, '--testPathPatterns', ...(named.length > 0 ? named : WITH_WORKERS)], { stdio: 'inherit' }),
    'close',
  );
  const [results] = readResults(folder);
  process.stdout.write(`\n${failedTests([results!])}${summaryLine([results!])}\n`);
  return results!.failed === 0 ? 0 : 1;
}

/** @returns the exit status of a runner. What Playwright says of the core is shown when it has ended, because jest says something meanwhile. */
async function ended(runner: (typeof RUNNERS)[number], suite: Suite): Promise<number | null> {
  const isHeld = suite === 'core' && runner === 'playwright';
  const child = spawn('npm', ['run', '-s', ...SCRIPTS[runner](suite)], {
    stdio: ['inherit', isHeld ? 'pipe' : 'inherit', 'inherit'],
    timeout: LIMIT_MS[suite],
  });
  const closed = once(child, 'close');
  if (child.stdout !== null) process.stdout.write(await text(child.stdout));
  return (await closed)[0] as number | null;
}

/** Keeps every core busy with something else. */
async function besideLoad(work: () => Promise<number>): Promise<number> {
  const busy = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    return await work();
  } finally {
    for (const child of busy) child.kill();
  }
}
