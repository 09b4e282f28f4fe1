import { existsSync } from 'node:fs';
import { faultLine, type ConfigFault } from '../../config/read/fault.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';

/** The default configuration file. */
export const CONFIG_FILE = 'svc.config.yaml';
export const CONFIG_OPTION = ['-c, --config <file>', 'the configuration', CONFIG_FILE] as const;

/** The failure with all faults of a configuration, one per line. */
export function configFailure(
  file: string,
  faults: readonly ConfigFault[],
  hints: readonly string[] = nameOne(file),
): CliFailure {
  return new CliFailure(EXIT.usage, [...faults.map((fault) => faultLine(file, fault)), ...hints], 'config');
}

/** A hint for people who named no configuration, when the default file does not exist. */
export function nameOne(file: string, how = 'with `--config FILE`'): string[] {
  return file === CONFIG_FILE && !existsSync(file) ? [`name the configuration ${how}`] : [];
}
