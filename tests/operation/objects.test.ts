import { describe, expect, it } from '@jest/globals';
import { describeObject } from '../../src/operation/objects.ts';
import { objectResource } from '../../src/policy/model/resource.ts';
import { ToldStorage } from '../storage/told-storage.ts';

const storage = ToldStorage.forTests();

describe('object/head', () => {
  const head = (headers: Record<string, string>) => {
    storage.answer = () => ({ headers });
    return describeObject.run({
      targets: [objectResource('test', 'files', 'a/k')],
      input: {},
      trail: { ofVersion: () => undefined },
      storage: storage.providers,
      signal: new AbortController().signal,
    } as never);
  };

  it('says what storage says of an object', async () => {
    expect(
      await head({
        etag: '"e"',
        'content-length': '7',
        'content-type': 'text/css',
        'last-modified': 'Wed, 01 Jan 2031 00:00:00 GMT',
      }),
    ).toEqual({ key: 'a/k', size: 7, etag: '"e"', lastModified: '2031-01-01T00:00:00.000Z', contentType: 'text/css' });
  });

  it('says how storage keeps an object, as far as storage says it', async () => {
    expect(
      await head({
        'x-amz-storage-class': 'DEEP_ARCHIVE',
        'x-amz-restore': 'ongoing-request="true"',
        'x-amz-object-lock-mode': 'COMPLIANCE',
        'x-amz-object-lock-retain-until-date': '2031-01-01T00:00:00Z',
        'x-amz-object-lock-legal-hold': 'OFF',
      }),
    ).toMatchObject({
      storageClass: 'DEEP_ARCHIVE',
      restore: 'ongoing-request="true"',
      lockMode: 'COMPLIANCE',
      lockedUntil: '2031-01-01T00:00:00Z',
      legalHold: false,
    });
    expect(await head({ 'x-amz-object-lock-legal-hold': 'ON' })).toMatchObject({ legalHold: true });
  });

  it('says as much of an object of which storage says little', async () => {
    expect(await head({})).toMatchObject({ key: 'a/k', size: 0, etag: '', lastModified: null });
    expect(await head({ 'last-modified': 'soon' })).toMatchObject({ lastModified: null });
  });
});
