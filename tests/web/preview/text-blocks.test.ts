import { describe, expect, it } from '@jest/globals';
import { blocksOfHtml } from '../../../src/web/preview/html-blocks.ts';
import { highlight, loadLanguage } from '../../../src/web/preview/highlight.ts';
import { displayText } from '../../../src/web/preview/display-text.ts';
import { blocksOfText } from '../../../src/web/preview/text-blocks.ts';

const CODE = '/* a comment\nof several lines */\nconst a = `${1 + 2} < 3`; // "&"\n\n'.repeat(400);
const LINE = CODE.replaceAll('\n', ' ');

const splits = (text: string): readonly number[] =>
  blocksOfText(text)
    .slice(1)
    .map(({ start }) => start);
const textOf = (html: string): string => {
  const characters = new Map([
    ['&lt;', '<'],
    ['&gt;', '>'],
    ['&amp;', '&'],
    ['&quot;', '"'],
    ['&#x27;', "'"],
  ]);
  return html.replace(/<[^>]*>/g, '').replace(/&[^;]*;/g, (reference) => characters.get(reference)!);
};

describe('blocksOfText', () => {
  it('keeps the text, and numbers its lines', () => {
    const blocks = blocksOfText(CODE);
    expect(blocks.map(({ text }) => text).join('')).toBe(CODE);
    expect(blocks.length).toBeGreaterThan(2);
    for (const { text, line, isContinued } of blocks) {
      expect(isContinued).toBe(false);
      expect(text).toBe(
        CODE.split(/(?<=\n)/)
          .slice(line - 1, line - 1 + text.split('\n').length - 1)
          .join(''),
      );
    }
  });

  it('breaks a long line, which has one number', () => {
    const blocks = blocksOfText(`a\n${'b'.repeat(9_000)}\nc\n`);
    expect(blocks.map(({ line, lines, isContinued, longest }) => [line, lines, isContinued, longest])).toEqual([
      [1, 1, false, 1],
      [2, 1, false, 4_000],
      [2, 1, true, 4_000],
      [2, 2, true, 1_000],
    ]);
  });

  it('tears no character apart, and has few changes of the writing direction in a block', () => {
    expect(blocksOfText('a'.repeat(3_999) + '😀').map(({ text }) => text.length)).toEqual([3_999, 2]);
    expect(Math.max(...blocksOfText('a\u05d0'.repeat(4_000)).map(({ text }) => text.length))).toBeLessThan(500);
    expect(blocksOfText('\u05d0\u05d1 '.repeat(1_000))).toHaveLength(1);
  });
});

describe('blocksOfHtml', () => {
  it.each([
    ['lines', CODE],
    ['one line', LINE],
    ['nested elements', '`${\n'.repeat(500) + CODE],
  ])('splits highlighted text like the text: %s', async (_, text) => {
    await loadLanguage('javascript');
    const blocks = blocksOfHtml(highlight(text, 'javascript'), splits(text));
    expect(blocks.map(textOf)).toEqual(blocksOfText(text).map((block) => block.text));
    for (const html of blocks) {
      const [starts, ends] = [html.match(/<span/g) ?? [], html.match(/<\/span>/g) ?? []];
      expect(ends).toHaveLength(starts.length);
    }
  });

  it('opens elements again that continue, and leaves out deep ones', () => {
    expect(blocksOfHtml('<span>x&amp;y</span>z', [1, 2])).toEqual([
      '<span>x</span>',
      '<span>&amp;</span>',
      '<span>y</span>z',
    ]);
    const deep = `${'<span class="a">'.repeat(30)}x${'</span>'.repeat(30)}`;
    expect(blocksOfHtml(deep, [])).toEqual([`${'<span class="a">'.repeat(20)}x${'</span>'.repeat(20)}`]);
  });
});

describe('shownText', () => {
  it('has no endless runs of combining marks, and only LF line ends', () => {
    const marks = '\u0301'.repeat(30);
    expect(displayText(`e\u0301\r\n👨‍👩‍👧\r${marks}\u0301`)).toBe(`e\u0301\n👨‍👩‍👧\n${marks}…`);
  });
});
