/** Unicode's Stream-Safe Text Format allows as many in a row. The browser takes quadratic time for more. */
const MARKS = /([\p{M}\u200C\u200D]{30})[\p{M}\u200C\u200D]+/gu;
const CONTROLS = String.raw`[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]`;
const RIGHT_TO_LEFT = String.raw`\u0590-\u061B\u061D-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}`;
/** A control character, or text from right to left up to a digit or text from left to right. */
const DIRECTIONS = new RegExp(
  String.raw`${CONTROLS}|[[${RIGHT_TO_LEFT}]--\p{N}][[${RIGHT_TO_LEFT}\s\p{P}]--\p{N}]*`,
  'gv',
);

/** The text of an object as it is shown: without endless runs of combining marks, and with LF line ends. */
export function displayText(text: string): string {
  return withFewMarks(text.replace(/\r\n?/g, '\n'));
}

/** A text without endless runs of combining marks. */
export function withFewMarks(text: string): string {
  return text.replace(MARKS, '$1…');
}

/**
 * The first positions where the writing direction changes to right-to-left. The browser lays out each of these parts on
 * its own, which takes as long as for many characters.
 */
export function directionChanges(text: string, most = Infinity): readonly number[] {
  const changes: number[] = [];
  for (const { index } of text.matchAll(DIRECTIONS)) {
    if (changes.length === most) break;
    changes.push(index);
  }
  return changes;
}
