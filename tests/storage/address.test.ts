import { describe, expect, it } from '@jest/globals';
import { checkNames, checkObject } from '../../src/storage/address.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';

const [refusing, keeping] = (['refuse', 'keep'] as const).map((dotSegments) => ({ dotSegments }) as StorageProvider) as [StorageProvider, StorageProvider];
const refusal = (path: string): unknown => expect.objectContaining({ code: 'invalid_request', detail: expect.stringContaining(`${path}: `), members: { errors: [{ path, message: expect.any(String) }] } });

describe('storage refuses by itself, whatever was checked before,', () => {
  it('names that lead elsewhere, and says which', () => {
    expect(() => checkNames(keeping, { bucket: '..' })).toThrow(refusal('bucket'));
    expect(() => checkObject(keeping, { bucket: 'a/b', key: 'k' })).toThrow(refusal('bucket'));
    expect(() => checkObject(refusing, { bucket: 'files', key: 'a/../b' })).toThrow(refusal('key'));
    expect(() => checkNames(refusing, { bucket: 'files', prefixes: ['a/../'] })).toThrow(refusal('prefix'));
  });

  it('no dots where the provider keeps them', () => {
    expect(() => checkObject(keeping, { bucket: 'files', key: 'a/../b' })).not.toThrow();
    expect(() => checkNames(keeping, { bucket: 'files', prefixes: ['a/../'] })).not.toThrow();
  });
});
