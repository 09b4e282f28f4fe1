import type { Command } from 'commander';
import { usageFault } from '../terminal/cli-failure.ts';
import { gathered } from './gathered.ts';

/** The options by which names are chosen. */
export type FilterOptions = { readonly include?: readonly string[]; readonly exclude?: readonly string[] };

/** Whether a path, relative to the folder of the command and with `/`, is chosen. A folder may end with a slash. */
export type NameFilter = (relative: string) => boolean;

/** Adds `--include` and `--exclude`. */
export function withFilter(command: Command): Command {
  return command
    .option('--include <glob>', 'only names that match; can be repeated', gathered)
    .option('--exclude <glob>', 'no names that match, even if they are included; can be repeated', gathered);
}

/** Help for commands with a filter. */
export const FILTER_HELP = `In a glob, \`*\` stands for any characters except \`/\`, \`?\` for one of them, and
\`**\` for any, also \`/\`. A glob with a \`/\` is compared with the path beneath
the folder, any other with the last part of it. Put globs in quotes.`;

/**
 * Makes the filter of the options; undefined without any.
 *
 * @throws {CliFailure} usage: a glob is empty.
 */
export function filterOf({ include = [], exclude = [] }: FilterOptions): NameFilter | undefined {
  if (include.length + exclude.length === 0) return undefined;
  const [included, excluded] = [include.map(matcherOf), exclude.map(matcherOf)];
  return (relative) => {
    const name = relative.replace(/\/$/, '');
    return (
      (included.length === 0 || included.some((matches) => matches(name))) && !excluded.some((matches) => matches(name))
    );
  };
}

/** A glob with `*`, `**` and `?`. All other characters stand for themselves, because keys hold any. */
function matcherOf(glob: string): (relative: string) => boolean {
  const wanted = glob.replace(/^\.?\//, '');
  if (wanted === '') throw usageFault('a glob is empty; write one such as `*.jpg`, or leave the option out');
  const body = wanted.replaceAll(/\*\*\/|\*\*|[*?]|[\\^$.+()[\]{}|]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : `\\${part}`;
  });
  const pattern = new RegExp(`^${body}$`, 'su');
  // A slash at the beginning ties a glob without another one to the folder itself.
  return glob.includes('/')
    ? (relative) => pattern.test(relative)
    : (relative) => pattern.test(relative.slice(relative.lastIndexOf('/') + 1));
}
