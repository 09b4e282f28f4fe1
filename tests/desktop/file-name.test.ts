import { describe, expect, it } from '@jest/globals';
import { fileNameOf, numberedName } from '../../src/desktop/file-name.ts';

describe('what a download is called', () => {
  it.each([
    ['2025/sea & sky.jpg', 'sea & sky.jpg'],
    ['a/..', '_'],
    ['nul.txt', '_nul.txt'],
    ['.bashrc', '_.bashrc'],
    ['q?:1.csv', 'q__1.csv'],
    ['folder/', 'folder'],
    ['conin$.txt', '_conin$.txt'],
    ['com\u00b9', '_com\u00b9'],
    ['gnp.\u202eexe', 'gnp._exe'],
    ['a\u009b\u2028b', 'a__b'],
    ['\u2067a\u2069', '_a_'],
    ['\u05d0\u200e(1).pdf', '\u05d0\u200e(1).pdf'],
    ['half \ud83d', 'half \ufffd'],
    // Nobody sees what stands in these names.
    ['\u200e', '_\u200e'],
    ['\u200b\ufe0f', '_\u200b\ufe0f'],
    ['con\u200e', '_con\u200e'],
    ['n\u00adul.txt', '_n\u00adul.txt'],
    ['\u2060.bashrc', '_\u2060.bashrc'],
  ])('%s is %s', (key, name) => {
    expect(fileNameOf(key)).toBe(name);
  });

  it.each([
    ['as long as a name may be', `${'a'.repeat(251)}.txt`, `${'a'.repeat(251)}.txt`],
    ['with its extension', `${'a'.repeat(300)}.txt`, `${'a'.repeat(251)}.txt`],
    ['by bytes, between two characters', `${'ü🦊'.repeat(50)}.tar`, `${'ü🦊'.repeat(41)}ü.tar`],
    ['with no extension that is longer than one', `a.${'b'.repeat(300)}`, `a.${'b'.repeat(253)}`],
    ['with the mark before it', `.${'b'.repeat(300)}`, `_.${'b'.repeat(253)}`],
    ['without a space at its end', `${' '.repeat(300)}b`, '_'.repeat(255)],
  ])('has at most 255 bytes: %s', (_what, key, name) => {
    expect(fileNameOf(key)).toBe(name);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  });

  it('has a number when the name is taken, and at most 255 bytes with it', () => {
    expect([1, 2].map((number) => numberedName('a.b.txt', number))).toEqual(['a.b.txt', 'a.b (2).txt']);
    expect(numberedName(`${'a'.repeat(251)}.txt`, 10)).toBe(`${'a'.repeat(246)} (10).txt`);
  });
});
