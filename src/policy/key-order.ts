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

export function laterKey(a: string, b: string): string {
  return compareKeys(a, b) < 0 ? b : a;
}

const LAST_CODE_POINT = '\u{10ffff}';

/**
 * A position after the keys that start with `prefix`, for the "start after" of a storage request.
 *
 * Only keys that continue with U+10FFFF, which is not a character, come after it. A reader that checks each key handles them correctly.
 */
export function behindPrefix(prefix: string): string {
  return prefix + LAST_CODE_POINT;
}

/**
 * A position before `key` and after every key that is listed before it, except keys that contain U+10FFFF.
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
  return behindPrefix(stem + String.fromCodePoint(before));
}
