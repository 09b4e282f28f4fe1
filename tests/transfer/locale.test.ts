import { describe, expect, it } from '@jest/globals';
import { localeIn } from '../../src/format/locale.ts';

describe('localeIn', () => {
  it.each([
    ['en', 'de', 'en-DE', 'May'],
    ['en', 'en-GB', 'en-GB', 'May'],
    ['en', 'en', 'en-US', 'May'],
    ['en', 'sr-Latn-RS', 'en-RS', 'May'],
    ['en', 'de-DE-u-ca-buddhist', 'en-DE', 'May'],
    ['de', 'de-AT', 'de-AT', 'Mai'],
    ['de', 'en-GB', 'de-GB', 'Mai'],
  ])('%s in %s is %s', (language, place, locale, may) => {
    expect(localeIn(language, place)).toBe(locale);
    expect(
      new Intl.DateTimeFormat(localeIn(language, place), { month: 'long', timeZone: 'UTC' }).format(
        new Date('2026-05-20'),
      ),
    ).toBe(may);
  });
});
