import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serve } from './cli/serve.ts';
import { startService } from './compose.ts';
import { faultLine } from './config/fault.ts';
import { loadSettings } from './config/load.ts';
import { createLogger } from './log/logger.ts';

/** The process edge: arguments, environment and signals. */
export async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { config: { type: 'string' }, host: { type: 'string' }, port: { type: 'string' } } });
  const file = values.config ?? positionals[1] ?? 'svc.config.yaml';
  const loaded = loadSettings({ file, env: process.env, overrides: { host: values.host, port: values.port === undefined ? undefined : Number(values.port) } });
  if (loaded.faults !== undefined) {
    for (const fault of loaded.faults) process.stderr.write(`${faultLine(file, fault)}\n`);
    process.exitCode = 2;
    return;
  }
  const log = createLogger(loaded.settings.log);
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as { version: string };
  process.exitCode = await serve({
    settings: loaded.settings,
    warnings: loaded.warnings,
    start: (settings) => startService(settings, { log, version }),
    print: (line) => void process.stdout.write(`${line}\n`),
    stopAsked: new Promise((resolve) => {
      process.once('SIGINT', () => resolve());
      process.once('SIGTERM', () => resolve());
    }),
  });
}
