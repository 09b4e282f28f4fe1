import { MAX_KEY_BYTES, utf8Length } from '../model/name.ts';

/**
 * The order in which storage lists keys: by the bytes of their UTF-8 form.
 *
 * JavaScript compares UTF-16 units. The orders differ for surrogates (an emoji, for example): they come before U+E000 to U+FFFF in UTF-16, and after them in
 * UTF-8.
 */

/** Negative when `a` is listed before `b`, zero when they are the same key, positive otherwise. */
export function compareKeys(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return unitRank(left) - unitRank(right);
  }
  return a.length - b.length;
}

/** The rank of a UTF-16 unit in UTF-8 order: surrogates come after U+E000 to U+FFFF. */
export function unitRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

export function maxKey(a: string, b: string): string {
  return compareKeys(a, b) < 0 ? b : a;
}

/** The last text of {@link MAX_KEY_BYTES} bytes in UTF-8, and the last ones of fewer bytes than a character can have. */
const LAST_TEXT = '\u{10ffff}'.repeat(MAX_KEY_BYTES / 4);
const LAST_SHORT_TEXTS = ['', '\x7f', '\u07ff', '\uffff'];

/**
 * The last key that can start with `prefix`: a position after all of them, for the "start after" of a storage request.
 *
 * @param prefix - may end within a character, as the paths of a key tree do.
 */
export function afterPrefix(prefix: string): string {
  const whole = /[\ud800-\udbff]$/.test(prefix) ? `${prefix}\udfff` : prefix;
  const bytes = Math.max(0, MAX_KEY_BYTES - utf8Length(whole));
  return whole + LAST_TEXT.slice(0, 2 * Math.floor(bytes / 4)) + LAST_SHORT_TEXTS[bytes % 4]!;
}

/**
 * A position before `key` and after every key that is listed before it.
 *
 * @param key - not empty.
 */
export function justBefore(key: string): string {
  const last = key.at(-1)!;
  const width = last >= '\udc00' && last <= '\udfff' && key.length > 1 ? 2 : 1;
  const stem = key.slice(0, -width);
  const codePoint = key.codePointAt(stem.length)!;
  if (codePoint === 0) return stem;
  const before = codePoint === 0xe000 ? 0xd7ff : codePoint - 1;
  return afterPrefix(stem + String.fromCodePoint(before));
}
