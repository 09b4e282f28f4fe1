/** The text of each child of an element that holds text only. An element that comes twice has its last text. */
export type Fields = Readonly<Record<string, string>>;

/** An answer of S3. `items` are the elements beneath the root that hold such children, in their order, at any depth. */
export type XmlAnswer = { readonly root: string; readonly fields: Fields; readonly items: readonly { readonly name: string; readonly fields: Fields }[] };

const MAX_DEPTH = 16;

/** The text is not XML, or has parts that no answer of S3 has. */
export class XmlFault extends Error {}

type Open = { readonly name: string; readonly textFrom: number; fields: Record<string, string> | undefined; hasElements: boolean };

/**
 * Reads an answer of S3 in one pass, and builds nothing but its texts. Attributes and prefixes of namespaces are ignored.
 *
 * @throws {XmlFault} for what is not XML, and for a document type, because its entities could grow without limit.
 */
export function readXml(xml: string): XmlAnswer {
  const items: { name: string; fields: Fields }[] = [];
  const open: Open[] = [];
  let root: XmlAnswer | undefined;
  let at = xml.indexOf('<');
  if (xml.slice(0, at).replace('\uFEFF', '').trim() !== '' || at === -1) throw new XmlFault('it does not begin with an element');
  for (; at !== -1; at = xml.indexOf('<', at)) {
    const kind = xml.charCodeAt(at + 1);
    if (kind === QUESTION || kind === EXCLAMATION) {
      at = endOfAside(xml, at, open.length > 0);
      continue;
    }
    const end = xml.indexOf('>', at);
    if (end === -1) throw new XmlFault('a tag does not end');
    if (kind === SLASH) {
      const element = open.pop();
      if (element === undefined || localName(xml, at + 2, end) !== element.name) throw new XmlFault('a tag closes another element than the last');
      close(element, element.hasElements ? '' : xml.slice(element.textFrom, at));
    } else {
      if (root !== undefined || open.length >= MAX_DEPTH) throw new XmlFault(root === undefined ? 'its elements are too deep' : 'it has two roots');
      const isEmpty = xml.charCodeAt(end - 1) === SLASH;
      const element: Open = { name: localName(xml, at + 1, isEmpty ? end - 1 : end), textFrom: end + 1, fields: undefined, hasElements: false };
      if (open.length > 0) open[open.length - 1]!.hasElements = true;
      if (isEmpty) close(element, '');
      else open.push(element);
    }
    at = end + 1;
  }
  if (root === undefined) throw new XmlFault('it is cut off');
  return root;

  function close({ name, fields, hasElements }: Open, text: string): void {
    if (open.length === 0) root = { root: name, fields: fields ?? {}, items };
    else if (hasElements && fields !== undefined) items.push({ name, fields });
    else if (!hasElements) (open[open.length - 1]!.fields ??= {})[name] = textOf(text);
  }
}

const [SLASH, QUESTION, EXCLAMATION, COLON, BLANK] = [0x2f, 0x3f, 0x21, 0x3a, 0x20];

/** The name of a tag, without the prefix of its namespace and without attributes. */
function localName(xml: string, from: number, to: number): string {
  let start = from;
  let at = from;
  for (; at < to; at++) {
    const code = xml.charCodeAt(at);
    if (code <= BLANK) break;
    if (code === COLON) start = at + 1;
  }
  if (at === start) throw new XmlFault('a tag has no name');
  return xml.slice(start, at);
}

/** The end of a declaration, a comment or a section of text. */
function endOfAside(xml: string, at: number, isInside: boolean): number {
  for (const [begin, end] of [['<?', '?>'], ['<!--', '-->'], ['<![CDATA[', ']]>']] as const) {
    if (!xml.startsWith(begin, at) || (begin === '<![CDATA[' && !isInside)) continue;
    const until = xml.indexOf(end, at + begin.length);
    if (until !== -1) return until + end.length;
  }
  throw new XmlFault('it has a document type, or a comment without an end');
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function textOf(text: string): string {
  if (text.includes('<')) return text.split(/(<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[[^]*?\]\]>)/).map((part, i) => (i % 2 === 0 ? unescape(part) : part.startsWith('<![') ? part.slice(9, -3) : '')).join('');
  return unescape(text);
}

function unescape(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;&]{0,10})(;?)/g, (_whole, name: string, end: string) => {
    const code = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name);
    const point = code === null ? undefined : Number.parseInt(code[1] ?? code[2]!, code[1] === undefined ? 10 : 16);
    const character = point === undefined ? (Object.hasOwn(NAMED, name) ? NAMED[name] : undefined) : point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
    if (end === '' || character === undefined) throw new XmlFault('it names an entity that is not known');
    return character;
  });
}

/** Escapes a text for a body in XML. */
export function xmlText(text: string): string {
  return text.replace(/[&<>"\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}
