import { describe, expect, it } from '@jest/globals';
import { bytesOf, hasSlowLine, textFileOf } from '../../../src/web/editor/text-file.ts';

const bytes = (text: string) => new TextEncoder().encode(text).buffer;

describe('textFileOf', () => {
  it.each([
    ['', '', false, '\n'],
    ['a', 'a', false, '\n'],
    ['a\nb\n', 'a\nb\n', false, '\n'],
    ['a\r\n\r\nb', 'a\n\nb', false, '\r\n'],
    ['a\rb\r', 'a\nb\n', false, '\r'],
    ['\u{FEFF}ü\r\n', 'ü\n', true, '\r\n'],
    ['\u{FEFF}\u{FEFF}x', '\u{FEFF}x', true, '\n'],
    ['a\r\nb\nc\r', 'a\r\nb\nc\r', false, 'mixed'],
    ['a\r\r\nb', 'a\r\r\nb', false, 'mixed'],
  ] as const)('reads %j, and bytesOf writes it again', (stored, text, hasMark, lineEnd) => {
    const file = textFileOf(bytes(stored));
    expect(file).toEqual({ text, hasMark, lineEnd });
    expect(bytesOf(text, file!).buffer).toEqual(bytes(stored));
  });

  it.each([
    ['Latin-1', [0x66, 0xfc, 0x72]],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00]],
    ['a lone surrogate', [0xed, 0xa0, 0x80]],
    ['NUL', [0x61, 0x00]],
  ])('refuses %s', (_what, given) => {
    expect(textFileOf(new Uint8Array(given).buffer)).toBeUndefined();
  });
});

describe('hasSlowLine', () => {
  it.each([
    ['combining marks', `a${'\u0301'.repeat(2_000)}`, true],
    ['combining marks behind others', `${'é'.repeat(1_700)}a${'\u0301'.repeat(1_001)}b`, true],
    ['emoji that are joined to one', '👩\u200d'.repeat(1_000), true],
    ['a flag with many tags', `🏴${'\u{E0061}'.repeat(1_000)}`, true],
    ['changes of the writing direction', 'a\u05d0'.repeat(20_000), true],
    ['characters for the writing direction', '\u202e'.repeat(20_000), true],
    ['as many changes in several lines', 'a\u05d0\n'.repeat(20_000), false],
    ['changes of the writing direction in long lines', `${'a\u05d0'.repeat(500)}\n`.repeat(40), true],
    ['letters that are joined', 'ب'.repeat(31_000), true],
    ['letters of two alphabets', 'aα'.repeat(31_000), true],
    ['letters of two alphabets in lines', 'aα aα\n'.repeat(31_000), false],
    ['Latin and Chinese', 'a人'.repeat(101_000), true],
    ['letters with an accent', 'e\u0301'.repeat(20_000), false],
    ['Chinese', '人'.repeat(20_000), false],
    ['control characters', '\u0001'.repeat(2_001), true],
    ['control characters in short lines', `${'\u0001'.repeat(500)}\n`.repeat(40), true],
    ['control characters in all lines of a log', `\u001b[1mwarning\u001b[0m\n`.repeat(20_000), false],
    ['carriage returns', '\r'.repeat(2_001), true],
    ['emoji', '👩 '.repeat(50_001), true],
    ['spaces', ' '.repeat(201_000), true],
    ['spaces between long words', `${' '.repeat(999)}a`.repeat(1_000), false],
    ['tabs', '\t'.repeat(201_000), true],
    ['tabs and spaces between words', 'a \t'.repeat(100_000), false],
    ['one line of ASCII', 'a'.repeat(1_000_000), false],
  ])('judges %s', (_what, text, isSlow) => {
    expect(hasSlowLine(`first\n${text}\n`)).toBe(isSlow);
  });
});
