import { isAbsolute, relative, sep } from 'node:path';
import { endOfLine, startOfLine } from './yaml-tree.ts';
import { withCuts, type Cut } from './yaml-edit.ts';

const CONTEXT_LINES = 3;

/** Replaces the lines from `from` to before `to` of the old text with `added`. */
type LineChange = { from: number; to: number; readonly added: string[] };

/**
 * Makes a patch for `git apply` and `patch -p1` from the cuts of a text, without comparing texts.
 *
 * @param name - the file name in the patch, such as `svc.config.yaml`.
 * @param cuts - in order and not overlapping.
 */
export function unifiedDiff(name: string, source: string, cuts: readonly Cut[]): string {
  const old = linesOf(source);
  const changes = lineChanges(source, cuts).filter(
    ({ from, to, added }) => added.join('') !== old.slice(from, to).join(''),
  );
  if (changes.length === 0) return '';
  let shift = 0;
  const hunks = groupsOf(changes).map((group) => {
    const from = Math.max(0, group[0]!.from - CONTEXT_LINES);
    const to = Math.min(old.length, group.at(-1)!.to + CONTEXT_LINES);
    const body: string[] = [];
    let at = from;
    for (const change of group) {
      body.push(
        ...marked(' ', old.slice(at, change.from)),
        ...marked('-', old.slice(change.from, change.to)),
        ...marked('+', change.added),
      );
      at = change.to;
    }
    body.push(...marked(' ', old.slice(at, to)));
    const grown = group.reduce((sum, change) => sum + change.added.length - (change.to - change.from), 0);
    const head = `@@ -${rangeText(from, to - from)} +${rangeText(from + shift, to - from + grown)} @@\n`;
    shift += grown;
    return head + body.join('');
  });
  return `--- ${nameText(`a/${name}`)}\n+++ ${nameText(`b/${name}`)}\n${hunks.join('')}`;
}

/** The name of a file in a patch: relative to the working directory, or relative to the root if the file is elsewhere (`patch -p1 -d /`). */
export function nameInPatch(file: string, workingDirectory: string): string {
  const path = isAbsolute(file) ? relative(workingDirectory, file) : file;
  const outside = path.startsWith('..') && isAbsolute(file);
  return (outside ? file.slice(1) : path)
    .split(sep)
    .filter((segment) => segment !== '.' && segment !== '')
    .join('/');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** Widens cuts to whole lines; cuts that share a line become one change. */
function lineChanges(source: string, cuts: readonly Cut[]): LineChange[] {
  const spans: { readonly start: number; end: number; readonly cuts: Cut[] }[] = [];
  for (const cut of cuts) {
    const open = spans.at(-1);
    if (open !== undefined && cut.from < open.end && cut.to < open.end) {
      open.cuts.push(cut);
      continue;
    }
    const start = startOfLine(source, cut.from);
    const isWholeLines =
      cut.from === start &&
      (cut.to === start ? cut.text.endsWith('\n') : source[cut.to - 1] === '\n' && cut.text === '');
    const end = isWholeLines ? cut.to : Math.min(source.length, endOfLine(source, cut.to) + 1);
    if (open === undefined || start >= open.end) spans.push({ start, end, cuts: [cut] });
    else {
      open.end = Math.max(open.end, end);
      open.cuts.push(cut);
    }
  }
  let line = 0;
  let at = 0;
  const lineOf = (offset: number): number => {
    for (; at < offset; line++) at = Math.min(source.length, endOfLine(source, at) + 1);
    return line;
  };
  return spans.map(({ start, end, cuts: inside }) => ({
    from: lineOf(start),
    to: lineOf(end),
    added: linesOf(withCuts(source, inside, start, end)),
  }));
}

/** Puts changes whose context overlaps into one hunk. */
function groupsOf(changes: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last !== undefined && change.from - last.at(-1)!.to <= 2 * CONTEXT_LINES) last.push(change);
    else groups.push([change]);
  }
  return groups;
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) =>
    line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`,
  );
}

/** A range without lines gives the number of the line before it. */
function rangeText(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`;
}

/** Git expects names with special characters in quotes, and a tab after names with a space. */
function nameText(name: string): string {
  if (/["\\\p{Cc}]/u.test(name)) return JSON.stringify(name).replaceAll('\\b', '\\010').replaceAll('\\f', '\\014');
  return name.includes(' ') ? `${name}\t` : name;
}
