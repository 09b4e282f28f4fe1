import { setImmediate as turn } from 'node:timers/promises';
import {
  Alike,
  localName,
  MAX_ALIKE,
  MAX_ELEMENTS,
  readAlike,
  type Child,
  type Columns,
  type Fields,
  type Item,
  type Row,
} from './alike.ts';
import { checkAttributes, CUT_OFF, endOfAside, endOfName, endOfText, EXCLAMATION, QUESTION, SLASH } from './tags.ts';
import { textOf, XmlFault } from './text.ts';

/**
 * An answer of S3. `items` are the elements beneath the root that contain such children, in order and at any depth. Those that are asked for in columns are `rows`
 * instead, and nothing within them is an item.
 */
export type XmlAnswer = {
  readonly root: string;
  readonly fields: Fields;
  readonly items: readonly Item[];
  readonly rows: Row[];
};

const MAX_DEPTH = 16;
/** More than any answer has in one element. A name takes several times the memory of its characters. */
const MAX_NAMES = 256;

/** `tag` is the name with its namespace prefix. `children` are those so far, while all of them are as in {@link Child}. */
type Open = {
  readonly tag: string;
  fields: Record<string, string> | undefined;
  /** The number of the names in `fields`. */
  names: number;
  children: Child[] | undefined;
};

/** Characters. An incomplete tag or text may be as long; storage that sends longer ones would have each piece read again and again. */
const MAX_UNREAD = 262_144;

/**
 * The patterns that made lines of the last text with the same columns. Readers with the same columns leave out the same elements. Most storage writes all its lists
 * alike, so that not even the first element of the next one is read tag by tag.
 */
const LAST = new WeakMap<Columns, readonly Alike[]>();

export type XmlReaderOptions = {
  /** Items of these names are not collected. */
  readonly leaveOut?: readonly string[];
  readonly columns?: Columns | undefined;
};

/** Reads an answer of S3 in pieces, in one pass. Attributes and namespace prefixes are ignored. */
export class XmlReader {
  readonly #leaveOut: ReadonlySet<string>;
  readonly #columns: Columns;
  readonly #read = { items: [] as Item[], rows: [] as Row[] };
  readonly #open: Open[] = [];
  readonly #patterns = new Map<string, Alike>();
  /** The last two patterns at each depth: in a list of versions, deletions are between the others. */
  readonly #recent: (readonly Alike[])[] = [];
  #root: XmlAnswer | undefined;
  #count = 0;
  #begun = false;
  /** What is read when more of it has come. */
  #unread = '';

  constructor({ leaveOut = [], columns = new Map() }: XmlReaderOptions = {}) {
    this.#leaveOut = new Set(leaveOut);
    this.#columns = columns;
    this.#recent[1] = LAST.get(columns) ?? [];
  }

  /** @throws {XmlFault} for invalid XML, for too many elements, and for a document type, because its entities could grow without limit. */
  push(piece: string): void {
    const xml = this.#unread + piece;
    let at = xml.indexOf('<');
    if (
      !this.#begun &&
      xml
        .slice(0, at === -1 ? undefined : at)
        .replace('\uFEFF', '')
        .trim() !== ''
    )
      throw new XmlFault('it does not begin with an element');
    this.#begun ||= at !== -1;
    while (at !== -1) {
      const next = this.#readAt(xml, at);
      if (next === CUT_OFF) break;
      at = xml.indexOf('<', next);
    }
    this.#unread = at === -1 ? '' : xml.slice(at);
    if (this.#unread.length > MAX_UNREAD) throw new XmlFault('a tag or a text is too long');
  }

  /** How many elements are kept so far. */
  get kept(): number {
    return this.#read.items.length + this.#read.rows.length;
  }

  /** @throws {XmlFault} when the whole is no XML. */
  end(): XmlAnswer {
    if (this.#root === undefined || this.#unread !== '') throw new XmlFault('it is cut off');
    const lines = this.#recent[1]?.filter(({ isOfLines }) => isOfLines);
    LAST.set(this.#columns, lines ?? []);
    return this.#root;
  }

  /** Reads what begins at a `<`. @returns the position after it, or `CUT_OFF`. */
  #readAt(xml: string, at: number): number {
    const kind = xml.charCodeAt(at + 1);
    if (kind === QUESTION || kind === EXCLAMATION) return endOfAside(xml, at, this.#open.length > 0);
    const end = xml.indexOf('>', at);
    if (end === -1) return CUT_OFF;
    if (kind === SLASH) return this.#close(xml, at, end);
    if (this.#root !== undefined || this.#open.length >= MAX_DEPTH)
      throw new XmlFault('it has two roots, or its elements are too deep');
    const alike = this.#alikeHere();
    const afterAlike = readAlike(alike, xml, at, this.#read);
    if (afterAlike > at) return afterAlike;
    // Its pattern can read it only as a whole, so it waits for its end.
    if (alike.some((pattern) => pattern.isCutOff(xml, at))) return CUT_OFF;
    const isEmpty = xml.charCodeAt(end - 1) === SLASH;
    const tagEnd = isEmpty ? end - 1 : end;
    const nameEnd = endOfName(xml, at + 1, tagEnd);
    const tag = xml.slice(at + 1, nameEnd);
    const parent = this.#open.at(-1);
    const textEnd = isEmpty ? end : endOfText(xml, end + 1);
    // At least the tag that closes this element follows the text.
    const next = textEnd === CUT_OFF ? CUT_OFF : xml.indexOf('>', textEnd);
    if (next === CUT_OFF) return CUT_OFF;
    this.#countElement();
    if (nameEnd < tagEnd) checkAttributes(xml.slice(nameEnd, tagEnd));
    const isText = isEmpty || (xml.charCodeAt(textEnd + 1) === SLASH && xml.slice(textEnd + 2, next).trimEnd() === tag);
    if (isText && parent !== undefined) {
      const text = isEmpty ? '' : xml.slice(end + 1, textEnd);
      this.#addText(parent, localName(tag), text);
      parent.children?.push({ tag: '', texts: [tag], ...this.#fit(parent, tag, text) });
      return next + 1;
    }
    if (isEmpty) this.#root = { root: localName(tag), fields: {}, ...this.#read };
    // The root has too many children to remember them.
    else this.#open.push({ tag, fields: undefined, names: 0, children: parent === undefined ? undefined : [] });
    return end + 1;
  }

  #addText(parent: Open, name: string, text: string): void {
    const fields = (parent.fields ??= {});
    if (!Object.hasOwn(fields, name)) parent.names += 1;
    if (parent.names > MAX_NAMES) throw tooMany();
    fields[name] = textOf(text);
  }

  /** Closes an element. */
  #close(xml: string, at: number, end: number): number {
    this.#countElement();
    const element = this.#open.pop();
    if (element === undefined || xml.slice(at + 2, end).trimEnd() !== element.tag)
      throw new XmlFault('a tag closes another element than the last');
    const depth = this.#open.length;
    const name = localName(element.tag);
    if (depth === 0) {
      this.#root = { root: name, fields: element.fields ?? {}, ...this.#read };
      return end + 1;
    }
    const parent = this.#open.at(-1)!;
    if (element.fields !== undefined && !this.#isWithinRow) {
      this.#add(name, element.fields);
      const pattern = element.children && this.#patternOf(element.tag, element.children);
      const [last] = this.#recent[depth] ?? [];
      if (pattern !== undefined && pattern !== last)
        this.#recent[depth] = last === undefined ? [pattern] : [pattern, last];
    }
    if (element.fields !== undefined && element.children?.every((child) => child.tag === ''))
      parent.children?.push({ tag: element.tag, texts: element.children.flatMap(({ texts }) => texts) });
    else parent.children = undefined;
    return end + 1;
  }

  /** The patterns of elements that may follow. */
  #alikeHere(): readonly Alike[] {
    const recent = this.#recent[this.#open.length];
    return recent === undefined || this.#isWithinRow ? [] : recent;
  }

  get #isWithinRow(): boolean {
    return this.#open.some(({ tag }) => this.#columns.has(localName(tag)));
  }

  #add(name: string, fields: Fields): void {
    const texts = this.#columns.get(name)?.columns.map((column) => fields[column]);
    if (texts !== undefined) this.#read.rows.push({ name, texts, at: [...texts.keys()] });
    else if (!this.#leaveOut.has(name)) this.#read.items.push({ name, fields });
  }

  /** Whether the text of a column is written in a line. */
  #fit(parent: Open, tag: string, text: string): Pick<Child, 'fits'> {
    const pattern = this.#columns.get(localName(parent.tag))?.line?.patterns.get(localName(tag));
    return pattern?.exec(text)?.[0] === text ? { fits: true } : {};
  }

  #countElement(): void {
    this.#count += 1;
    if (this.#count + this.kept > MAX_ELEMENTS) throw tooMany();
  }

  /** A pattern costs far more than an element, so a text with many shapes gets no further ones. */
  #patternOf(tag: string, children: readonly Child[]): Alike | undefined {
    const shape = JSON.stringify([tag, children]);
    const known = this.#patterns.get(shape);
    if (known !== undefined || this.#patterns.size >= MAX_ALIKE) return known;
    const pattern = new Alike(tag, children, this.#leaveOut, this.#columns);
    this.#patterns.set(shape, pattern);
    return pattern;
  }
}

/**
 * Reads a whole text with {@link XmlReader}, and lets others work meanwhile.
 *
 * @param most - how many elements are kept of it.
 * @throws {XmlFault}
 */
export async function readXml(xml: string, most = MAX_ELEMENTS): Promise<XmlAnswer> {
  const reader = new XmlReader();
  for (let at = 0; at < xml.length; at += AT_ONCE) {
    if (at > 0) await turn();
    reader.push(xml.slice(at, at + AT_ONCE));
    if (reader.kept > most) throw tooMany();
  }
  return reader.end();
}

const tooMany = (): XmlFault => new XmlFault('it has too many elements');

/** Characters that are read before others work. */
const AT_ONCE = 65_536;
