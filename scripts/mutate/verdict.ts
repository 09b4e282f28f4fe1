import type { Run } from './jest.ts';
import type { Verdict } from './score.ts';

/** Runs test files, all that are to notice unless some are named, with the mutant or with the code as it was. */
export type Trial = (isChanged: boolean, tests?: readonly string[]) => Promise<Run>;

/** How often all tests run when what they noticed may be the machine. */
const ATTEMPTS = 2;

/**
 * Whether tests notice a mutant. A busy machine must not pass for a test that noticed: what ended late has to end so
 * again, and not without the mutant.
 */
export async function verdictOf(trial: Trial): Promise<Verdict> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const first = await trial(true);
    if (first.result === 'passed') return { outcome: 'survived' };
    if (!mayBeTheMachine(first)) return noticedBy(first);
    const tests = first.failed && [first.failed.file];
    const second = await trial(true, tests);
    if (second.result === 'passed') continue;
    if (!mayBeTheMachine(second) || (await trial(false, tests)).result === 'passed') return noticedBy(second);
  }
  return { outcome: 'survived', by: 'the machine is too busy to tell' };
}

const mayBeTheMachine = ({ failed }: Run): boolean => failed?.isDoubtful ?? true;

const noticedBy = (run: Run): Verdict => ({
  outcome: run.result === 'timeout' ? 'timeout' : 'killed',
  by: describeRun(run),
});

function describeRun({ result, failed }: Run): string {
  if (failed !== undefined) return `${failed.file}: ${failed.what}`;
  return result === 'timeout' ? 'the test run did not end' : 'the test run ended early';
}
