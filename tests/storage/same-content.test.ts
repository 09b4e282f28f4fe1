import { describe, expect, it } from '@jest/globals';
import { copyObject, moveObject } from '../../src/storage/object-copy.ts';
import { copyVersion } from '../../src/storage/object-restore.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { ToldStorage, type Answer, type Asked } from './told-storage.ts';

const storage = ToldStorage.forTests();
const SIZES = { single: 1, part: 5 };
const place = (key: string) => withoutPolicy({ provider: storage.provider, bucket: 'files', key });

/** Storage that copies parts without a fault, and then has `stored` at the target of a source with ten bytes, or as the newest of its versions. */
function holding(stored: string, more: (request: Asked) => Answer | undefined = () => undefined): void {
  storage.answer = (request) => {
    const { method, path, query, headers } = request;
    const version = query.get('versionId') ?? 'newest';
    const content = path === '/files/from' || version === 'old' ? '0123456789' : stored;
    const etag = version === 'old' ? '"old"' : `"${path}"`;
    const described = { etag, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT', 'x-amz-version-id': version };
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const answer = more(request);
    if (answer !== undefined) return answer;
    if (method === 'HEAD') return { headers: { ...described, 'content-length': String(content.length) } };
    if (first !== undefined)
      return {
        status: 206,
        headers: { ...described, 'content-range': `bytes ${first}-${last}/${content.length}` },
        body: content.slice(Number(first), Number(last) + 1),
      };
    if (query.has('versions')) return { body: '<ListVersionsResult/>' };
    if (query.has('uploads'))
      return { body: '<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>' };
    if (query.has('partNumber')) return { body: '<CopyPartResult><ETag>"part"</ETag></CopyPartResult>' };
    if (method === 'POST')
      return { body: '<CompleteMultipartUploadResult><ETag>"/files/to"</ETag></CompleteMultipartUploadResult>' };
    return query.has('tagging') ? { body: '<Tagging/>' } : { status: 204 };
  };
}

const deleted = () =>
  storage.asked
    .filter(({ method, query }) => method === 'DELETE' && !query.has('uploadId'))
    .map(({ path, headers }) => [path, headers['if-match']]);

describe('a copy in parts', () => {
  it('is kept where its length and both ends are those of the source, and the source of a move is deleted', async () => {
    holding('0123456789');
    await moveObject(place('from'), place('to'), {}, SIZES);
    expect(deleted()).toEqual([['/files/from', '"/files/from"']]);
  });

  it.each([
    ['another beginning', 'x123456789'],
    ['another end', '012345678x'],
    ['another length', '01234567890'],
  ])('with %s is deleted, and the source of a move is not', async (_, stored) => {
    holding(stored);
    for (const work of [copyObject, moveObject]) {
      await expect(work(place('from'), place('to'), {}, SIZES)).rejects.toMatchObject({
        code: 'conflict',
        detail: expect.stringContaining('other bytes'),
      });
      expect(deleted()).toEqual([['/files/to', '"/files/to"']]);
      storage.asked.splice(0);
    }
  });

  it('that cannot be compared is deleted too', async () => {
    holding('0123456789', ({ headers }) =>
      headers.range === undefined ? undefined : { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' },
    );
    await expect(moveObject(place('from'), place('to'), {}, SIZES)).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(deleted()).toEqual([['/files/to', '"/files/to"']]);
  });

  it('that is wrong and cannot be deleted is named', async () => {
    holding('x123456789', ({ method }) =>
      method === 'DELETE' ? { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' } : undefined,
    );
    const detail = expect.stringContaining('the wrong copy could not be deleted: delete it');
    await expect(copyObject(place('from'), place('to'), {}, SIZES)).rejects.toMatchObject({ code: 'conflict', detail });
  });

  it('that somebody else replaces in the meantime is left, and nobody is told to delete what is there now', async () => {
    holding('somebody else', ({ method, path }) =>
      method === 'HEAD' && path === '/files/to' ? { headers: { etag: '"newer"', 'content-length': '13' } } : undefined,
    );
    const detail = expect.stringMatching(
      /other bytes.*; the target was left, because somebody else may have written it by now: compare it, and delete it if it is wrong$/,
    );
    await expect(copyObject(place('from'), place('to'), {}, SIZES)).rejects.toMatchObject({ code: 'conflict', detail });
    expect(deleted()).toEqual([]);
  });
});

describe('a version that is brought back in parts', () => {
  const version = {
    key: 'to',
    version: 'old',
    isLatest: false,
    isDeleteMarker: false,
    lastModified: '',
    storageClass: null,
    etag: '"old"',
    size: 10,
  };
  const removed = () =>
    storage.asked
      .filter(({ method, query }) => method === 'DELETE' && !query.has('uploadId'))
      .map(({ path, query }) => [path, query.get('versionId')]);

  it('is kept where its length and both ends are those of its source', async () => {
    holding('0123456789');
    await copyVersion(place('to'), version, {}, SIZES);
    expect(removed()).toEqual([]);
  });

  it.each([
    ['another beginning', 'x123456789'],
    ['another end', '012345678x'],
    ['another length', '01234567890'],
  ])('with %s is deleted for ever, so that what was the newest is it again', async (_, stored) => {
    holding(stored);
    await expect(copyVersion(place('to'), version, {}, SIZES)).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('other bytes'),
    });
    expect(removed()).toEqual([['/files/to', 'newest']]);
  });

  it('is deleted as the version `null` where the bucket keeps no new versions and storage does not name it', async () => {
    holding('x123456789', ({ method, query }) =>
      method === 'HEAD' && !query.has('versionId')
        ? { headers: { etag: '"/files/to"', 'content-length': '10' } }
        : undefined,
    );
    await expect(copyVersion(place('to'), version, {}, SIZES)).rejects.toMatchObject({ code: 'conflict' });
    expect(removed()).toEqual([['/files/to', 'null']]);
  });

  it('is left where somebody else has written since', async () => {
    holding('somebody else', ({ method, query }) =>
      method === 'HEAD' && !query.has('versionId')
        ? { headers: { etag: '"newer"', 'content-length': '13', 'x-amz-version-id': 'newer' } }
        : undefined,
    );
    await expect(copyVersion(place('to'), version, {}, SIZES)).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('the target was left'),
    });
    expect(removed()).toEqual([]);
  });

  it('is not compared with itself where it has replaced its source', async () => {
    holding('x123456789', ({ method }) =>
      method === 'HEAD' ? { headers: { etag: '"of null"', 'content-length': '10' } } : undefined,
    );
    await copyVersion(place('to'), { ...version, version: 'null', etag: '"of null"' }, {}, SIZES);
    expect(removed()).toEqual([]);
  });
});
