/** A stretch of a name: as it is, or a character that people could not see, by its code point: `⟨U+202E⟩`. */
export type Piece = { readonly text: string; readonly isHidden: boolean };

/** Signs that are drawn as one although they hold characters that are hidden elsewhere: emoji, and letters of Persian words. */
const DRAWN = String.raw`\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*|[0-9#*]\uFE0F\u20E3|\p{Script=Arabic}\u200C(?=\p{Script=Arabic})`;
/** Controls, what changes the order of text, what has no width, spaces that are not the plain one, and plain ones at the edge. */
const HIDDEN = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]|(?! )\p{Zs}|^ +| +$`;
const ALL = new RegExp(`(?:${DRAWN})|(${HIDDEN})`, 'gu');
/** Nearly all names. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** A name in pieces, so that what cannot be seen can be shown otherwise. */
export function piecesOf(name: string): readonly Piece[] {
  if (name === '' || PLAIN.test(name)) return [{ text: name, isHidden: false }];
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, 1: hidden, index } of name.matchAll(ALL)) {
    if (hidden === undefined) continue;
    if (index > end) pieces.push({ text: name.slice(end, index), isHidden: false });
    for (const character of hidden) pieces.push({ text: codePoint(character), isHidden: true });
    end = index + found.length;
  }
  if (end < name.length) pieces.push({ text: name.slice(end), isHidden: false });
  return pieces;
}

/** Whether a name holds characters that people cannot see. */
export function hasHidden(name: string): boolean {
  return piecesOf(name).some(({ isHidden }) => isHidden);
}

/** A name as plain text, for tooltips, titles and labels: `invoice⟨U+202E⟩fdp.exe`. */
export function visibleText(name: string): string {
  return piecesOf(name)
    .map(({ text }) => text)
    .join('');
}

/** A name within a sentence of plain text: letters that are written from right to left keep their order to themselves. */
export function inSentence(name: string): string {
  const text = visibleText(name);
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

function codePoint(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
