import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from './outcome-reporter.ts';

export type RunOptions = {
  readonly timeoutMs: number;
  /** Full names of tests that are not run. */
  readonly without?: readonly string[];
  /** Full names of the tests that are run; all of them when left out. */
  readonly only?: readonly string[];
  /** For a test that does not name its own time. */
  readonly testTimeoutMs?: number;
  /** Ends at the first test that fails. */
  readonly untilFailure: boolean;
  /** A folder for what ran of the source, a file for each test file. */
  readonly ran?: string;
};

/** A run that failed and names no test ended early. */
export type Run = Outcome & { readonly result: 'passed' | 'failed' | 'timeout' };

const own = (file: string): string => `<rootDir>/scripts/mutate/${file}`;
/** The tests of every suite. No file shares its modules with another. */
const configIn = (root: string) => ({
  rootDir: root,
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  testEnvironment: own('test-file.ts'),
  transform: { '\\.ts$': own('strip-types.ts') },
  testSequencer: own('given-order.ts'),
  setupFiles: [own('no-shrinking.ts')],
  reporters: [own('outcome-reporter.ts')],
});

/** A test that lasts longer than this has met a mutant: longer ones are left out. A test may name its own time. */
const TEST_TIMEOUT_MS = 30_000;

/** Runs these test files in this order, in a process of their own. */
export async function runJest(
  root: string,
  tests: readonly string[],
  { timeoutMs, without = [], only = [], testTimeoutMs = TEST_TIMEOUT_MS, untilFailure, ran }: RunOptions,
): Promise<Run> {
  const file = join(root, '.test-outcome.json');
  await rm(file, { force: true });
  const jest = [
    'node_modules/jest/bin/jest.js',
    `--config=${JSON.stringify(configIn(root))}`,
    '--runInBand',
    '--silent',
    '--watchman=false',
    '--forceExit',
    `--testTimeout=${Math.ceil(testTimeoutMs)}`,
    ...(untilFailure ? ['--bail'] : []),
    ...chosen(without, only),
    '--runTestsByPath',
    ...tests,
  ];
  const child = spawn(
    process.execPath,
    ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', ...jest],
    {
      cwd: root,
      stdio: 'ignore',
      // A process group of its own: what the tests started ends with them.
      detached: true,
      // What tests leave behind goes with the copy.
      env: {
        ...process.env,
        TMPDIR: join(root, '.tmp'),
        ...(ran === undefined ? {} : { SVC_TEST_RAN: ran }),
        SVC_TEST_ORDER: tests.join(' '),
        SVC_TEST_OUTCOME: file,
        SVC_TEST_UNTIL: untilFailure ? 'failure' : 'end',
      },
    },
  );
  const end = (): void => {
    endGroup(child.pid);
  };
  const timer = setTimeout(end, timeoutMs);
  // It ends before the copy is removed, in which it writes.
  process.prependListener('exit', end);
  const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.off('exit', end);
  clearTimeout(timer);
  end();
  if (signal === 'SIGKILL') return { result: 'timeout', failing: [], long: [], milliseconds: {} };
  return { result: status === 0 ? 'passed' : 'failed', ...(await readOutcome(file)) };
}

function chosen(without: readonly string[], only: readonly string[]): readonly string[] {
  const anyOf = (names: readonly string[]): string =>
    `(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;
  if (only.length > 0) return [`--testNamePattern=^${anyOf(only)}`];
  return without.length === 0 ? [] : [`--testNamePattern=^(?!${anyOf(without)})`];
}

async function readOutcome(file: string): Promise<Outcome> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? { failing: [], long: [], milliseconds: {} } : (JSON.parse(text) as Outcome);
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
}
