/**
 * `npm run check`: all that needs no test. `npm test` names the tests as well, which run when the build is there, beside the lint. Two lanes keep two cores busy.
 */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

process.env['SVC_TEST_BUILT'] ??= 'yes';
// The type check is a program in Go. It collects garbage only when it holds 4 GiB, and needs a third less of the processor so.
process.env['GOGC'] ??= 'off';
process.env['GOMEMLIMIT'] ??= '4GiB';

/** The lint fills the gaps in which tests wait, and its programs are as low in priority as it is. */
const PRIORITY_BESIDE_TESTS = 5;

const tests = process.argv.slice(2);
const LANES = [
  ['build', ...tests],
  ['lint:rules', 'lint:format', 'lint:imports'],
];

const failed = (await Promise.all(LANES.map(inTurn))).flat();
if (failed.length > 0) {
  process.stdout.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}

/** @returns the scripts that failed. Those after a failure do not run. */
async function inTurn(scripts: readonly string[]): Promise<string[]> {
  for (const script of scripts) if (!(await succeeds(script))) return [script];
  return [];
}

/** What a script says is shown when it has ended; what the tests say is shown as they say it. */
function succeeds(script: string): Promise<boolean> {
  const started = performance.now();
  const child = spawn('npm', ['run', '-s', script], {
    stdio: tests.includes(script) ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  if (tests.length > 0 && script.startsWith('lint')) setPriority(child.pid!, PRIORITY_BESIDE_TESTS);
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => void said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      // The build says nothing unless it warns.
      const isDone = code === 0 && (script !== 'build' || said.length === 0);
      process.stdout.write(
        `${script}: ${isDone ? 'done' : 'failed'} after ${((performance.now() - started) / 1000).toFixed(0)} s\n`,
      );
      process.stdout.write(Buffer.concat(said));
      resolve(isDone);
    });
  });
}
