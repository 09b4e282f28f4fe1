import type { Piece } from './visible.ts';

/** A piece of a name; `isMarked` if it is what a search looked for. */
export type MarkedPiece = Piece & { readonly isMarked?: boolean };

/**
 * Marks what a search found in a name. Letter case and the Unicode form of accents do not count, as in the service. Of a path, the part after the last slash is
 * looked for at the start of the name.
 */
export function markedPieces(pieces: readonly Piece[], sought: string): readonly MarkedPiece[] {
  const part = folded(sought.slice(sought.lastIndexOf('/') + 1));
  if (part === '') return pieces;
  const isPath = sought.includes('/');
  return pieces.flatMap((piece, index) => {
    if (piece.isHidden || (isPath && index > 0)) return [piece];
    return split(piece.text, part, isPath);
  });
}

function split(text: string, part: string, isAtStart: boolean): MarkedPiece[] {
  const { whole, letters } = foldedWithOrigins(text);
  const pieces: MarkedPiece[] = [];
  let done = 0;
  const add = (to: number, isMarked: boolean): void => {
    if (to > done) pieces.push({ text: text.slice(done, to), isHidden: false, ...(isMarked && { isMarked }) });
    done = Math.max(done, to);
  };
  for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, at + part.length)) {
    if (isAtStart && at > 0) break;
    add(letters[at]!.from, false);
    add(letters[at + part.length - 1]!.to, true);
  }
  add(text.length, false);
  return pieces;
}

type Letter = { readonly from: number; readonly to: number };

/** The folded text, and for each of its characters where its letter is in the text. Folding may change lengths. */
function foldedWithOrigins(text: string): { readonly whole: string; readonly letters: readonly Letter[] } {
  let whole = '';
  const letters: Letter[] = [];
  for (const { 0: letter, index } of text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const plain = folded(letter);
    whole += plain;
    for (let i = 0; i < plain.length; i += 1) letters.push({ from: index, to: index + letter.length });
  }
  return { whole, letters };
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
