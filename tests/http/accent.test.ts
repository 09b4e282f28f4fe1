import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accented, contrast } from '../../src/http/pages/accent.ts';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const rgb = (hex: string) =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [number, number, number];
const between = (a: string, b: string) => contrast(rgb(a), rgb(b));

describe('accented', () => {
  it('gives colours whose text is readable wherever it stands, whatever was chosen', () => {
    fc.assert(
      fc.property(color, (chosen) => {
        const { shades, light, dark } = accented(chosen);
        expect(shades).toHaveLength(10);
        for (const shade of shades) expect(shade).toMatch(/^#[0-9a-f]{6}$/);
        const readable = [
          [shades[7], '#ffffff'],
          [shades[8], '#ffffff'],
          [light.accent, light.chosen],
          [light.accent, '#f5f7f8'],
          [shades[4], '#0b1512'],
          [shades[5], '#0b1512'],
          [dark.accent, dark.chosen],
          [dark.accent, '#11151b'],
        ] as const;
        for (const [text, ground] of readable)
          expect([between(text!, ground) >= 4.5, text, ground]).toEqual([true, text, ground]);
      }),
    );
  });

  it('keeps a colour that is readable already', () => {
    expect(accented('#1d4ed8').shades[7]).toBe('#1d4ed8');
  });

  it('counts the contrast as WCAG does', () => {
    expect([between('#000000', '#ffffff'), Number(between('#767676', '#ffffff').toFixed(2))]).toEqual([21, 4.54]);
  });
});
