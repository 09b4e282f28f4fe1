import { usageFault } from '../terminal/cli-failure.ts';
import { parseDuration } from './duration.ts';

/**
 * Parses a time, or how long ago it was, to milliseconds since the epoch. A day begins at midnight UTC, like the times of the audit.
 *
 * @throws {CliFailure} usage
 */
export function momentOf(text: string): number {
  if (/^\d+[smhd]$/.test(text)) return Math.max(0, Date.now() - parseDuration(text) * 1000);
  // `Date.parse` alone takes `week 2` for a day in February 2001.
  const moment = /^\d{4}(?:-\d{2}){0,2}(?:T|$)/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(moment))
    throw usageFault(`\`${text}\` is no time such as 2026-05-04, 2026-05-04T08:00Z, 90d or 12h`);
  return moment;
}
