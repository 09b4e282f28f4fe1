import { describe, expect, it } from '@jest/globals';
import { englishOf } from '../../src/transfer/locale.ts';

describe('englishOf', () => {
  it.each([
    ['de', 'en-DE'],
    ['en-GB', 'en-GB'],
    ['en', 'en-US'],
    ['sr-Latn-RS', 'en-RS'],
    ['de-DE-u-ca-buddhist', 'en-DE'],
  ])('of %s is %s', (locale, english) => {
    expect(englishOf(locale)).toBe(english);
    expect(new Intl.DateTimeFormat(englishOf(locale), { month: 'long', timeZone: 'UTC' }).format(new Date('2026-05-20'))).toBe('May');
  });
});
