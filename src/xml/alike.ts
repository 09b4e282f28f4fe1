import { unescape } from './text.ts';

/** The text of each child of an element that contains text only. Of repeated children the last one counts. */
export type Fields = Readonly<Record<string, string>>;

/** The columns of the rows of each name: the children whose texts they have. */
export type Columns = ReadonlyMap<string, readonly string[]>;

/**
 * An element of a long list, which is read several times faster than an {@link Item}: the text of a column `i` is `texts[at[i]!]`, and undefined when it has
 * no such child. When it `isPlain`, its texts hold nothing that XML or JSON escapes: they are ASCII without control characters, `\`, `&`, `<` and `>`, and with quotes
 * only around an ETag.
 */
export type Row = {
  readonly name: string;
  readonly texts: readonly (string | undefined)[];
  readonly at: readonly number[];
  readonly isPlain: boolean;
};

/** What has been read of the elements beneath the root, in order. */
export type Read = { readonly items: Item[]; readonly rows: Row[] };

export type Form = 'plain' | 'quoted' | 'any';
/**
 * A child of an element: its tag, with those of its children that contain text only; or an empty tag, with that of one that contains text only itself. A column of
 * a row has the form of its text.
 */
export type Child = { readonly tag: string; readonly texts: readonly string[]; readonly form?: Form };

/** More than the largest answer has, so that no text holds up the event loop or fills memory. An element that is read like the one before counts once with its children. */
export const MAX_ELEMENTS = 100_000;
export const MAX_ALIKE = 32;

export type Item = { readonly name: string; readonly fields: Fields };

/** Reads elements that match one of the patterns. @returns the position after them. */
export function readAlike(patterns: readonly Alike[], xml: string, from: number, read: Read): number {
  for (let before = -1; from > before;) {
    before = from;
    for (const pattern of patterns) from = pattern.read(xml, from, read);
  }
  return from;
}

const PLAIN = "[ !#-%'-;=?-[\\]-~]*";
const QUOTE = '(?:&quot;|&#34;)';
const PATTERNS: Readonly<Record<Form, string>> = {
  any: '([^<]*)',
  plain: `(${PLAIN})`,
  quoted: `${QUOTE}(${PLAIN})${QUOTE}`,
};
const [IS_PLAIN, IS_QUOTED] = [PATTERNS.plain, PATTERNS.quoted].map((pattern) => new RegExp(`^${pattern}$`));

/** The form of a text as it is written in XML. Quotes belong around an ETag alone. */
export function formOf(name: string, text: string): Form {
  return IS_PLAIN!.test(text) ? 'plain' : name === 'ETag' && IS_QUOTED!.test(text) ? 'quoted' : 'any';
}

/** Reads consecutive elements with the same tags in the same order, such as the entries of a list, several times faster than tag by tag. */
export class Alike {
  readonly #name: string;
  /** The children that have children, in order; none in a row. */
  readonly #nested: readonly string[];
  /** Each text that is read: its name, its form, and the place of its parent in `#nested`; -1 for the element itself. */
  readonly #texts: readonly { readonly name: string; readonly parent: number; readonly form: Form }[];
  /** Of a row. */
  readonly #at: readonly number[] | undefined;
  readonly #isPlain: boolean;
  readonly #quoted: readonly number[];
  readonly #pattern: RegExp | undefined;

  constructor(tag: string, children: readonly Child[], leaveOut: ReadonlySet<string>, columns: Columns) {
    this.#name = localName(tag);
    const row = columns.get(this.#name);
    const kept = children.filter((child) =>
      row === undefined
        ? !leaveOut.has(localName(child.tag))
        : child.tag === '' && row.includes(localName(child.texts[0]!)),
    );
    this.#isPlain = row !== undefined && kept.every(({ form }) => form !== 'any');
    const formIn = ({ form = 'any' }: Child): Form => (this.#isPlain ? form : 'any');
    const nested = kept.filter((child) => child.tag !== '');
    this.#nested = nested.map((child) => localName(child.tag));
    this.#texts = kept.flatMap((child) =>
      child.texts.map((text) => ({ name: localName(text), parent: nested.indexOf(child), form: formIn(child) })),
    );
    this.#at =
      row &&
      placesOf(
        row,
        this.#texts.map(({ name }) => name),
      );
    this.#quoted = this.#texts.flatMap(({ form }, i) => (form === 'quoted' ? [i + 1] : []));
    const tags = [tag, ...children.flatMap((child) => [child.tag, ...child.texts])].filter((name) => name !== '');
    if (leaveOut.has(this.#name) || tags.length > MAX_ALIKE || !tags.every((name) => /^[\w:-]+$/.test(name))) return;
    const within = (name: string, inner: string) => (name === '' ? inner : `\\s*<${name}>${inner}\\s*</${name}>`);
    const inner = children.map((child) => {
      const text = kept.includes(child) ? PATTERNS[formIn(child)] : '[^<]*';
      return within(child.tag, child.texts.map((name) => `\\s*<${name}>${text}</${name}>`).join(''));
    });
    this.#pattern = new RegExp(within(tag, inner.join('')), 'y');
  }

  /**
   * Adds the elements from the position `from` on to what has been read.
   *
   * @returns the position after them.
   */
  read(xml: string, from: number, read: Read): number {
    if (this.#pattern === undefined) return from;
    this.#pattern.lastIndex = from;
    for (
      let found = this.#pattern.exec(xml);
      found !== null && read.items.length + read.rows.length <= MAX_ELEMENTS;
      found = this.#pattern.exec(xml)
    ) {
      if (this.#isPlain) for (const i of this.#quoted) found[i] = `"${found[i]!}"`;
      else for (let i = 1; i < found.length; i++) found[i] = unescape(found[i]!);
      if (this.#at === undefined) this.#addItem(found, read.items);
      else read.rows.push({ name: this.#name, texts: found, at: this.#at, isPlain: this.#isPlain });
      from = this.#pattern.lastIndex;
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
