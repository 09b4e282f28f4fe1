import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { fileNameOf } from '../../src/desktop/file-name.ts';
import { redactText } from '../../src/log/redact.ts';
import { S3Request } from '../../src/s3/request.ts';
import { visibleText } from '../../src/web/names/visible.ts';
import { ArchiveNames, commonFolder } from '../../src/zip/names.ts';

/** A header as it is read, of a request with nothing else. */
function headerOf(value: string): string | undefined {
  const rawHeaders = ['Host', 's3.test', 'Authorization', value];
  return new S3Request({ method: 'GET', url: '/', rawHeaders } as IncomingMessage, 's3.test').header('authorization');
}

it('a header has no blanks around it, and those that no protocol knows stay', () => {
  expect(headerOf(' \t a \t b\t ')).toBe('a \t b');
  expect(headerOf(' \t ')).toBe('');
  expect(headerOf(Buffer.from('\u00a0a\u2003').toString('latin1'))).toBe('\u00a0a\u2003');
});

it.each<[string, (text: string) => unknown, unit?: string]>([
  ['blanks within a header', (blanks) => headerOf(`a${blanks}b`)],
  ['blanks within a name in an archive', (blanks) => new ArchiveNames('').nameOf(`a${blanks}b`, false)],
  [
    'combining marks within a name in an archive',
    (marks) => new ArchiveNames('').nameOf(`a${marks}b`, false),
    '\u0301\u0323\u0315',
  ],
  ['blanks within the name of a file', (blanks) => fileNameOf(`a${blanks}b`)],
  ['blanks within a name that is shown', (blanks) => visibleText(`é${blanks}b`)],
  ['beginnings of tokens in a line of the log', (text) => redactText(text), 'eyJ-'],
  [
    'folders within folders of an archive',
    (folders) => commonFolder([...Array.from({ length: 50 }, (__, i) => `${folders}${i}`), 'x'], []),
    'a/',
  ],
])('many %s take no longer than letters', (_, read, unit = ' ') => {
  const timed = (text: string): number => {
    const begun = performance.now();
    read(text);
    return performance.now() - begun;
  };
  const letters = 'a'.repeat(60_000);
  timed(letters);
  // A search that began again at each of them took three seconds.
  expect(timed(unit.repeat(60_000 / unit.length))).toBeLessThan(20 * Math.max(20, timed(letters)));
});
