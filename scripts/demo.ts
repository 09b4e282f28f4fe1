/** `npm run demo`: the process edge. What runs is composed in demo/start.ts. */
import { once } from 'node:events';
import { banner } from './demo/banner.ts';
import { parseOptions, USAGE } from './demo/options.ts';
import { startDemo } from './demo/start.ts';
import { buildWebUi } from './demo/web-ui.ts';

const USAGE_FAULT = 2;
const EXPECTED: readonly unknown[] = ['bad_option', 'port_taken', 'not_writable'];

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(`${USAGE}\n`);
  else await run(options);
} catch (error) {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = EXPECTED.includes(code) ? USAGE_FAULT : 1;
}

async function run(options: Parameters<typeof startDemo>[0]): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  if (process.env['npm_lifecycle_event'] === 'demo') endWithParent(() => stop.abort());

  const demo = await startDemo(options, { prepare: buildWebUi }).catch((error: unknown) => {
    // Ctrl-C reaches the service as well, which then never comes up.
    if (stop.signal.aborted) return undefined;
    throw error;
  });
  if (demo === undefined) process.exit(0);
  if (!stop.signal.aborted) {
    process.stdout.write(`${banner(demo)}\n`);
    await Promise.race([once(stop.signal, 'abort'), demo.ended]);
  }
  await demo.close();
  if (!stop.signal.aborted) throw new Error(`the service ended by itself:\n${await demo.ended}`);
  process.exit(0);
}

/** npm passes a signal on to its shell, and no shell passes it on to us: but it dies of it. */
function endWithParent(stop: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 250);
  watch.unref();
}
