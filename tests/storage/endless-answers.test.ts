import { describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/policy/index/grants.ts';
import { walkHistories } from '../../src/storage/key-history.ts';
import { listParts } from '../../src/storage/multipart.ts';
import { deleteObjects } from '../../src/storage/object-delete.ts';
import { purgeVersion, restoreVersion } from '../../src/storage/object-restore.ts';
import { listObjects } from '../../src/storage/listing.ts';
import { listUploads } from '../../src/storage/upload-list.ts';
import { listVersionsOfKey } from '../../src/storage/version-listing.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { ToldStorage, type Asked } from './told-storage.ts';

const storage = ToldStorage.forTests();
const object = () => withoutPolicy({ provider: storage.provider, bucket: 'bucket', key: 'k' });
const beneath = (prefix = '') => withoutPolicy({ provider: storage.provider, bucket: 'bucket', prefix });

describe('storage whose pages do not end', () => {
  it('is not asked for parts beyond the last that an upload can have', async () => {
    let number = 0;
    storage.answer = () => ({
      body: `<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>${(number += 1_000)}</NextPartNumberMarker></ListPartsResult>`,
    });
    expect(await listParts(object(), 'id')).toEqual([]);
    expect(storage.asked).toHaveLength(10);
  });

  it('is not asked again and again for the versions of a key, nor by a change that goes on without its client', async () => {
    storage.answer = ({ query }: Asked) => ({
      body: `<ListVersionsResult><IsTruncated>true</IsTruncated><Version><Key>k</Key><VersionId>${query.get('version-id-marker') === '1' ? 2 : 1}</VersionId></Version></ListVersionsResult>`,
    });
    for (const change of [purgeVersion, restoreVersion]) {
      await expect(change(object(), 'none', {})).rejects.toMatchObject({ code: 'storage_timeout' });
      expect(storage.asked.splice(0)).toHaveLength(1_000);
    }
    const histories = walkHistories(beneath(), { grants: EVERYTHING }, Date.now(), '');
    await expect(Array.fromAsync(histories)).rejects.toMatchObject({ code: 'storage_timeout' });
  });

  it('gives each upload once, however short the pages are', async () => {
    storage.answer = ({ query }: Asked) => ({
      body: `<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><Upload><Key>${query.get('key-marker') === 'a' ? 'b' : 'a'}</Key><UploadId>1</UploadId></Upload></ListMultipartUploadsResult>`,
    });
    for (const limit of [1, 2, 1_000]) {
      const keys: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null && keys.length < 10;) {
        const page = await listUploads(beneath(), { grants: EVERYTHING, limit, cursor });
        keys.push(...page.uploads.map(({ key }) => key));
        cursor = page.nextCursor;
      }
      expect(keys).toEqual(['a', 'b']);
    }
  });
});

describe('names that no request can have', () => {
  const NAMES = ['half&#xD800;', 'k'.repeat(1_025), 'k'.repeat(70_000), '\u20ac'.repeat(342)];

  it.each(NAMES.map((name) => [name.slice(0, 20), name]))('such as %s are in no listing', async (_start, name) => {
    const key = `<Key>${name}</Key>`;
    const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>';
    storage.answer = ({ query }) => ({
      body: query.has('versions')
        ? `<ListVersionsResult><Version>${key}<VersionId>1</VersionId></Version></ListVersionsResult>`
        : query.has('uploads')
          ? `<ListMultipartUploadsResult><Upload>${key}<UploadId>1</UploadId></Upload></ListMultipartUploadsResult>`
          : `<ListBucketResult>${query.has('continuation-token') ? '' : more}<Contents><Key>a</Key></Contents><Contents>${key}</Contents></ListBucketResult>`,
    });
    const { objects, nextCursor } = await listObjects(beneath(), { grants: EVERYTHING, limit: 1 });
    expect(objects.map(({ key }) => key)).toEqual(['a']);
    expect(nextCursor).not.toBeNull();
    expect((await listUploads(beneath(), { grants: EVERYTHING, limit: 1 })).uploads).toEqual([]);
    expect((await listVersionsOfKey(beneath('h'), { limit: 1 })).versions).toEqual([]);
  });

  it('does not hide the longest key', async () => {
    const key = '\u20ac'.repeat(341) + 'a';
    storage.answer = () => ({ body: `<ListBucketResult><Contents><Key>${key}</Key></Contents></ListBucketResult>` });
    expect((await listObjects(beneath(), { grants: EVERYTHING, limit: 1 })).objects).toMatchObject([{ key }]);
  });
});

describe('numbers and times that are none', () => {
  it.each(['1e400', '-5', '1.5', 'x', '99999999999999999999'])('a size of %s counts as 0', async (size) => {
    storage.answer = ({ query }) => ({
      body: query.has('versions')
        ? `<ListVersionsResult><Version><Key>k</Key><Size>${size}</Size></Version></ListVersionsResult>`
        : query.has('uploadId')
          ? `<ListPartsResult><Part><PartNumber>1</PartNumber><Size>${size}</Size></Part><Part><PartNumber>${size}</PartNumber></Part></ListPartsResult>`
          : `<ListBucketResult><Contents><Key>k</Key><Size>${size}</Size></Contents></ListBucketResult>`,
    });
    expect((await listObjects(beneath(), { grants: EVERYTHING, limit: 9 })).objects).toMatchObject([{ size: 0 }]);
    expect((await listVersionsOfKey(beneath('k'), { limit: 9 })).versions).toMatchObject([{ size: 0 }]);
    expect(await listParts(object(), 'id')).toMatchObject([{ number: 1, size: 0 }]);
  });

  it.each(['2025-13-45T99:99:99.999Z', '+275760-09-13T00:00:00.000Z', 'x'])('%s is no time', async (time) => {
    storage.answer = () => ({
      body: `<ListBucketResult><Contents><Key>k</Key><LastModified>${time}</LastModified></Contents></ListBucketResult>`,
    });
    const { objects } = await listObjects(beneath(), { grants: EVERYTHING, limit: 9 });
    expect(objects).toMatchObject([{ lastModified: '1970-01-01T00:00:00.000Z' }]);
  });
});

it.each(['', '<Key>other</Key>', '<Key>a%20b</Key>'])(
  'a bulk deletion with an error about none of the keys (%j) deleted none for sure',
  async (named) => {
    storage.answer = () => ({
      body: `<DeleteResult><Error>${named}<Code>AccessDenied</Code></Error></DeleteResult>`,
    });
    const place = withoutPolicy({ provider: storage.provider, bucket: 'bucket', keys: ['a b', 'c'] });
    expect(await deleteObjects(place)).toEqual({
      deleted: [],
      failed: ['a b', 'c'].map((key) => ({ key, code: 'storage_unavailable' })),
    });
  },
);
