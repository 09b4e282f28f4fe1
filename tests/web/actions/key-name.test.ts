import { describe, expect, it } from '@jest/globals';
import { faultOfBucketName, faultOfName } from '../../../src/web/actions/key-name.ts';

describe('faultOfBucketName', () => {
  it.each(['abc', 'my-bucket.1', '0'.repeat(63)])('accepts `%s`', (name) => {
    expect(faultOfBucketName(name)).toBeUndefined();
  });

  it.each(['ab', 'Abc', 'a_b', '-abc', 'abc.', 'a..b', '192.168.0.1', 'a'.repeat(64)])('refuses `%s`', (name) => {
    expect(faultOfBucketName(name)).toBeDefined();
  });
});

describe('faultOfName', () => {
  it.each(['a', 'ä ö%.txt', 'a/b'])('accepts `%s`', (name) => {
    expect(faultOfName(name, 'docs/')).toBeUndefined();
  });

  it.each(['', '/a', 'a/', 'a//b', 'ü'.repeat(512), 'a\ud800', '\udc00/b'])('refuses `%s`', (name) => {
    expect(faultOfName(name, 'docs/')).toBeDefined();
  });
});
