import { usageFault } from '../terminal/cli-failure.ts';

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Parses a moment in the past. Without a zone it is in the zone of this machine; a day alone is its beginning.
 *
 * @returns RFC 3339, in UTC.
 * @throws {CliFailure} usage
 */
export function pastTimeOf(text: string): string {
  const [, day = '', time = '00:00', zone = ''] = TIME.exec(text) ?? [];
  const moment = isInCalendar(day) ? new Date(`${day}T${time}${zone.toUpperCase()}`) : new Date(NaN);
  if (Number.isNaN(moment.getTime()))
    throw usageFault(`\`${text}\` is no time such as '2026-05-04 17:00' or 2026-05-04T17:00:00+02:00`);
  if (moment.getTime() > Date.now()) throw usageFault(`\`${text}\` is in the future`);
  return moment.toISOString();
}

/** Whether the day exists: JavaScript reads 30 February as 2 March. */
function isInCalendar(day: string): boolean {
  const moment = Date.parse(day);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(day);
}
