import { existsSync } from 'node:fs';
import { faultLine, type ConfigFault } from '../config/fault.ts';
import { CliFailure, EXIT } from './cli-failure.ts';

/** The configuration that is read where none is named. */
export const CONFIG_FILE = 'svc.config.yaml';
export const CONFIG_OPTION = ['-c, --config <file>', 'the configuration', CONFIG_FILE] as const;

/** The faults of a configuration, a line each. */
export function configFailure(file: string, faults: readonly ConfigFault[], hints: readonly string[] = nameOne(file)): CliFailure {
  return new CliFailure(EXIT.usage, [...faults.map((fault) => faultLine(file, fault)), ...hints].join('\n'), 'config');
}

/** What helps who named no configuration, where none is. */
export function nameOne(file: string, how = 'with `--config FILE`'): string[] {
  return file === CONFIG_FILE && !existsSync(file) ? [`name the configuration ${how}`] : [];
}
