import { formatBytes } from '../../format/byte-size.ts';

export { visible } from '../../format/visible.ts';

/** Formats bytes for people: `0 B`, `1.5 KiB`, `12 MiB`. */
export function sizeText(bytes: number): string {
  return formatBytes(bytes, 'binary');
}

/** Formats a time for people, in UTC and to the second. */
export function timeText(time: string | null): string {
  return time === null ? '-' : time.replace('T', ' ').replace(/(?:\.\d+)?Z$/, 'Z');
}

/** `1 file`, `2 files`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Aligns rows in columns; the columns in `right` are right-aligned. */
export function columns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, i) => (right.includes(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats seconds for people: `40s`, `3m20s`, `2h05m`. */
export function durationText(seconds: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h${two(Math.floor((seconds % 3600) / 60))}m`;
}
