/** Runs the tests of both runners, also when the first has failures, and ends with the slowest tests and one line that counts all. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResults, RESULTS_FOLDER, slowestTests, summaryLine } from '../tests/support/test-results.ts';

const folder = join(import.meta.dirname, '../.cache/test-results');
rmSync(folder, { recursive: true, force: true });

const env = { ...process.env, [RESULTS_FOLDER]: folder };
const statuses = ['test:only', 'test:browser'].map((script) => spawnSync('npm', ['run', '-s', script], { stdio: 'inherit', env }).status);

const results = readResults(folder);
process.stdout.write(`\nthe slowest tests:\n${slowestTests(results)}\n\n${summaryLine(results)}\n`);
writeFileSync(join(folder, 'summary'), `${summaryLine(results)}\n`);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
