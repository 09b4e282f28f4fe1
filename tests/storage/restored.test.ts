import { expect, it } from '@jest/globals';
import { copyVersion, isAlready } from '../../src/storage/object-restore.ts';
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

it('reads and writes a version of a key with a question mark, behind which some storage looks for a version', async () => {
  let newest = 'newest';
  storage.answer = ({ method, query, headers, body }) => {
    if (query.has('versions'))
      return {
        body: `<ListVersionsResult><Version><Key>what?</Key><VersionId>${newest}</VersionId></Version></ListVersionsResult>`,
      };
    if (query.has('tagging'))
      return { body: '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>' };
    if (method === 'PUT') {
      if (headers['x-amz-copy-source'] === undefined) newest = body;
      return { headers: { etag: '"written"' }, body: '<CopyObjectResult/>' };
    }
    const described = {
      etag: '"old"',
      'content-type': 'text/css',
      'x-amz-version-id': query.get('versionId') ?? newest,
    };
    return {
      headers: { ...described, 'content-length': '3', 'x-amz-meta-a': 'b' },
      body: method === 'GET' ? 'old' : '',
    };
  };
  const object = withoutPolicy({ provider: storage.provider, bucket: 'files', key: 'what?' });
  const version = { key: 'what?', version: '1', isLatest: false, isDeleteMarker: false, lastModified: '' };
  await copyVersion(object, { ...version, storageClass: null, etag: '"old"', size: 3 }, {});
  const writes = storage.asked.filter(({ method }) => method === 'PUT');
  expect(writes.map(({ path, body, headers }) => [path, body, headers['x-amz-copy-source']])).toEqual([
    ['/files/what%3F', 'old', undefined],
  ]);
  expect(writes[0]!.headers).toMatchObject({ 'content-type': 'text/css', 'x-amz-meta-a': 'b', 'x-amz-tagging': 'a=b' });
});
