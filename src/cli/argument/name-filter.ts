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
  const matches = globMatcher(wanted);
  // A slash at the beginning ties a glob without another one to the folder itself.
  return glob.includes('/') ? matches : (relative) => matches(relative.slice(relative.lastIndexOf('/') + 1));
}

/**
 * Compares whole paths with a glob. A regular expression would try every way to divide a name among several `*`, and take minutes for a name that somebody
 * made for this.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const parts = glob.match(/\*\*\/|\*\*|[*?]|[^*?]+/g) ?? [];
  return (path) =>
    parts.reduce<ReadonlySet<number>>((starts, part) => endsOf(part, path, starts), new Set([0])).has(path.length);
}

/** Where in a path a part of a glob may end when it begins at one of `starts`. */
function endsOf(part: string, path: string, starts: ReadonlySet<number>): Set<number> {
  if (part === '**/') return new Set([...starts, ...foldersFrom(path, Math.min(...starts))]);
  const ends = new Set<number>();
  for (const start of starts)
    if (part === '?') {
      if (start < path.length && path[start] !== '/') ends.add(start + (path.codePointAt(start)! > 0xffff ? 2 : 1));
    } else if (part.startsWith('*')) {
      // What ends here also ends everywhere after it, up to the next slash.
      for (let end = start; end <= path.length && !ends.has(end); end += 1) {
        ends.add(end);
        if (part === '*' && path[end] === '/') break;
      }
    } else if (path.startsWith(part, start)) ends.add(start + part.length);
  return ends;
}

/** Where folders begin in a path. */
function* foldersFrom(path: string, from: number): Generator<number> {
  for (let slash = path.indexOf('/', from); slash !== -1; slash = path.indexOf('/', slash + 1)) yield slash + 1;
}
