/** The text of each child of an element that contains text only. Of repeated children the last one counts. */
export type Fields = Readonly<Record<string, string>>;

/** An answer of S3. `items` are the elements beneath the root that contain such children, in order and at any depth. */
export type XmlAnswer = { readonly root: string; readonly fields: Fields; readonly items: readonly Item[] };

const MAX_DEPTH = 16;
/** More than the largest answer has, so that no text holds up the event loop or fills memory. An element that is read like the one before counts once with its children. */
const MAX_ELEMENTS = 100_000;

/** The text is not XML, or has constructs that no answer of S3 has. */
export class XmlFault extends Error {}

/** A child of an element: its tag, with those of its children that contain text only; or an empty tag, with that of one that contains text only itself. */
type Child = { readonly tag: string; readonly texts: readonly string[] };
/** `tag` is the name with its namespace prefix. `children` are those so far, while all of them are as in {@link Child}. */
type Open = { readonly tag: string; fields: Record<string, string> | undefined; children: Child[] | undefined };

/**
 * Reads an answer of S3 in one pass. Attributes and namespace prefixes are ignored.
 *
 * @throws {XmlFault} for invalid XML, for too many elements, and for a document type, because its entities could grow without limit.
 */
export function readXml(xml: string): XmlAnswer {
  const items: Item[] = [];
  const open: Open[] = [];
  let root: XmlAnswer | undefined;
  const patterns = new Map<string, Alike>();
  /** The last two patterns at each depth: in a list of versions, deletions are between the others. */
  const recent: (readonly Alike[])[] = [];
  // A pattern costs far more than an element, so a text with many shapes gets no further ones.
  const alikeOf = (tag: string, children: readonly Child[]): Alike | undefined => {
    const shape = JSON.stringify([tag, children]);
    const known = patterns.get(shape);
    if (known !== undefined || patterns.size >= MAX_ALIKE) return known;
    const pattern = new Alike(tag, children);
    patterns.set(shape, pattern);
    return pattern;
  };
  let count = 0;
  let at = xml.indexOf('<');
  if (at === -1 || xml.slice(0, at).replace('\uFEFF', '').trim() !== '')
    throw new XmlFault('it does not begin with an element');
  for (; at !== -1; at = xml.indexOf('<', at)) {
    const kind = xml.charCodeAt(at + 1);
    if (kind === QUESTION || kind === EXCLAMATION) {
      at = endOfAside(xml, at, open.length > 0);
      continue;
    }
    count += 1;
    if (count + items.length > MAX_ELEMENTS) throw new XmlFault('it has too many elements');
    const end = xml.indexOf('>', at);
    if (end === -1) throw new XmlFault('a tag does not end');
    if (kind === SLASH) {
      const element = open.pop();
      if (element === undefined || xml.slice(at + 2, end).trimEnd() !== element.tag)
        throw new XmlFault('a tag closes another element than the last');
      const name = localName(element.tag);
      if (open.length === 0) root = { root: name, fields: element.fields ?? {}, items };
      else if (element.fields !== undefined) {
        items.push({ name, fields: element.fields });
        const pattern = element.children && alikeOf(element.tag, element.children);
        const [last] = recent[open.length] ?? [];
        if (pattern !== undefined && pattern !== last)
          recent[open.length] = last === undefined ? [pattern] : [pattern, last];
      }
      const parent = open.at(-1);
      if (element.fields !== undefined && element.children?.every((child) => child.tag === ''))
        parent?.children?.push({ tag: element.tag, texts: element.children.flatMap(({ texts }) => texts) });
      else if (parent !== undefined) parent.children = undefined;
      at = open.length === 0 ? end + 1 : readAlike(recent[open.length] ?? [], xml, end + 1, items);
      continue;
    }
    if (root !== undefined || open.length >= MAX_DEPTH)
      throw new XmlFault('it has two roots, or its elements are too deep');
    const isEmpty = xml.charCodeAt(end - 1) === SLASH;
    const tag = xml.slice(at + 1, endOfName(xml, at + 1, isEmpty ? end - 1 : end));
    const parent = open.at(-1);
    const textEnd = isEmpty ? end : endOfText(xml, end + 1);
    const isText =
      isEmpty ||
      (xml.charCodeAt(textEnd + 1) === SLASH &&
        xml.startsWith(tag, textEnd + 2) &&
        xml.charCodeAt(textEnd + 2 + tag.length) === GREATER);
    if (isText && parent !== undefined) {
      (parent.fields ??= {})[localName(tag)] = isEmpty ? '' : textOf(xml.slice(end + 1, textEnd));
      parent.children?.push({ tag: '', texts: [tag] });
      at = isEmpty ? end + 1 : textEnd + tag.length + 3;
    } else if (isEmpty) {
      root = { root: localName(tag), fields: {}, items };
      at = end + 1;
    } else {
      // The root has too many children to remember them.
      open.push({ tag, fields: undefined, children: parent === undefined ? undefined : [] });
      at = end + 1;
    }
  }
  if (root === undefined) throw new XmlFault('it is cut off');
  return root;
}

type Item = { readonly name: string; readonly fields: Fields };

/** Reads elements that match one of the patterns. @returns the position after them. */
function readAlike(patterns: readonly Alike[], xml: string, from: number, items: Item[]): number {
  for (let before = -1; from > before;) {
    before = from;
    for (const pattern of patterns) from = pattern.read(xml, from, items);
  }
  return from;
}

/** Reads consecutive elements with the same tags in the same order, such as the entries of a list, several times faster than tag by tag. */
class Alike {
  readonly #name: string;
  /** The children that have children, in order. */
  readonly #nested: readonly string[];
  /** Each text: its name, and the place of its parent in `#nested`; -1 for the element itself. */
  readonly #texts: readonly { readonly name: string; readonly parent: number }[];
  readonly #pattern: RegExp | undefined;

  constructor(tag: string, children: readonly Child[]) {
    const nested = children.filter((child) => child.tag !== '');
    this.#name = localName(tag);
    this.#nested = nested.map((child) => localName(child.tag));
    this.#texts = children.flatMap((child) =>
      child.texts.map((text) => ({ name: localName(text), parent: nested.indexOf(child) })),
    );
    const tags = [tag, ...nested.map((child) => child.tag), ...children.flatMap(({ texts }) => texts)];
    if (tags.length > MAX_ALIKE || !tags.every((name) => /^[\w:-]+$/.test(name))) return;
    const within = (name: string, inner: string) => (name === '' ? inner : `\\s*<${name}>${inner}\\s*</${name}>`);
    const inner = children.map((child) =>
      within(child.tag, child.texts.map((name) => `\\s*<${name}>([^<]*)</${name}>`).join('')),
    );
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

const MAX_ALIKE = 32;
const [SLASH, QUESTION, EXCLAMATION, GREATER, BLANK] = [0x2f, 0x3f, 0x21, 0x3e, 0x20];

function endOfName(xml: string, from: number, to: number): number {
  let at = from;
  while (at < to && xml.charCodeAt(at) > BLANK) at += 1;
  if (at === from) throw new XmlFault('a tag has no name');
  return at;
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

/** The position of the next tag. Comments and CDATA sections belong to the text. */
function endOfText(xml: string, from: number): number {
  let at = xml.indexOf('<', from);
  while (at !== -1 && (xml.charCodeAt(at + 1) === EXCLAMATION || xml.charCodeAt(at + 1) === QUESTION))
    at = xml.indexOf('<', endOfAside(xml, at, true));
  if (at === -1) throw new XmlFault('it is cut off');
  return at;
}

/** The end of a declaration, a comment or a CDATA section. */
function endOfAside(xml: string, at: number, isInside: boolean): number {
  for (const [begin, end] of [
    ['<?', '?>'],
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
  ] as const) {
    if (!xml.startsWith(begin, at) || (begin === '<![CDATA[' && !isInside)) continue;
    const until = xml.indexOf(end, at + begin.length);
    if (until !== -1) return until + end.length;
  }
  throw new XmlFault('it has a document type, or a comment without an end');
}

function textOf(text: string): string {
  if (!text.includes('<')) return unescape(text);
  const parts = text.split(/(<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[[^]*?\]\]>)/);
  return parts
    .map((part, i) => (i % 2 === 0 ? unescape(part) : part.startsWith('<![') ? part.slice(9, -3) : ''))
    .join('');
}

function unescape(text: string): string {
  let at = text.indexOf('&');
  if (at === -1) return text;
  // Each ETag of a listing is like this.
  if (at === 0 && text.startsWith(QUOTE) && text.endsWith(QUOTE) && text.indexOf('&', 1) === text.length - QUOTE.length)
    return `"${text.slice(QUOTE.length, -QUOTE.length)}"`;
  let whole = '';
  let from = 0;
  for (; at !== -1; at = text.indexOf('&', from)) {
    const end = text.indexOf(';', at);
    if (end === -1) throw new XmlFault('an entity does not end');
    whole += text.slice(from, at) + characterOf(text.slice(at + 1, end));
    from = end + 1;
  }
  return whole + text.slice(from);
}

const QUOTE = '&quot;';
const NAMED = new Map([
  ['quot', '"'],
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['apos', "'"],
]);

function characterOf(entity: string): string {
  const named = NAMED.get(entity);
  if (named !== undefined) return named;
  const [, hexadecimal, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(entity) ?? [];
  const point = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  if (!(point <= 0x10ffff)) throw new XmlFault('it names an entity that is not known');
  return String.fromCodePoint(point);
}

/** Escapes a text for a body in XML. */
export function xmlText(text: string): string {
  if (!/[&<>\r\n]/.test(text)) return text.includes('"') ? text.replaceAll('"', '&#34;') : text;
  return text.replace(/[&<>"\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}
