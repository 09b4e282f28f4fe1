import { usageFault } from '../terminal/cli-failure.ts';

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
