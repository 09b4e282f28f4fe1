import { invalidRequest } from '../access/invalid.ts';
import { parseTimestamp } from './parse-timestamp.ts';

/**
 * The moment of an input member, in milliseconds since the epoch.
 *
 * @throws {SvcError} `invalid_request`: the text is no time as in RFC 3339.
 */
export function requiredMoment(path: string, text: string): number {
  const moment = /t/i.test(text) ? parseTimestamp(text) : undefined;
  if (moment === undefined)
    throw invalidRequest({ path, message: 'must be an RFC 3339 time such as `2026-01-31T17:00:00Z`' });
  return moment;
}
