import { currentLocale } from './locale.ts';

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const DECIMAL = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'];
const formats = new Map<number, Intl.NumberFormat>();

/** `full` is the largest value that is written in a unit; a larger one would be rounded to one of the next unit. */
const STYLES = {
  decimal: { step: 1000, full: 999.95, text: (value: number, power: number) => formatOf(power).format(value) },
  binary: {
    step: 1024,
    full: 1023.5,
    text: (value: number, power: number) =>
      `${power === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${BINARY[power]}`,
  },
};

/** Formats bytes for people: `decimal` like file managers, in the reader's locale (`1.5 kB`), `binary` like terminals (`1.5 KiB`). */
export function formatBytes(bytes: number, style: keyof typeof STYLES = 'decimal'): string {
  const { step, full, text } = STYLES[style];
  let [value, power] = [bytes, 0];
  for (; value >= full && power < BINARY.length - 1; power += 1) value /= step;
  return text(value, power);
}

function formatOf(power: number): Intl.NumberFormat {
  const known = formats.get(power);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat(currentLocale(), {
    style: 'unit',
    unit: DECIMAL[power]!,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  });
  formats.set(power, format);
  return format;
}
