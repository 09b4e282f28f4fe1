import { describe, expect, it } from '@jest/globals';
import { cutName } from '../../../src/web/names/cut.ts';
import { markedPieces, type MarkedPiece } from '../../../src/web/names/marked.ts';
import { piecesOf } from '../../../src/web/names/visible.ts';

const drawn = (pieces: readonly MarkedPiece[]) =>
  pieces.map(({ text, isMarked }) => (isMarked === true ? `[${text}]` : text)).join('');

describe('markedPieces', () => {
  it.each([
    ['plan', 'Plan for a plan.md', '[Plan] for a [plan].md'],
    ['aa', 'aaa', '[aa]a'],
    ['über', 'U\u0308BER uns', '[U\u0308BER] uns'],
    ['i', 'İz', '[İ]z'],
    ['z', 'İz', 'İ[z]'],
    ['apollo/pl', 'plan.pl', '[pl]an.pl'],
    ['apollo/', 'apollo.txt', 'apollo.txt'],
    ['', 'plan', 'plan'],
    ['fdp', 'invoice\u202Efdp.exe', 'invoice⟨U+202E⟩[fdp].exe'],
    ['202e', 'invoice\u202Efdp.exe', 'invoice⟨U+202E⟩fdp.exe'],
  ])('marks %j in %j', (sought, name, marked) => {
    expect(drawn(markedPieces(piecesOf(name), sought))).toBe(marked);
  });

  it('keeps the mark where a name is cut', () => {
    const name = 'quarterly report of the whole group, final.pdf';
    const [start, end] = cutName(markedPieces(piecesOf(name), 'final'));
    expect(drawn([...start, ...end]).replaceAll('][', '')).toBe(name.replace('final', '[final]'));
    expect(end.some(({ isMarked }) => isMarked === true)).toBe(true);
  });
});
