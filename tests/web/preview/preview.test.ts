import { describe, expect, it } from '@jest/globals';
import { decodeText } from '../../../src/web/preview/decode-text.ts';
import { highlight, loadLanguage } from '../../../src/web/preview/highlight.ts';
import { languageOf } from '../../../src/web/preview/language.ts';
import { metadataValue } from '../../../src/web/preview/metadata-value.ts';
import { previewKindOf } from '../../../src/web/preview/preview-kind.ts';

describe('previewKindOf', () => {
  it.each([
    ['a.png', 'application/octet-stream', 'image'],
    ['a.svg', '', 'svg'],
    ['page.html', 'text/html', 'text'],
    ['LICENSE', 'text/plain; charset=utf-8', 'text'],
    ['data', 'application/ld+json', 'text'],
    ['photo', 'image/svg+xml', 'svg'],
    ['photo', 'image/png;, image/svg+xml', 'svg'],
    ['photo.png', 'Image/SVG+XML; charset=utf-8', 'svg'],
    ['photo.png', 'image/png, image/svg+xml', 'svg'],
    ['photo.heic', 'image/heic', undefined],
    ['a.zip', 'text/plain', 'zip'],
    ['a.parquet', 'application/octet-stream', 'parquet'],
    ['a.rar', 'text/plain', undefined],
    ['mystery', 'application/octet-stream', undefined],
  ])('of `%s`, stored as `%s`, is %s', (key, type, kind) => {
    expect(previewKindOf(key, type)).toBe(kind);
  });
});

describe('metadataValue', () => {
  it.each([
    ['plain text', 'plain text'],
    ['=?UTF-8?B?TcO8bmNoZW4=?=', 'München'],
    ['=?utf-8?q?M=C3=BCnchen_Ost?=', 'München Ost'],
    ['=?UTF-8?Q?a?= =?UTF-8?Q?b?= and c', 'ab and c'],
    ['M\u00c3\u00bcnchen', 'München'],
    ['M\u00fcnchen', 'M\u00fcnchen'],
    ['=?UTF-8?B?!?=', '=?UTF-8?B?!?='],
    ['1 =? 2', '1 =? 2'],
  ])('of `%s` is `%s`', (header, value) => {
    expect(metadataValue(header)).toBe(value);
  });
});

describe('decodeText', () => {
  const bytesOf = (...bytes: number[]) => new Uint8Array(bytes).buffer;

  it('reads UTF-8, and UTF-16 by its mark', () => {
    expect(decodeText(bytesOf(0xef, 0xbb, 0xbf, 0xc3, 0xa9), false)).toBe('é');
    expect(decodeText(bytesOf(0xff, 0xfe, 0xe9, 0x00), false)).toBe('é');
  });

  it('drops a character that the cut went through', () => {
    expect(decodeText(bytesOf(0x61, 0xc3), true)).toBe('a');
  });

  it('tells that bytes are no text', () => {
    expect(decodeText(bytesOf(0x7f, 0x45, 0x4c, 0x46, 0x00), false)).toBeUndefined();
  });
});

describe('highlight', () => {
  it('escapes whatever the text holds', async () => {
    await loadLanguage('xml');
    const html = highlight('<img src=x onerror=alert(1)><script>alert(1)</script>', 'xml');
    expect(html).toContain('onerror');
    expect(html).not.toMatch(/<(img|script)/);
  });
});

describe('languageOf', () => {
  it('knows endings and whole names, and leaves other and long texts alone', () => {
    expect(['ts', 'dockerfile', 'constructor', 'xyz'].map((ending) => languageOf('x', ending))).toEqual([
      'typescript',
      'dockerfile',
      undefined,
      undefined,
    ]);
    expect(languageOf('x'.repeat(200_001), 'ts')).toBeUndefined();
  });
});
