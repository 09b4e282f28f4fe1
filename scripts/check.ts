/** `npm run check`: all that needs no test. Two lanes keep two cores busy; what a lane says is shown when it has ended. */
import { spawn } from 'node:child_process';

const LANES = [
  ['lint:rules', 'typecheck'],
  ['lint:format', 'lint:imports', 'build'],
] as const;

const statuses = await Promise.all(LANES.map(inTurn));
process.exitCode = Math.max(...statuses);

async function inTurn(scripts: readonly string[]): Promise<number> {
  for (const script of scripts) {
    const status = await npmRun(script);
    if (status !== 0) return status;
  }
  return 0;
}

function npmRun(script: string): Promise<number> {
  const started = performance.now();
  const child = spawn('npm', ['run', '-s', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      // The build says nothing unless it warns.
      const status = script === 'build' && said.length > 0 ? 1 : code;
      process.stdout.write(
        `${script}: ${status === 0 ? 'done' : 'failed'} after ${((performance.now() - started) / 1000).toFixed(0)} s\n`,
      );
      process.stdout.write(Buffer.concat(said));
      resolve(status ?? 1);
    });
  });
}
