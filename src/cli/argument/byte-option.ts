import { Pace } from '../../client/pace.ts';
import { usageFault } from '../terminal/cli-failure.ts';

const POWERS = ['', 'k', 'm', 'g', 't'];

/**
 * Parses sizes such as `500`, `10k`, `1.5M` or `2GiB` to bytes. Each unit is 1024 times the previous one, as in the sizes that `svc` prints.
 *
 * @throws {CliFailure} usage
 */
export function parseBytes(text: string): number {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgt]?)(?:i?b)?$/i.exec(text) ?? [];
  const bytes = Math.round(Number(number) * 1024 ** POWERS.indexOf(unit.toLowerCase()));
  if (number === undefined || !Number.isSafeInteger(bytes))
    throw usageFault(`\`${text}\` is not a size; write \`500\`, \`10k\`, \`1.5M\` or \`2G\``);
  return bytes;
}

const SLOWEST = 1_024;

/**
 * The pace of `--bwlimit`; undefined without it.
 *
 * @throws {CliFailure} usage
 */
export function paceOf(text: string | undefined): Pace | undefined {
  if (text === undefined) return undefined;
  const bytes = parseBytes(text);
  if (bytes < SLOWEST) throw usageFault('--bwlimit is at least `1k`');
  return new Pace(bytes);
}
