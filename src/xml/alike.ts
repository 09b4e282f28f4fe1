import { unescape } from './text.ts';

/** The text of each child of an element that contains text only. Of repeated children the last one counts. */
export type Fields = Readonly<Record<string, string>>;

/** A child of an element: its tag, with those of its children that contain text only; or an empty tag, with that of one that contains text only itself. */
export type Child = { readonly tag: string; readonly texts: readonly string[] };

/** More than the largest answer has, so that no text holds up the event loop or fills memory. An element that is read like the one before counts once with its children. */
export const MAX_ELEMENTS = 100_000;
export const MAX_ALIKE = 32;

export type Item = { readonly name: string; readonly fields: Fields };

/** Reads elements that match one of the patterns. @returns the position after them. */
export function readAlike(patterns: readonly Alike[], xml: string, from: number, items: Item[]): number {
  for (let before = -1; from > before;) {
    before = from;
    for (const pattern of patterns) from = pattern.read(xml, from, items);
  }
  return from;
}

/** Reads consecutive elements with the same tags in the same order, such as the entries of a list, several times faster than tag by tag. */
export class Alike {
  readonly #name: string;
  /** The children that have children, in order. */
  readonly #nested: readonly string[];
  /** Each text: its name, and the place of its parent in `#nested`; -1 for the element itself. */
  readonly #texts: readonly { readonly name: string; readonly parent: number }[];
  readonly #pattern: RegExp | undefined;

  constructor(tag: string, children: readonly Child[], leaveOut: ReadonlySet<string>) {
    const isLeftOut = (child: Child) => leaveOut.has(localName(child.tag));
    const kept = children.filter((child) => !isLeftOut(child));
    const nested = kept.filter((child) => child.tag !== '');
    this.#name = localName(tag);
    this.#nested = nested.map((child) => localName(child.tag));
    this.#texts = kept.flatMap((child) =>
      child.texts.map((text) => ({ name: localName(text), parent: nested.indexOf(child) })),
    );
    const tags = [tag, ...children.flatMap((child) => [child.tag, ...child.texts])].filter((name) => name !== '');
    if (leaveOut.has(this.#name) || tags.length > MAX_ALIKE || !tags.every((name) => /^[\w:-]+$/.test(name))) return;
    const within = (name: string, inner: string) => (name === '' ? inner : `\\s*<${name}>${inner}\\s*</${name}>`);
    const inner = children.map((child) => {
      const text = isLeftOut(child) ? '[^<]*' : '([^<]*)';
      return within(child.tag, child.texts.map((name) => `\\s*<${name}>${text}</${name}>`).join(''));
    });
    this.#pattern = new RegExp(within(tag, inner.join('')), 'y');
  }

  /**
   * Adds the elements from the position `from` on to `items`.
   *
   * @returns the position after them.
   */
  read(xml: string, from: number, items: Item[]): number {
    if (this.#pattern === undefined) return from;
    this.#pattern.lastIndex = from;
    for (
      let found = this.#pattern.exec(xml);
      found !== null && items.length <= MAX_ELEMENTS;
      found = this.#pattern.exec(xml)
    ) {
      const fields: Record<string, string> = {};
      const begin = items.length;
      for (const name of this.#nested) items.push({ name, fields: {} });
      for (let i = 0; i < this.#texts.length; i++) {
        const { name, parent } = this.#texts[i]!;
        const of: Record<string, string> = parent === -1 ? fields : items[begin + parent]!.fields;
        of[name] = unescape(found[i + 1]!);
      }
      items.push({ name: this.#name, fields });
      from = this.#pattern.lastIndex;
    }
    return from;
  }
}

/** The name of a tag without its namespace prefix. */
export function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}
