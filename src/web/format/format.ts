const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;
const STEP = 1000;

const numbers = new Intl.NumberFormat();
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const dateTimes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exactTimes = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const sizes = UNITS.map((unit, power) => new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: power === 0 ? 'long' : 'short', maximumFractionDigits: 1 }));

/** `1,234,567`, in the reader's locale. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** `1.2 MB`: decimal units, in the reader's locale. */
export function formatBytes(bytes: number): string {
  let power = 0;
  let value = bytes;
  while (value >= STEP && power < UNITS.length - 1) {
    value /= STEP;
    power += 1;
  }
  return sizes[power]?.format(value) ?? String(bytes);
}

/** `20 Nov 2026`. @param iso - RFC 3339. */
export function formatDate(iso: string): string {
  return safely(dates, iso);
}

/** `20 Nov 2026, 14:05`. @param iso - RFC 3339. */
export function formatDateTime(iso: string): string {
  return safely(dateTimes, iso);
}

/** With weekday, seconds and time zone, for a tooltip. @param iso - RFC 3339. */
export function formatExactTime(iso: string): string {
  return safely(exactTimes, iso);
}

/** `3 min`, `1 hr 20 min`. */
export function formatDuration(seconds: number): string {
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
    .map(([value, unit]) => new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(value))
    .join(' ');
}

function safely(format: Intl.DateTimeFormat, iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? '–' : format.format(time);
}
