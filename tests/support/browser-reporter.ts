import type { Reporter, Suite, TestCase } from '@playwright/test/reporter';
import { writeResults, type TestResults } from './test-results.ts';

type Counted = Pick<TestCase, 'titlePath' | 'outcome' | 'results'>;

/**
 * A test that the run never reached counts as failed, as does one that passed in a second try.
 *
 * @param errors - how many errors belong to no test, such as a service that did not start or stop.
 */
export function resultsOf(tests: readonly Counted[], errors: number): TestResults {
  const skipped = tests.filter((test) => test.results.length > 0 && test.outcome() === 'skipped').length;
  const passed = tests.filter((test) => test.outcome() === 'expected').length;
  return {
    passed,
    failed: tests.length - passed - skipped + errors,
    skipped,
    times: tests.map((test) => {
      const [, , file, ...titles] = test.titlePath();
      return {
        name: `tests/e2e/${file}: ${titles.join(' ')}`,
        ms: test.results.reduce((sum, { duration }) => sum + duration, 0),
        isFailed: ['unexpected', 'flaky'].includes(test.outcome()),
      };
    }),
  };
}

/** Leaves the results of Playwright for `scripts/test.ts`. */
// eslint-disable-next-line import/no-default-export -- Playwright takes a reporter from the default export
export default class BrowserReporter implements Reporter {
  #suite: Suite | undefined;
  #errors = 0;

  onBegin(_config: unknown, suite: Suite): void {
    this.#suite = suite;
  }

  onError(): void {
    this.#errors += 1;
  }

  onEnd(): void {
    writeResults('playwright', resultsOf(this.#suite?.allTests() ?? [], this.#errors));
  }

  printsToStdio(): boolean {
    return false;
  }
}
