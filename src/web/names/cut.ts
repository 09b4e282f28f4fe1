import type { Piece } from './visible.ts';

/** Names of up to this length are not shortened. */
const SHORT = 24;
/** The number of characters before the file extension that stay visible in a shortened name. */
const KEPT = 6;
const LONGEST_ENDING = 10;
/** Characters that cannot begin a part, because they belong to the character before them. */
const BELONGS_BEFORE = /^(?:[\uDC00-\uDFFF]|\p{M}|\p{Emoji_Modifier}|\u200D)/u;

/** Splits a name into a start that may be shortened and an end that stays visible: `quarterly report of the whole group, f` and `inal.pdf`. */
export function cutName<P extends Piece>(pieces: readonly P[]): readonly [start: readonly P[], end: readonly P[]] {
  const whole = pieces.map(({ text }) => text).join('');
  if (whole.length <= SHORT) return [pieces, []];
  let wanted = KEPT + endingLength(whole);
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    const piece = pieces[index]!;
    const { text, isHidden } = piece;
    if (wanted >= text.length) {
      wanted -= text.length;
      continue;
    }
    const at = isHidden ? text.length : boundary(text, text.length - wanted);
    const part = (from: number, to: number): readonly P[] =>
      from === to ? [] : [{ ...piece, text: text.slice(from, to) }];
    return [
      [...pieces.slice(0, index), ...part(0, at)],
      [...part(at, text.length), ...pieces.slice(index + 1)],
    ];
  }
  return [pieces, []];
}

function endingLength(name: string): number {
  const length = name.length - name.lastIndexOf('.');
  return length <= LONGEST_ENDING ? length : 0;
}

/** The last position at or before `at` that does not split a character. */
function boundary(text: string, at: number): number {
  let place = at;
  while (place > 0 && (BELONGS_BEFORE.test(text.slice(place, place + 2)) || text[place - 1] === '\u200D')) place -= 1;
  return place;
}
