import { describe, expect, it } from '@jest/globals';
import { bucketTarget, providerTarget, Targets } from '../../src/access/target.ts';

const at = new Targets((provider) => (provider === 'keeping' ? 'keep' : 'refuse'));

describe('Targets', () => {
  it('take keys and prefixes with dots where a provider keeps them apart, and nowhere else', () => {
    expect(at.object('keeping', 'files', 'a/../b')).toEqual({
      kind: 'object',
      provider: 'keeping',
      bucket: 'files',
      key: 'a/../b',
    });
    expect(at.beneath('keeping', 'files', 'a/../')).toEqual({ provider: 'keeping', bucket: 'files', prefix: 'a/../' });
    expect(() => at.object('other', 'files', 'a/../b')).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(/^key: /) }),
    );
    expect(() => at.beneath('other', 'files', 'a/../')).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(/^prefix: /) }),
    );
  });

  it('take no key that names no object, and no prefix that no key can begin with', () => {
    for (const key of ['x'.repeat(1025), 'ä'.repeat(513), '\ud800']) {
      for (const target of [() => at.object('keeping', 'files', key), () => at.beneath('keeping', 'files', key)])
        expect(target).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    }
    expect(() => at.object('keeping', 'files', '')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('take no provider that the configuration would not, whatever the schema of a request says', () => {
    for (const provider of ['', 'main/files', 'main%2Ffiles', 'x'.repeat(64), 'session', 'apiKey', 's3Key', 'person']) {
      for (const target of [
        () => providerTarget(provider),
        () => bucketTarget(provider, 'files'),
        () => at.object(provider, 'files', 'k'),
        () => at.beneath(provider, 'files', ''),
      ]) {
        expect(target).toThrow(
          expect.objectContaining({
            code: 'invalid_request',
            members: { errors: [{ path: 'provider', message: expect.any(String) }] },
          }),
        );
      }
    }
  });

  it('take no bucket that S3 would not', () => {
    for (const bucket of [
      '..',
      '.',
      '',
      'a',
      'a/b',
      'X',
      'Upper',
      'a..b',
      'under_score',
      '192.168.0.1',
      'x'.repeat(64),
      'sp ace',
      '%2e%2e',
      '-a',
      'a-',
    ]) {
      for (const target of [
        () => bucketTarget('keeping', bucket),
        () => at.object('keeping', bucket, 'k'),
        () => at.beneath('keeping', bucket, ''),
      ]) {
        expect(target).toThrow(
          expect.objectContaining({
            code: 'invalid_request',
            members: { errors: [{ path: 'bucket', message: expect.any(String) }] },
          }),
        );
      }
    }
  });
});
