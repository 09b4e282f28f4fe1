import { describe, expect, it } from '@jest/globals';
import { bytesOf, textFileOf } from '../../../src/web/editor/text-file.ts';

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
