import { describe, expect, it } from '@jest/globals';
import { areEqual, digestOf, newPublicId, newSecret } from '../../src/secret/secret.ts';

describe('newSecret and newPublicId', () => {
  it('are of one form, and never the same', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    const ids = Array.from({ length: 100 }, newPublicId);
    expect(secrets.filter((secret) => !/^[A-Za-z0-9_-]{43}$/.test(secret))).toEqual([]);
    expect(ids.filter((id) => !/^[0-9a-f]{24}$/.test(id))).toEqual([]);
    expect(new Set([...secrets, ...ids]).size).toBe(200);
  });
});

describe('digestOf', () => {
  it('is the SHA-256, base64url', () => {
    expect(digestOf('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});

describe('areEqual', () => {
  it('compares bytes, and takes any lengths', () => {
    expect([areEqual('', ''), areEqual('é', 'é')]).toEqual([true, true]);
    expect([areEqual('a', 'b'), areEqual('a', 'aa'), areEqual('', 'a'), areEqual('é', 'ab')]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
