/** The text is not XML, or has constructs that no answer of S3 has. */
export class XmlFault extends Error {}

/** The text of an element, which may contain comments and CDATA sections. */
export function textOf(text: string): string {
  if (!text.includes('<')) return unescape(text);
  const parts = text.split(/(<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[[^]*?\]\]>)/);
  return parts
    .map((part, i) => (i % 2 === 0 ? unescape(part) : part.startsWith('<![') ? part.slice(9, -3) : ''))
    .join('');
}

/** Replaces the entities of a text. */
export function unescape(text: string): string {
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
