import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ArchiveNames, commonFolder, outermost } from '../../../src/zip/names.ts';
import { workedMs } from '../../support/worked.ts';

const namesOf = (...keys: string[]): string[] => {
  const names = new ArchiveNames('');
  return keys.map((key) => names.nameOf(key, key.endsWith('/')));
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heapBytes = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

describe('ArchiveNames', () => {
  it('keeps ordinary names as they are', () => {
    expect(namesOf('a.txt', 'b/c d/ü😀.tar.gz', 'e/')).toEqual(['a.txt', 'b/c d/ü😀.tar.gz', 'e/']);
  });

  it('tells apart names that differ in letters with one capital, as at the end of a Greek word', () => {
    expect(namesOf('ΟΔΟΣ.txt', 'οδος.txt', 'οδοσ.txt', 'maſt', 'mast')).toEqual([
      'ΟΔΟΣ.txt',
      'οδος (2).txt',
      'οδοσ (3).txt',
      'maſt',
      'mast (2)',
    ]);
  });

  it('makes paths that lead out of the folder lead into it', () => {
    expect(namesOf('../up', '/abs', '//x', 'a/../b', 'C:\\win', 'a\\..\\b', './x', '..')).toEqual([
      '__/up',
      '_/abs',
      '_/_/x',
      'a/__/b',
      'C__win',
      'a____b'.replace('a____b', 'a_.._b'),
      '_ (2)/x',
      '__ (2)',
    ]);
  });

  it('replaces what no file system or terminal should meet', () => {
    expect(
      namesOf(
        'nul\0\n',
        'evil\u202egnp.exe',
        'CON',
        'aux.txt',
        'com1',
        'trailing. ',
        'x:stream',
        'who? "me" <*|>',
        'con .txt',
        'com\u00b9.txt',
        'CONOUT$',
      ),
    ).toEqual([
      'nul__',
      'evil_gnp.exe',
      '_CON',
      '_aux.txt',
      '_com1',
      'trailing__',
      'x_stream',
      'who_ _me_ ____',
      '_con .txt',
      '_com\u00b9.txt',
      '_CONOUT$',
    ]);
    expect(namesOf('con\u200b', '\u200b\ufe0f/\u2060', 'a\u200bb')).toEqual([
      '_con\u200b',
      '_\u200b\ufe0f/_\u2060',
      'a\u200bb',
    ]);
    expect(namesOf('two\u2028lines\u2029more', '\u061cturned')).toEqual(['two_lines_more', '_turned']);
  });

  it('tells apart names that differ in case, in normal form, or as file and folder', () => {
    expect(namesOf('a.txt', 'A.txt', 'a.TXT')).toEqual(['a.txt', 'A (2).txt', 'a (3).TXT']);
    expect(namesOf('caf\u00e9', 'cafe\u0301')).toEqual(['caf\u00e9', 'cafe\u0301 (2)']);
    expect(namesOf('a', 'a/b', 'a/c', 'A/d')).toEqual(['a', 'a (2)/b', 'a (2)/c', 'A (3)/d']);
  });

  it('tells apart names that differ by what nobody sees, which some file systems leave out', () => {
    const names = new ArchiveNames('');
    expect(['ab', 'a\u200cb', 'a\ufeffb.txt', 'ab.txt'].map((key) => names.nameOf(key, false))).toEqual([
      'ab',
      'a\u200cb (2)',
      'a\ufeffb.txt',
      'ab (2).txt',
    ]);
  });

  it('takes linear time for names that differ in case only', () => {
    const LETTERS = 15;
    const variants = Array.from({ length: 20_000 }, (_, i) =>
      Array.from({ length: LETTERS }, (_letter, bit) => ((i >> bit) & 1 ? 'A' : 'a')).join(''),
    );
    const since = workedMs();
    const names = namesOf(...variants);
    expect(workedMs() - since).toBeLessThan(15_000);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(variants.length);
    expect(names.at(-1)).toBe(`${variants.at(-1)!} (20000)`);
  });

  it('tries few numbers for a name of which many are taken, because other requests wait meanwhile', () => {
    const name = `e${'\u0301\u0316'.repeat(245)}`;
    const names = new ArchiveNames('');
    for (const key of [name, ...Array.from({ length: 5_000 }, (_, i) => `${name} (${i + 2})`)])
      names.nameOf(key, false);
    const since = workedMs();
    expect(names.nameOf(`${name}\u200b`, false)).toMatch(/ \(\d+\)$/);
    expect(workedMs() - since).toBeLessThan(200);
  });

  it('knows how much memory it takes, however deep the folders are', () => {
    const names = new ArchiveNames('');
    const before = heapBytes();
    for (let i = 0; i < 100; i++) names.nameOf(`${i}${'/a'.repeat(500)}`, false);
    const grown = heapBytes() - before;
    expect(grown).toBeLessThan(1.2 * names.bytes);
    expect(names.bytes).toBeLessThan(32 * 2 ** 20);
  });

  it('gives safe and distinct names to any keys', () => {
    const segment = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', 'A', 'con', 'C:', '\\', 'a (2)'),
      fc.string({ maxLength: 4 }),
    );
    const key = fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'))
      .filter((k) => k !== '');
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 12 }), (keys) => {
        const names = namesOf(...keys);
        expect(new Set(names.map((name) => name.replace(/\/$/, '').normalize('NFC').toLowerCase())).size).toBe(
          keys.length,
        );
        for (const name of names) {
          expect(name).not.toMatch(/^\/|\\|:|[\0-\x1f]/);
          for (const part of name.replace(/\/$/, '').split('/')) expect(part).not.toMatch(/^(\.*|con)$|[. ]$/i);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('commonFolder', () => {
  it('is the folder that holds everything asked for', () => {
    expect(commonFolder(['a/b/c', 'a/b/d'], [])).toBe('a/b/');
    expect(commonFolder(['a/b/c'], ['a/x/'])).toBe('a/');
    expect(commonFolder([], ['a/b/'])).toBe('a/');
    expect(commonFolder([], ['a/b'])).toBe('a/');
    expect(commonFolder(['ab/c', 'a/c'], [])).toBe('');
    expect(commonFolder([], [''])).toBe('');
    expect(commonFolder([], [])).toBe('');
  });
});

describe('outermost', () => {
  it('leaves out what begins with another, and what is there twice', () => {
    expect(outermost(['b/', 'a/b/', 'a/', 'a/', 'ab', 'a/c'])).toEqual(['a/', 'ab', 'b/']);
    expect(outermost(['a', ''])).toEqual(['']);
    expect(outermost([])).toEqual([]);
  });

  it('takes no long time for many long prefixes that differ at the end', () => {
    const prefixes = Array.from({ length: 10_000 }, (_, i) => `${'x'.repeat(1_000)}/${i}/`);
    const since = workedMs();
    expect(outermost(prefixes)).toHaveLength(prefixes.length);
    expect(workedMs() - since).toBeLessThan(15_000);
  });
});
