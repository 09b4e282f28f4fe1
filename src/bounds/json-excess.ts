/** A batch of the most deeply nested calls has depth 8. */
const MAX_DEPTH = 16;
/** The largest request joins 10,000 parts with two members each. */
const MAX_MEMBERS = 20_500;
/** Lists and objects: the 10,000 parts and what encloses them. */
const MAX_OPENED = 10_500;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPENING_LIST = 0x5b;
const CLOSING_LIST = 0x5d;
const OPENING_OBJECT = 0x7b;
const CLOSING_OBJECT = 0x7d;

/**
 * Says why JSON text is too complex to parse, as a message for its author; undefined when it is not.
 *
 * The time to parse grows with the number of values: a mebibyte of brackets or names takes as long as fifty mebibytes of text, and all other requests wait
 * meanwhile. This check looks at each character once.
 */
export function jsonExcess(text: string): string | undefined {
  let depth = 0;
  let members = 0;
  let opened = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at);
        break;
      case COLON:
        members += 1;
        if (members > MAX_MEMBERS) return `has more than ${MAX_MEMBERS} members`;
        break;
      case OPENING_LIST:
      case OPENING_OBJECT:
        depth += 1;
        opened += 1;
        if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} deep`;
        if (opened > MAX_OPENED) return `has more than ${MAX_OPENED} lists and objects`;
        break;
      case CLOSING_LIST:
      case CLOSING_OBJECT:
        depth -= 1;
        break;
    }
  }
  return undefined;
}

/** The position of the closing quote of the string that starts at `start`. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
