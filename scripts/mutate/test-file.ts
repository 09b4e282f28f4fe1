import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';
import { Coverage } from './coverage.ts';

/**
 * What a test file runs in. Unless `SVC_TEST_UNTIL` is `end`, the rest of the file is skipped after its first failure: the mutant has been noticed.
 * Where `SVC_TEST_RAN` names a folder, what ran of the source is written there.
 */
// eslint-disable-next-line import/no-default-export -- jest takes an environment from the default export
export default class TestFile extends TestEnvironment {
  readonly #coverage: Coverage | undefined;
  readonly #ran: string;
  #failed = false;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    const { rootDir } = config.projectConfig;
    const folder = process.env['SVC_TEST_RAN'];
    const name = encodeURIComponent(relative(rootDir, context.testPath));
    this.#coverage = folder === undefined ? undefined : new Coverage(rootDir, `${folder}.elsewhere/${name}`);
    this.#ran = `${folder}/${name}`;
  }

  override async setup(): Promise<void> {
    await super.setup();
    await this.#coverage?.start();
  }

  override async teardown(): Promise<void> {
    if (this.#coverage !== undefined) writeFileSync(this.#ran, JSON.stringify(await this.#coverage.stop()));
    await super.teardown();
  }

  handleTestEvent(event: Circus.AsyncEvent | Circus.SyncEvent): void {
    if (event.name === 'test_done' && process.env['SVC_TEST_UNTIL'] !== 'end' && event.test.errors.length > 0)
      this.#failed = true;
    if (event.name === 'test_start' && this.#failed) event.test.mode = 'skip';
  }
}
