import { isDeepStrictEqual } from 'node:util';
import { readYaml } from '../read/yaml.ts';
import { behindBlank, endOfLine, nodeAt, startOfLine, yamlTree, type YamlNode } from './yaml-tree.ts';

/** Names of keys and indexes of lists: `['policies', 0, 'rules', 2]`. */
export type EditPath = readonly (string | number)[];

/** Parses a key path such as `policies.0.rules.2`. It works for policies and bindings, where no name in a path contains a dot or is a number. */
export function editPath(path: string): EditPath {
  return path.split('.').map((name) => (/^\d+$/.test(name) ? Number(name) : name));
}

/**
 * An edit of a YAML file. Paths refer to the file before all edits. `value` is written unchanged: a `$` in a configuration has to be doubled first ({@link
 * literally}).
 */
export type YamlEdit =
  | { readonly do: 'remove'; readonly path: EditPath }
  | { readonly do: 'replace'; readonly path: EditPath; readonly value: unknown }
  /** `path` is the path of the list. */
  | { readonly do: 'append'; readonly path: EditPath; readonly value: unknown };

/** Replaces a part of a text with `text`. */
export type Cut = { readonly from: number; readonly to: number; readonly text: string };

/** Thrown when the file cannot be edited in this way without rewriting it. */
export class CannotEdit extends Error {
  override readonly name = 'CannotEdit';
}

/**
 * Edits a YAML file and leaves the rest of its text unchanged, including comments. A list that loses all items becomes `[]`. A comment is removed only with the
 * value that contains it or is on its line.
 *
 * The result is parsed and compared with the same edits of the data.
 *
 * @throws {CannotEdit}
 */
export function editYaml(
  source: string,
  edits: readonly YamlEdit[],
): { readonly text: string; readonly cuts: readonly Cut[] } {
  const yaml = readYaml(source);
  if (yaml.fault !== undefined) throw new CannotEdit(yaml.fault.message);
  const cuts = cutsFor(source, edits);
  const text = withCuts(source, cuts);
  const again = readYaml(text);
  if (again.fault !== undefined || !isDeepStrictEqual(withoutGone(again.value), editedData(yaml.value, edits)))
    throw new CannotEdit('the layout of the file does not allow this change; make it by hand');
  return { text, cuts };
}

/** Doubles every `$` in a value, so that a configuration takes it literally. */
export function literally(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$');
  if (Array.isArray(value)) return value.map(literally);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, literally(member)]));
}

/** Applies cuts to a text, or to a part of it that contains all of them. */
export function withCuts(source: string, cuts: readonly Cut[], start = 0, end = source.length): string {
  let at = start;
  const parts: string[] = [];
  for (const { from, to, text } of cuts) {
    parts.push(source.slice(at, from), text);
    at = to;
  }
  return parts.join('') + source.slice(at, end);
}

/** The cuts of all edits, in order and not overlapping. Edits inside a removed part need no cut. */
function cutsFor(source: string, edits: readonly YamlEdit[]): Cut[] {
  const root = yamlTree(source);
  const removed = new Map<YamlNode, Set<YamlNode>>();
  const added = new Map<YamlNode, string[]>();
  const cuts: Cut[] = [];
  for (const edit of edits) {
    const node = nodeAt(root, edit.path);
    if (node === undefined) throw new CannotEdit(`there is nothing at \`${edit.path.join('.')}\``);
    if (edit.do === 'replace') cuts.push(...replaced(source, node, flowText(edit.value)));
    else if (edit.do === 'append') added.set(node, [...(added.get(node) ?? []), flowText(edit.value)]);
    else if (node.parent?.parent === undefined) throw new CannotEdit('the whole file cannot be removed');
    else removed.set(node.parent, (removed.get(node.parent) ?? new Set()).add(node));
  }
  for (const [parent, nodes] of removed) {
    if (nodes.size < parent.children.length) for (const cut of removals(source, parent, nodes)) cuts.push(cut);
    else if (parent.kind === 'map') cuts.push(...replaced(source, parent, '{}'));
    else {
      cuts.push(...replaced(source, parent, `[${(added.get(parent) ?? []).join(', ')}]`));
      added.delete(parent);
    }
  }
  for (const [list, texts] of added) cuts.push(...appended(source, list, texts));
  // Insertions at a position come before removals that begin there.
  cuts.sort((a, b) => a.from - b.from || Number(a.from !== a.to) - Number(b.from !== b.to) || b.to - a.to);
  const outer: Cut[] = [];
  for (const cut of cuts) {
    const before = outer.at(-1);
    if (before === undefined || cut.from >= before.to) outer.push(cut);
    else if (cut.to > before.to) throw new CannotEdit('two changes meet in one place of the file');
  }
  return outer;
}

/** Cuts removed children, each with its comma or its lines. */
function removals(source: string, parent: YamlNode, removed: ReadonlySet<YamlNode>): Cut[] {
  const { children, flow } = parent;
  const lastKept = children.findLastIndex((child) => !removed.has(child));
  return children.flatMap((child, i) => {
    if (!removed.has(child)) return [];
    const start = startOf(source, parent, i);
    const next = i + 1 < children.length ? startOf(source, parent, i + 1) : undefined;
    if (!flow) {
      const line = startOfLine(source, start);
      if (source.slice(line, start).trim() === '')
        return [{ from: line, to: Math.min(source.length, endOfLine(source, child.end) + 1), text: '' }];
      // The item follows the dash or key of its parent on the same line, so the next kept item takes its place.
      const kept = children.findIndex((other, j) => j > i && !removed.has(other));
      return [{ from: start, to: kept < 0 ? child.end : startOf(source, parent, kept), text: '' }];
    }
    if (i < lastKept) return [ownLines(source, start, child.end) ?? { from: start, to: next!, text: '' }];
    // For the last items, the comma before them is removed too.
    return [{ from: i === 0 ? start : children[i - 1]!.end, to: child.end, text: '' }];
  });
}

/** The lines of an item in brackets, if they contain nothing else but its comma and a comment. */
function ownLines(source: string, start: number, end: number): Cut | undefined {
  // Only the neighbouring characters are checked, because the line may be as long as the file.
  let from = start;
  while (source[from - 1] === ' ' || source[from - 1] === '\t') from--;
  const rest = /[ \t]*,[ \t]*(?:#[^\n]*)?\r?\n/y;
  rest.lastIndex = end;
  return source[from - 1] === '\n' && rest.test(source) ? { from, to: rest.lastIndex, text: '' } : undefined;
}

/** The position where an item begins with its dash, or a member with its key. */
function startOf(source: string, { kind, flow, start, keys, children }: YamlNode, i: number): number {
  if (kind === 'map') return keys[i]!.start;
  if (flow) return children[i]!.start;
  return i === 0 ? start : behindBlank(source, children[i - 1]!.end);
}

/** Replaces a value. A block beneath its key is cut by lines, and the new text is put after the key, so that comments between them stay. */
function replaced(source: string, node: YamlNode, text: string): Cut[] {
  const { parent, start, end, flow } = node;
  const key = parent?.keys[parent.children.indexOf(node)];
  if (key === undefined) return [{ from: start, to: end, text: start === end ? ` ${text}` : text }];
  if (start === end) return [{ from: start, to: end, text: ` ${text}` }];
  if (flow) return [{ from: start, to: end, text }];
  const colon = behindBlank(source, key.end) + 1;
  return [
    { from: colon, to: colon, text: ` ${text}` },
    { from: startOfLine(source, start), to: Math.min(source.length, endOfLine(source, end) + 1), text: '' },
  ];
}

function appended(source: string, list: YamlNode, texts: readonly string[]): Cut[] {
  const last = list.children.at(-1);
  if (list.kind !== 'list') throw new CannotEdit('only a list takes one more item');
  if (last === undefined) return replaced(source, list, `[${texts.join(', ')}]`);
  if (list.flow) return [{ from: last.end, to: last.end, text: texts.map((text) => `, ${text}`).join('') }];
  const dash = startOf(source, list, list.children.length - 1);
  const at = endOfLine(source, last.end);
  const items = texts.map((text) => `${' '.repeat(dash - startOfLine(source, dash))}- ${text}`);
  if (at === source.length) return [{ from: at, to: at, text: items.map((item) => `\n${item}`).join('') }];
  return [
    {
      from: at + 1,
      to: at + 1,
      text: items.map((item) => `${item}${source[at - 1] === '\r' ? '\r\n' : '\n'}`).join(''),
    },
  ];
}

const PLAIN = /^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z_](?:[\w./@-]|:(?=[\w/]))*$/i;

/** Writes a value on one line. */
function flowText(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${flowText(name)}: ${flowText(member)}`)
    .join(', ')} }`;
}

const GONE = Symbol('gone');

/** Applies the same edits to the data. */
function editedData(value: unknown, edits: readonly YamlEdit[]): unknown {
  const data = withoutGone(value);
  const holder = (path: EditPath): { in: Record<string | number, unknown>; name: string | number } | undefined => {
    let at: unknown = data;
    for (const name of path.slice(0, -1))
      at = typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[name] : undefined;
    return typeof at === 'object' && at !== null
      ? { in: at as Record<string | number, unknown>, name: path.at(-1)! }
      : undefined;
  };
  for (const edit of edits.filter(({ do: what }) => what === 'append')) {
    const place = holder(edit.path);
    if (place !== undefined)
      place.in[place.name] = [...((place.in[place.name] ?? []) as unknown[]), (edit as { value: unknown }).value];
  }
  for (const edit of edits) {
    const place = edit.do === 'append' ? undefined : holder(edit.path);
    if (place !== undefined) place.in[place.name] = edit.do === 'replace' ? withoutGone(edit.value) : GONE;
  }
  return withoutGone(data);
}

/** Returns a copy without removed values. */
function withoutGone(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== GONE).map(withoutGone);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== GONE)
      .map(([name, member]) => [name, withoutGone(member)]),
  );
}
