const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/i;

/**
 * Parses an RFC 3339 time, or a day, which begins at midnight UTC, to milliseconds since the epoch; undefined for any other text.
 *
 * @example
 * parseTimestamp('2026-05-04T08:00:00Z') // 1777881600000
 * parseTimestamp('2026-02-30') // undefined
 */
export function parseTimestamp(text: string): number | undefined {
  const [, day] = MOMENT.exec(text) ?? [];
  const moment = day !== undefined && isInCalendar(day) ? Date.parse(text.toUpperCase()) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

/** Whether the day exists: JavaScript reads 30 February as 2 March. */
function isInCalendar(day: string): boolean {
  const moment = Date.parse(day);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(day);
}
