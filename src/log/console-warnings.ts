import { format } from 'node:util';
import type { Logger } from './logger.ts';

/** Makes the warnings that libraries write to the console lines of the log. */
export function logConsoleWarnings(log: Logger): void {
  console.warn = (...said) =>
    log.warn(
      format(...said)
        .replace(/\s+/g, ' ')
        .trim(),
    );
}
