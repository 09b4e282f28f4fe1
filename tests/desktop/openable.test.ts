import { describe, expect, it } from '@jest/globals';
import { isOpenable } from '../../src/desktop/openable.ts';

describe('isOpenable', () => {
  it.each(['a.pdf', 'a.TXT', 'a.docx', 'a.png', 'a.Jpeg', 'a.mp3', 'a.webm', 'b.ts/a.csv'])('opens %s', (file) =>
    expect(isOpenable(file)).toBe(true),
  );

  it.each([
    'a.ts',
    'a.m3u',
    'a.asx',
    'a.wax',
    'a.wvx',
    'a.ram',
    'a.wmf',
    'a.emf',
    'a.svg',
    'a.html',
    'a.docm',
    'a.exe',
    'a.desktop',
    'a.pdf.sh',
    'a',
    '.png',
    '',
  ])('does not open %s', (file) => expect(isOpenable(file)).toBe(false));
});
