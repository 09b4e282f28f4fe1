import { unescape } from './text.ts';

/** The text of each child of an element that contains text only. Of repeated children the last one counts. */
export type Fields = Readonly<Record<string, string>>;

/** The elements that are read as rows, by name. */
export type Columns = ReadonlyMap<string, RowForm>;

export type RowForm = {
  /** The children whose texts a row has. */
  readonly columns: readonly string[];
  readonly line?: LineForm;
};

/** How elements are written as one text each, which is several times faster than to read their texts: those that have all columns, with texts of these patterns. */
export type LineForm = {
  /** By column. Each has one group. */
  readonly patterns: ReadonlyMap<string, RegExp>;
  /** A column that may be missing. */
  readonly optional?: string;
  /** @param texts - what stands for the group of each column. */
  readonly write: (texts: Fields) => string;
};

/** An element of a long list, which is read several times faster than an {@link Item}: a line, or the texts of its columns. */
export type Row = string | Texts;

/** The text of a column `i` is `texts[at[i]!]`, and undefined when the element has no such child. */
export type Texts = {
  readonly name: string;
  readonly texts: readonly (string | undefined)[];
  readonly at: readonly number[];
};

/** What has been read of the elements beneath the root, in order. */
export type Read = { readonly items: Item[]; readonly rows: Row[] };

/**
 * A child of an element: its tag, with those of its children that contain text only; or an empty tag, with that of one that contains text only itself. In a column
 * of a line, `fits` says whether the text matches the pattern.
 */
export type Child = { readonly tag: string; readonly texts: readonly string[]; readonly fits?: boolean };

/** More than the largest answer has, so that no text holds up the event loop or fills memory. An element that is read like the one before counts once with its children. */
export const MAX_ELEMENTS = 100_000;
export const MAX_ALIKE = 32;
/** Ends a line. It is no character of XML. */
const LINE_END = '\x01';
/** At most so many characters are written as lines at once. What is left of them is copied. */
const WINDOW = 16_384;

export type Item = { readonly name: string; readonly fields: Fields };

/** Reads elements that match one of the patterns. @returns the position after them. */
export function readAlike(patterns: readonly Alike[], xml: string, from: number, read: Read): number {
  for (let before = -1; from > before;) {
    before = from;
    for (const pattern of patterns) from = pattern.read(xml, from, read);
  }
  return from;
}

/** Reads consecutive elements with the same tags in the same order, such as the entries of a list, several times faster than tag by tag. */
export class Alike {
  readonly #name: string;
  readonly #tag: string;
  /** The children that have children, in order; none in a row. */
  readonly #nested: readonly string[];
  /** Each text that is read: its name, and the place of its parent in `#nested`; -1 for the element itself. */
  readonly #texts: readonly { readonly name: string; readonly parent: number }[];
  /** Of a row. */
  readonly #at: readonly number[] | undefined;
  /** Of a row that is written as a line, with `$1` for the first group. */
  readonly #line: string | undefined;
  readonly #pattern: RegExp | undefined;
  readonly #end: RegExp | undefined;
  /** The window at the end of a text, with which the next one begins. */
  #window = 0;

  constructor(tag: string, children: readonly Child[], leaveOut: ReadonlySet<string>, columns: Columns) {
    this.#name = localName(tag);
    this.#tag = tag;
    const row = columns.get(this.#name);
    const kept = children.filter((child) =>
      row === undefined
        ? !leaveOut.has(localName(child.tag))
        : child.tag === '' && row.columns.includes(localName(child.texts[0]!)),
    );
    const nested = kept.filter((child) => child.tag !== '');
    this.#nested = nested.map((child) => localName(child.tag));
    this.#texts = kept.flatMap((child) =>
      child.texts.map((text) => ({ name: localName(text), parent: nested.indexOf(child) })),
    );
    const names = this.#texts.map(({ name }) => name);
    this.#at = row && placesOf(row.columns, names);
    const line =
      row?.columns.every((name) => names.includes(name) || name === row.line?.optional) === true &&
      kept.every(({ fits }) => fits === true)
        ? row.line
        : undefined;
    // Of repeated children the last one counts.
    if (line !== undefined)
      this.#line = line.write(Object.fromEntries(names.map((name, i) => [name, `$${i + 1}`]))) + LINE_END;
    const tags = [tag, ...children.flatMap((child) => [child.tag, ...child.texts])].filter((name) => name !== '');
    if (leaveOut.has(this.#name) || tags.length > MAX_ALIKE || !tags.every((name) => /^[\w:-]+$/.test(name))) return;
    if (this.#nested.some((name) => columns.has(name))) return;
    const within = (name: string, inner: string) => (name === '' ? inner : `\\s*<${name}>${inner}\\s*</${name}>`);
    const patternOf = (child: Child, name: string): string =>
      kept.includes(child) ? (line?.patterns.get(localName(name))?.source ?? '([^<]*)') : '[^<]*';
    const inner = children.map((child) =>
      within(child.tag, child.texts.map((name) => `\\s*<${name}>${patternOf(child, name)}</${name}>`).join('')),
    );
    this.#pattern = new RegExp(within(tag, inner.join('')), line === undefined ? 'y' : 'gy');
    this.#end = new RegExp(`</${tag}\\s*>`, 'g');
  }

  /** Others fit nearly every element with the same tags, and would keep those after it from being lines. */
  get isOfLines(): boolean {
    return this.#line !== undefined;
  }

  /** Whether the text ends within an element with this tag, which begins at `from`. */
  isCutOff(xml: string, from: number): boolean {
    if (this.#end === undefined || !xml.startsWith(`<${this.#tag}>`, from)) return false;
    this.#end.lastIndex = from;
    return !this.#end.test(xml);
  }

  /**
   * Adds the elements from the position `from` on to what has been read.
   *
   * @returns the position after them.
   */
  read(xml: string, from: number, read: Read): number {
    if (this.#pattern === undefined) return from;
    if (this.#line !== undefined) return this.#readLines(xml, from, { pattern: this.#pattern, line: this.#line, read });
    this.#pattern.lastIndex = from;
    for (
      let found = this.#pattern.exec(xml);
      found !== null && read.items.length + read.rows.length <= MAX_ELEMENTS;
      found = this.#pattern.exec(xml)
    ) {
      for (let i = 1; i < found.length; i++) found[i] = unescape(found[i]!);
      if (this.#at === undefined) this.#addItem(found, read.items);
      else read.rows.push({ name: this.#name, texts: found, at: this.#at });
      from = this.#pattern.lastIndex;
    }
    return from;
  }

  #readLines(
    xml: string,
    from: number,
    { pattern, line, read }: { readonly pattern: RegExp; readonly line: string; readonly read: Read },
  ): number {
    pattern.lastIndex = from;
    if (!pattern.test(xml)) return from;
    // The window begins with one element and grows with what it has written, because each line keeps the whole text of its window in memory.
    let length = Math.max(pattern.lastIndex - from, this.#window);
    this.#window = 0;
    while (read.items.length + read.rows.length <= MAX_ELEMENTS) {
      const window = xml.slice(from, from + length);
      if (window.includes(LINE_END)) return from;
      const lines = window.replace(pattern, line).split(LINE_END);
      const rest = lines.pop()!;
      if (lines.length === 0) {
        if (from + length >= xml.length) this.#window = length;
        return from;
      }
      for (const each of lines) read.rows.push(each);
      from += window.length - rest.length;
      length = Math.min(2 * length, WINDOW);
    }
    return from;
  }

  #addItem(found: readonly string[], items: Item[]): void {
    const fields: Record<string, string> = {};
    const begin = items.length;
    for (const name of this.#nested) items.push({ name, fields: {} });
    for (let i = 0; i < this.#texts.length; i++) {
      const { name, parent } = this.#texts[i]!;
      const of: Record<string, string> = parent === -1 ? fields : items[begin + parent]!.fields;
      of[name] = found[i + 1]!;
    }
    items.push({ name: this.#name, fields });
  }
}

/** Where the last text of each name is in a match. */
function placesOf(columns: readonly string[], names: readonly string[]): readonly number[] {
  return columns.map((column) => (names.includes(column) ? names.lastIndexOf(column) : names.length) + 1);
}

/** The name of a tag without its namespace prefix. */
export function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}
