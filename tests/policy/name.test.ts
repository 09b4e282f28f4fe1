import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  hasDotSegment,
  isBucketName,
  isProviderName,
  keyFault,
  mergedKeys,
  prefixFault,
} from '../../src/policy/model/name.ts';

describe('isBucketName', () => {
  it.each(['abc', 'my-bucket', 'my.bucket.1', '0ab', 'a--b', 'a'.repeat(63), '1.2.3.4.5'])('accepts `%s`', (name) => {
    expect(isBucketName(name)).toBe(true);
  });

  it.each([
    '',
    'ab',
    'a'.repeat(64),
    '..',
    '...',
    'a..b',
    '../',
    'a/b',
    '-ab',
    'ab-',
    '.ab',
    'ab.',
    'Abc',
    'a_b',
    'a b',
    'abc\n',
    'a%2fb',
    'äbc',
    '1.2.3.4',
    '192.168.5.4',
  ])('refuses %j', (name) => {
    expect(isBucketName(name)).toBe(false);
  });
});

const isObjectKey = (key: string) => keyFault(key, 'keep') === undefined;
const isKeyPrefix = (prefix: string) => prefixFault(prefix, 'keep') === undefined;

describe('keyFault', () => {
  it.each([
    'a',
    '/',
    '//x',
    '../x',
    'ä b+%2F#?',
    '😀',
    '\0',
    'a'.repeat(1024),
    'ä'.repeat(512),
    '😀'.repeat(256),
    '\uff5e'.repeat(341),
    '\x7f'.repeat(1024),
    '\x80'.repeat(512),
    '\u07ff'.repeat(512),
    '\u0800'.repeat(341),
  ])('accepts %j', (key) => {
    expect(isObjectKey(key)).toBe(true);
  });

  it.each([
    '',
    '\ud83d',
    'a\ude00b',
    'a'.repeat(1025),
    `${'ä'.repeat(512)}a`,
    `${'😀'.repeat(256)}a`,
    '\uff5e'.repeat(342),
    '\x80'.repeat(513),
    '\u07ff'.repeat(513),
    '\u0800'.repeat(342),
  ])('refuses %j', (key) => {
    expect(isObjectKey(key)).toBe(false);
  });

  it('counts bytes as UTF-8 does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 200, maxLength: 600 }), (key) => {
        expect(isObjectKey(key)).toBe(Buffer.byteLength(key) <= 1024);
      }),
    );
  });
});

describe('prefixFault', () => {
  it('accepts what a key may start with, nothing included', () => {
    expect(isKeyPrefix('')).toBe(true);
    expect(isKeyPrefix('a/')).toBe(true);
    expect(isKeyPrefix('a'.repeat(1025))).toBe(false);
  });
});

describe('hasDotSegment', () => {
  const DOTTED = ['.', '..', './', '../', 'a/.', 'a/..', 'a/./b', 'a/../b', '/.', '//..//', '../../a', 'a\n/../b'];
  const UNDOTTED = [
    '',
    '/',
    '...',
    '.a',
    '..a',
    'a.',
    'a..',
    'a/.b/c',
    'a/...',
    'a./b',
    'a\\..\\b',
    '%2e%2e/a',
    '.\n',
    'a/..\n/b',
  ];

  it.each(DOTTED)('finds one in %j, which is refused unless storage keeps it apart', (key) => {
    expect([hasDotSegment(key), keyFault(key, 'keep')]).toEqual([true, undefined]);
    expect(keyFault(key, 'refuse')).toMatch(/segment `\.` or `\.\.`/);
    expect(prefixFault(key, 'refuse')).toMatch(/segment `\.` or `\.\.`/);
  });

  it.each(UNDOTTED)('finds none in %j', (key) => {
    expect([hasDotSegment(key), prefixFault(key, 'refuse')]).toEqual([false, undefined]);
  });
});

describe('isProviderName', () => {
  it.each(['a', 'minio', 'Ceph_1.eu-west', 'a'.repeat(63), 'sessions', 'Session', 'session-1', 'apikey'])(
    'accepts `%s`',
    (name) => {
      expect(isProviderName(name)).toBe(true);
    },
  );

  it.each([
    '',
    '.',
    '..',
    '-a',
    '_a',
    'a/b',
    'a%2Fb',
    'a b',
    'a\n',
    'a'.repeat(64),
    'session',
    'apiKey',
    's3Key',
    'person',
  ])('refuses %j', (name) => {
    expect(isProviderName(name)).toBe(false);
  });
});

describe('mergedKeys', () => {
  it.each([
    ['x', []],
    ['a/b/', []],
    ['/', []],
    ['/x', ['x']],
    ['//x/', ['x/']],
    ['a//b', ['a/b']],
    ['/a//b///c', ['a//b///c', 'a/b/c']],
    ['x__XLDIR__', ['x/']],
    ['x__XLDIR__/', []],
    ['x__XLDIR__y', []],
    ['/a//b__XLDIR__', ['a//b__XLDIR__', 'a/b__XLDIR__', '/a//b/', 'a//b/', 'a/b/']],
  ])('gives for %s the keys %j for which storage may take it', (key, merged) => {
    expect(mergedKeys(key)).toEqual(merged);
  });
});
