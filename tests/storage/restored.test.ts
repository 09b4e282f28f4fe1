import { expect, it } from '@jest/globals';
import { isAlready } from '../../src/storage/object-restore.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { ToldStorage } from './told-storage.ts';

const storage = ToldStorage.forTests();

it('takes the copy of an object that was sent in parts for it, which may have another ETag, if it is as long', async () => {
  let newest = '"whole"';
  storage.answer = () => ({ headers: { etag: newest, 'content-length': '10' } });
  const object = withoutPolicy({ provider: storage.provider, bucket: 'files', key: 'a' });
  const version = {
    key: 'a',
    version: '1',
    isLatest: false,
    isDeleteMarker: false,
    lastModified: '',
    storageClass: null,
  };
  const isRestored = (etag: string, size: number) => isAlready(object, { ...version, etag, size }, {});
  expect(await isRestored('"whole"', 10)).toBe(true);
  expect(await isRestored('"parts-2"', 10)).toBe(true);
  expect(await isRestored('"parts-2"', 11)).toBe(false);
  expect(await isRestored('"other"', 10)).toBe(false);
  newest = '"written-2"';
  expect(await isRestored('"written-2"', 10)).toBe(true);
  expect(await isRestored('"parts-3"', 10)).toBe(true);
  // Somebody sent other content of the same length in as many parts.
  expect(await isRestored('"parts-2"', 10)).toBe(false);
});
