import { describe, expect, it } from '@jest/globals';
import { bucketTarget, Targets } from '../../src/access/target.ts';

const at = new Targets((provider) => (provider === 'keeping' ? 'keep' : 'refuse'));

describe('Targets', () => {
  it('take keys and prefixes with dots where a provider keeps them apart, and nowhere else', () => {
    expect(at.object('keeping', 'files', 'a/../b')).toEqual({ kind: 'object', provider: 'keeping', bucket: 'files', key: 'a/../b' });
    expect(at.beneath('keeping', 'files', 'a/../')).toEqual({ provider: 'keeping', bucket: 'files', prefix: 'a/../' });
    expect(() => at.object('other', 'files', 'a/../b')).toThrow(expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(/^key: /) }));
    expect(() => at.beneath('other', 'files', 'a/../')).toThrow(expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(/^prefix: /) }));
  });

  it('take no bucket that S3 would not', () => {
    for (const bucket of ['..', 'X', 'a/b', '']) {
      for (const target of [() => bucketTarget('keeping', bucket), () => at.object('keeping', bucket, 'k'), () => at.beneath('keeping', bucket, '')]) {
        expect(target).toThrow(expect.objectContaining({ code: 'invalid_request', members: { errors: [{ path: 'bucket', message: expect.any(String) }] } }));
      }
    }
  });
});
