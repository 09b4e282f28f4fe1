import { currentLocale } from '../../format/locale.ts';

export { formatNumber } from '../words/words.ts';

const LOCALE = currentLocale();

const dates = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
const dateTimes = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const secondTimes = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });
const exactTimes = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'long' });

/** `20 Nov 2026`. @param iso - RFC 3339. */
export function formatDate(iso: string): string {
  return safely(dates, iso);
}

/** `20 Nov 2026, 14:05`. @param iso - RFC 3339. */
export function formatDateTime(iso: string): string {
  return safely(dateTimes, iso);
}

/** `20 Nov 2026, 14:05:09`. @param iso - RFC 3339. */
export function formatSecond(iso: string): string {
  return safely(secondTimes, iso);
}

/** A time with weekday, seconds and time zone, for a tooltip. @param iso - RFC 3339. */
export function formatExactTime(iso: string): string {
  return safely(exactTimes, iso);
}

/** `3 min`, `1 hr 20 min`; with `long`: `3 minutes`. */
export function formatDuration(seconds: number, unitDisplay: 'short' | 'long' = 'short'): string {
  const total = Math.max(1, Math.round(seconds));
  const parts: [number, 'day' | 'hour' | 'minute' | 'second'][] = [
    [Math.floor(total / 86_400), 'day'],
    [Math.floor((total % 86_400) / 3600), 'hour'],
    [Math.floor((total % 3600) / 60), 'minute'],
    [total % 60, 'second'],
  ];
  return parts
    .filter(([value]) => value > 0)
    .slice(0, 2)
    .map(([value, unit]) => new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay }).format(value))
    .join(' ');
}

/** No line ends before `AM` or `PM`. */
function safely(format: Intl.DateTimeFormat, iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? '–' : format.format(time).replace(/ (?=[AP]M\b)/i, '\u00a0');
}
