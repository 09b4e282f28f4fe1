import { usageFault } from '../terminal/cli-failure.ts';
import { parseDuration } from './duration.ts';

/**
 * Parses a time in the future, or how long from now it is, to RFC 3339.
 *
 * @throws {CliFailure} usage
 */
export function expiryOf(text: string): string {
  if (/^\d+[smhd]?$/.test(text)) return new Date(Date.now() + parseDuration(text) * 1000).toISOString();
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw usageFault(`\`${text}\` is neither a duration such as \`90d\` nor a time such as \`2030-01-31T12:00:00Z\``);
  return new Date(time).toISOString();
}
