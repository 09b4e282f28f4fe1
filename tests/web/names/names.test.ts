import { describe, expect, it } from '@jest/globals';
import { cutName } from '../../../src/web/names/cut.ts';
import { hasHidden, inSentence, piecesOf, visibleText } from '../../../src/web/names/visible.ts';

describe('visibleText', () => {
  it.each([
    ['invoice\u202Efdp.exe', 'invoice⟨U+202E⟩fdp.exe'],
    ['a\u2066b\u2069', 'a⟨U+2066⟩b⟨U+2069⟩'],
    ['zero\u200Bwidth\uFEFF', 'zero⟨U+200B⟩width⟨U+FEFF⟩'],
    ['line\nbreak\u0007\u0085', 'line⟨U+000A⟩break⟨U+0007⟩⟨U+0085⟩'],
    ['soft\u00ADhyphen\u3164\u{E0061}', 'soft⟨U+00AD⟩hyphen⟨U+3164⟩⟨U+E0061⟩'],
    ['no\u00A0break, thin\u2009space', 'no⟨U+00A0⟩break, thin⟨U+2009⟩space'],
    [' at the edges  ', '⟨U+0020⟩at the edges⟨U+0020⟩⟨U+0020⟩'],
    ['half \uD83D pair', 'half ⟨U+D83D⟩ pair'],
    ['a\u200Db\uFE0F', 'a⟨U+200D⟩b⟨U+FE0F⟩'],
  ])('shows what cannot be seen in %j', (name, shown) => {
    expect(visibleText(name)).toBe(shown);
    expect(hasHidden(name)).toBe(true);
  });

  it.each([
    '',
    'report.txt',
    'two  spaces.txt',
    'Grüße 50% +#?&.md',
    'u\u0308ber.txt',
    '👨‍👩‍👧 ❤️ 👍🏽 1️⃣.png',
    'می‌خواهم.txt',
    'חשבון.pdf',
    '日本語.txt',
  ])('leaves %j as it is', (name) => {
    expect([visibleText(name), hasHidden(name)]).toEqual([name, false]);
  });

  it('tells names apart that differ only by what cannot be seen', () => {
    const names = [
      'report.txt',
      'report.txt ',
      're\u200Bport.txt',
      'rep\u200Bort.txt',
      'report\u00A0.txt',
      'report .txt',
      'report\u2060.txt',
    ];
    expect(new Set(names.map(visibleText)).size).toBe(names.length);
  });
});

describe('inSentence', () => {
  it('keeps the order of letters from right to left to the name', () => {
    expect([inSentence('חשבון.pdf'), inSentence('a.pdf'), inSentence('a\u202E')]).toEqual([
      '\u2068חשבון.pdf\u2069',
      'a.pdf',
      'a⟨U+202E⟩',
    ]);
  });
});

describe('cutName', () => {
  const cut = (name: string) => cutName(piecesOf(name)).map((part) => part.map(({ text }) => text).join(''));

  it('keeps the ending and some of what is before it', () => {
    expect(cut('quarterly report of the whole group, final.pdf')).toEqual([
      'quarterly report of the whole group,',
      ' final.pdf',
    ]);
    expect(cut('a name without any ending that is long')).toEqual(['a name without any ending that i', 's long']);
    expect(cut('short.txt')).toEqual(['short.txt', '']);
  });

  it('loses nothing, and tears no character apart', () => {
    for (const tail of ['👨‍👩‍👧', '👍🏽', 'u\u0308', '😀', '\u202E', 'é']) {
      for (let fill = 0; fill < 12; fill += 1) {
        const name = `${'x'.repeat(24)}${tail}${'y'.repeat(fill)}.txt`;
        const parts = cut(name);
        expect(parts.join('')).toBe(
          piecesOf(name)
            .map(({ text }) => text)
            .join(''),
        );
        const shown = piecesOf(tail)[0]!.text;
        expect(parts.filter((part) => part.includes(shown))).toHaveLength(1);
      }
    }
  });
});
