import { XmlFault } from './text.ts';

/** More has to come before it can be read. It is what `indexOf` returns. */
export const CUT_OFF = -1;
export const [SLASH, QUESTION, EXCLAMATION] = [0x2f, 0x3f, 0x21];
const BLANK = 0x20;

export function endOfName(xml: string, from: number, to: number): number {
  let at = from;
  while (at < to && xml.charCodeAt(at) > BLANK) at += 1;
  if (at === from) throw new XmlFault('a tag has no name');
  return at;
}

/** @throws {XmlFault} when one does not end: it contains a `>`, which was taken for the end of the tag. */
export function checkAttributes(attributes: string): void {
  if (/["']/.test(attributes.replace(/"[^"]*"|'[^']*'/g, ''))) throw new XmlFault('an attribute contains a `>`');
}

/** The position of the next tag. Comments and CDATA sections belong to the text. */
export function endOfText(xml: string, from: number): number {
  let at = xml.indexOf('<', from);
  while (at !== -1 && (xml.charCodeAt(at + 1) === EXCLAMATION || xml.charCodeAt(at + 1) === QUESTION)) {
    const end = endOfAside(xml, at, true);
    at = end === CUT_OFF ? CUT_OFF : xml.indexOf('<', end);
  }
  return at;
}

/** The end of a declaration, a comment or a CDATA section. */
export function endOfAside(xml: string, at: number, isInside: boolean): number {
  for (const [begin, end] of [
    ['<?', '?>'],
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
  ] as const) {
    if (begin === '<![CDATA[' && !isInside) continue;
    if (xml.length < at + begin.length && begin.startsWith(xml.slice(at))) return CUT_OFF;
    if (!xml.startsWith(begin, at)) continue;
    const until = xml.indexOf(end, at + begin.length);
    return until === -1 ? CUT_OFF : until + end.length;
  }
  throw new XmlFault('it has a document type');
}
