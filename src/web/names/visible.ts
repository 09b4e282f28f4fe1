/** A part of a name: plain text, or the code point of an invisible character, such as `⟨U+202E⟩`. */
export type Piece = { readonly text: string; readonly isHidden: boolean };

/** Sequences that are visible as one character although they contain invisible ones: emoji, and Persian letters with a zero-width non-joiner. */
const DRAWN = String.raw`\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*|[0-9#*]\uFE0F\u20E3|\p{Script=Arabic}\u200C(?=\p{Script=Arabic})`;
/** Control characters, direction marks, characters without width, spaces other than U+0020, and U+0020 at the start or the end. A search from each of many would take long, so it begins at the first. */
const HIDDEN = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]|(?! )\p{Zs}|^ +|(?<! ) +$`;
const ALL = new RegExp(`(?:${DRAWN})|(${HIDDEN})`, 'gu');
/** Names of printable ASCII characters, which are most names and need no search. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Splits a name into visible text and invisible characters, so that the latter can be drawn differently. */
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

/** Whether a name contains invisible characters. */
export function hasHidden(name: string): boolean {
  return piecesOf(name).some(({ isHidden }) => isHidden);
}

/** A name as plain text with visible code points, for tooltips, titles and labels: `invoice⟨U+202E⟩fdp.exe`. */
export function visibleText(name: string): string {
  return piecesOf(name)
    .map(({ text }) => text)
    .join('');
}

/** A name for use in a sentence of plain text. A name in a right-to-left script is isolated, so that it does not reorder the sentence. */
export function inSentence(name: string): string {
  const text = visibleText(name);
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

function codePoint(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
