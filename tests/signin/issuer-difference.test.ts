import { describe, expect, it } from '@jest/globals';
import { issuerDifference } from '../../src/signin/issuer-difference.ts';

describe('issuerDifference', () => {
  it.each([
    ['https://idp/a', 'https://idp/a/', "the provider's issuer has an additional `/` at its end"],
    ['https://idp/a/', 'https://idp/a', 'the configured issuer has an additional `/` at its end'],
    ['http://idp', 'https://idp', "at character 5 the provider's issuer has `s` and the configured one `:`"],
    ['https://Idp', 'https://idp', "at character 9 the provider's issuer has `i` and the configured one `I`"],
    ['https://idp/a\u00a0', 'https://idp/a', 'the configured issuer has an additional `U+00A0` at its end'],
    ['https://idp/е', 'https://idp/e', "at character 13 the provider's issuer has `e` and the configured one `U+0435`"],
  ])('of %j and %j', (configured, provided, difference) => {
    expect(issuerDifference(configured, provided)).toBe(difference);
  });
});
