import { usageFault } from './cli-failure.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/**
 * Parses durations such as `90`, `90s`, `15m`, `2h` or `7d` to seconds.
 *
 * @throws {CliFailure} usage
 */
export function parseDuration(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  if (number === undefined || Number(number) === 0)
    throw usageFault(`\`${text}\` is not a duration; write \`90s\`, \`15m\`, \`2h\` or \`7d\``);
  return Number(number) * SECONDS[(unit || 's') as keyof typeof SECONDS];
}

/** Formats seconds for people: `40s`, `3m20s`, `2h05m`. */
export function durationText(seconds: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h${two(Math.floor((seconds % 3600) / 60))}m`;
}
