import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from './outcome-reporter.ts';

type Run = Outcome & { readonly result: 'passed' | 'failed' | 'timeout' };

const own = (file: string): string => `<rootDir>/scripts/mutate/${file}`;
const OWN_PARTS = [`--testEnvironment=${own('first-failure.ts')}`, `--testSequencer=${own('given-order.ts')}`, `--setupFiles=${own('no-shrinking.ts')}`, `--reporters=${own('outcome-reporter.ts')}`];

/** Runs these test files in this order, in a process of their own, up to the first failure. */
export async function runJest(root: string, tests: readonly string[], { timeoutMs }: { readonly timeoutMs: number }): Promise<Run> {
  const file = join(root, '.test-outcome.json');
  await rm(file, { force: true });
  const jest = ['node_modules/jest/bin/jest.js', '--selectProjects=server', '--runInBand', '--bail', '--silent', '--watchman=false', ...OWN_PARTS, '--runTestsByPath', ...tests];
  const child = spawn(process.execPath, ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', ...jest], {
    cwd: root,
    stdio: 'ignore',
    // A process group of its own: what the tests started ends with them.
    detached: true,
    env: { ...process.env, SVC_TEST_ORDER: tests.join(' '), SVC_TEST_OUTCOME: file },
  });
  const timer = setTimeout(() => endGroup(child.pid), timeoutMs);
  const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  endGroup(child.pid);
  if (signal === 'SIGKILL') return { result: 'timeout', milliseconds: {} };
  return { result: status === 0 ? 'passed' : 'failed', ...(await readOutcome(file)) };
}

async function readOutcome(file: string): Promise<Outcome> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? { failed: 'the test run ended early', milliseconds: {} } : (JSON.parse(text) as Outcome);
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
}
