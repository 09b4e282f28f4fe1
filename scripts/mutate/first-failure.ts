import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';

/** Unless `SVC_TEST_UNTIL` is `end`, the rest of a file is skipped after its first failure: the mutant has been noticed. */
// eslint-disable-next-line no-restricted-syntax -- jest takes an environment from the default export
export default class FirstFailure extends TestEnvironment {
  #failed = false;

  handleTestEvent(event: Circus.AsyncEvent | Circus.SyncEvent): void {
    if (event.name === 'test_done' && process.env['SVC_TEST_UNTIL'] !== 'end' && event.test.errors.length > 0) this.#failed = true;
    if (event.name === 'test_start' && this.#failed) event.test.mode = 'skip';
  }
}
