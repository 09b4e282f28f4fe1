import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { codeOf } from '../../src/errors/svc-error.ts';
import { createBucket, deleteBucket } from '../../src/storage/buckets.ts';
import { abortUpload, completeUpload } from '../../src/storage/multipart.ts';
import { copyObject, moveObject } from '../../src/storage/object-copy.ts';
import { deleteObject } from '../../src/storage/object-delete.ts';
import { getObject } from '../../src/storage/object-read.ts';
import { copyVersion, purgeVersion } from '../../src/storage/object-restore.ts';
import { unarchive } from '../../src/storage/object-unarchive.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { itOnS3rver } from '../support/on-other-storage.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';
import { ToldStorage, type Answer } from './told-storage.ts';

let s3: TestStorage;
let bucket: string;
const told = ToldStorage.forTests();
beforeAll(async () => {
  s3 = await startStorage({}, { heedsConditions: true, keepsTags: true });
  bucket = s3.bucketName();
  await createBucket(at(''));
});
afterEach(() => {
  s3.counter.loses = undefined;
  s3.counter.spoil = undefined;
  s3.counter.before = undefined;
});
afterAll(() => s3.close());

const at = (key: string) => withoutPolicy({ provider: s3.provider, bucket, key });
const put = (key: string, content: string, options: Parameters<typeof putObject>[2] = {}) =>
  putObject(at(key), Readable.from([Buffer.from(content)]), { contentLength: content.length, ...options });
const read = async (key: string) => text((await getObject(at(key))).body!);

/** Storage carries out the first such call, and its answer is lost. @returns whether that has happened. */
function loseAnswerTo(method: string): () => boolean {
  let isLost = false;
  s3.counter.loses = (call) => !isLost && (isLost = call.startsWith(method));
  return () => isLost;
}

/** The answer to the first such call is lost, and somebody else does something before the second one. */
function loseAnswerAndLet(method: string, work: () => Promise<unknown>): void {
  const isLost = loseAnswerTo(method);
  s3.counter.before = async (call) => {
    if (!isLost() || !call.startsWith(method)) return;
    s3.counter.before = undefined;
    await work();
  };
}
const overwrite = (key: string, content: string, headers = {}) =>
  s3.provider.s3.send({ method: 'PUT', bucket, key, headers, body: Buffer.from(content) });

describe('a write with a condition whose answer was lost', () => {
  const refused = { code: 'precondition_failed' };

  it.each([
    ['of known length', {}],
    ['of unknown length', { contentLength: undefined }],
  ])('has replaced the object that it names, and created one that was not there: %s', async (name, more) => {
    const { etag } = await put(name, 'old');
    let isLost = loseAnswerTo('PUT');
    const stored = { 'x-amz-meta-a': 'b' };
    const replaced = await put(name, 'new', { ifMatch: etag, stored, ...more });
    expect([isLost(), await read(name)]).toEqual([true, 'new']);
    isLost = loseAnswerTo('PUT');
    const created = await put(`${name} too`, 'new', { ifNoneMatchAny: true, stored, ...more });
    expect([isLost(), await read(`${name} too`)]).toEqual([true, 'new']);
    expect(created).toEqual(replaced);
  });

  it('is told as refused when somebody else wrote, be it other content, or the same with another type or other metadata', async () => {
    for (const [content, headers] of [
      ['theirs', {}],
      ['ours', { 'content-type': 'text/theirs' }],
      ['ours', { 'content-type': 'text/ours', 'x-amz-meta-a': 'theirs' }],
      ['ours', { 'content-type': 'text/ours' }],
    ] as const) {
      const { etag } = await put('theirs', 'old');
      for (const condition of [{ ifMatch: etag }, { ifNoneMatchAny: true }]) {
        if (condition.ifNoneMatchAny) await deleteObject(at('theirs'));
        loseAnswerAndLet('PUT', () => overwrite('theirs', content, headers));
        const options = { contentType: 'text/ours', stored: { 'x-amz-meta-a': 'ours' }, ...condition };
        await expect(put('theirs', 'ours', options)).rejects.toMatchObject(refused);
      }
    }
  });

  it.each([
    { status: 503, code: 'SlowDown' },
    { status: 400, code: 'RequestTimeout' },
    { status: 408, code: 'Unknown' },
    { status: 429, code: 'TooManyRequests' },
  ])(
    'is not told as done when storage did not take it first ($code), and somebody else wrote the same',
    async (fault) => {
      const key = `lock ${fault.code}`;
      let isRefused = false;
      s3.counter.spoil = (call) => (!isRefused && (isRefused = call.startsWith('PUT')) ? fault : undefined);
      s3.counter.before = async (call) => {
        if (!isRefused || !call.startsWith('PUT')) return;
        s3.counter.before = undefined;
        await overwrite(key, '', { 'content-type': 'application/octet-stream' });
      };
      await expect(put(key, '', { ifNoneMatchAny: true })).rejects.toMatchObject(refused);
      expect([isRefused, await read(key)]).toEqual([true, '']);
    },
  );

  it('has copied the object', async () => {
    await put('source', 'new', { contentType: 'text/x', stored: { 'x-amz-meta-a': 'b' } });
    const { etag } = await put('copy', 'old');
    const conditions = [
      ['copy', { ifMatch: etag }],
      ['copy too', { ifNoneMatchAny: true }],
      ['copy with other metadata', { ifNoneMatchAny: true, replace: { contentType: 'text/y', stored: {} } }],
    ] as const;
    for (const [key, options] of conditions) {
      const isLost = loseAnswerTo('PUT');
      const copied = await copyObject(at('source'), at(key), options);
      expect(copied).toMatchObject({ lastModified: expect.stringMatching(/^\d{4}-/) });
      expect([isLost(), await read(key)]).toEqual([true, 'new']);
    }
  });

  it('has brought a version back, unless another one is there', async () => {
    const object = withoutPolicy({ provider: told.provider, bucket: 'files', key: 'k' });
    const version = { ...{ key: 'k', version: '1', isLatest: false, isDeleteMarker: false }, lastModified: '' };
    const wanted = { ...version, storageClass: null, etag: '"wanted"', size: 3 };
    const ofWanted = { etag: '"wanted"', 'content-length': '3', 'x-amz-meta-a': 'b' };
    const restore = async (there: Record<string, string>) => {
      let newest: Record<string, string> = { etag: '"newest"' };
      let copies = 0;
      told.answer = ({ method, query }) => {
        if (query.has('versions')) return { body: '<ListVersionsResult/>' };
        if (method === 'HEAD') return { headers: query.has('versionId') ? ofWanted : newest };
        copies += 1;
        newest = there;
        return copies === 1 ? { cut: true } : { status: 412 };
      };
      await copyVersion(object, wanted, { ifMatch: '"newest"' });
    };
    await restore(ofWanted);
    for (const theirs of [{ etag: '"theirs"' }, { 'x-amz-meta-a': 'theirs' }])
      await expect(restore({ ...ofWanted, ...theirs })).rejects.toMatchObject(refused);
  });

  it.each([
    { status: 412, code: 'PreconditionFailed' },
    { status: 404, code: 'NoSuchKey' },
  ])('has deleted the object, also as the source of a move, where storage says $code', async (fault) => {
    const { etag } = await put('deleted', 'x');
    await put('moved', 'x');
    for (const remove of [
      () => deleteObject(at('deleted'), { ifMatch: etag }),
      () => moveObject(at('moved'), at('moved to')),
    ]) {
      const isLost = loseAnswerTo('DELETE');
      s3.counter.spoil = (call) => (isLost() && call.startsWith('DELETE') ? fault : undefined);
      await remove();
      expect(isLost()).toBe(true);
    }
    for (const key of ['deleted', 'moved']) await expect(read(key)).rejects.toMatchObject({ code: 'not_found' });
    expect(await read('moved to')).toBe('x');
  });

  // Ceph heeds no condition of a copy or of a deletion.
  itOnS3rver('has neither copied nor deleted over what somebody else wrote since', async () => {
    const { etag } = await put('written since', 'x');
    loseAnswerAndLet('PUT', () => overwrite('copied by others', 'theirs'));
    await expect(
      copyObject(at('written since'), at('copied by others'), { ifNoneMatchAny: true }),
    ).rejects.toMatchObject(refused);
    loseAnswerAndLet('DELETE', () => overwrite('written since', 'theirs'));
    await expect(deleteObject(at('written since'), { ifMatch: etag })).rejects.toMatchObject(refused);
    for (const key of ['copied by others', 'written since']) expect(await read(key)).toBe('theirs');
  });
});

it.each([
  ['of other parts, is not taken for the joined object', '"48f258fa6071f26b88465cfe928bb10c-1"', 'not_found'],
  [
    'of the text of the ETags of the parts, is',
    '"dd44cdc68dd2ca30d640f868885f1ebc-1"',
    { etag: '"dd44cdc68dd2ca30d640f868885f1ebc-1"', size: 17 },
  ],
  ...['"12AD8F89DD783B11C5D7C745C5C82133-1"', '12ad8f89dd783b11c5d7c745c5c82133-1'].map(
    (etag) => ['of the parts in other letters or without quotes, is', etag, { etag, size: 17 }] as const,
  ),
  ['of other parts in capital letters, is not', '"48F258FA6071F26B88465CFE928BB10C-1"', 'not_found'],
  ['of a form of its own, is', '"an-etag-of-its-own-1"', { etag: '"an-etag-of-its-own-1"', size: 17 }],
])('what is there when the answer to a join was lost, with an ETag %s', async (_what, etag, expected) => {
  let joins = 0;
  told.answer = ({ method }) => {
    if (method === 'HEAD')
      return { headers: { etag, 'content-length': '17', 'last-modified': new Date().toUTCString() } };
    joins += 1;
    const body = '<Error><Code>NoSuchUpload</Code></Error>';
    return joins === 1 ? { cut: true } : { status: 404, body, headers: { 'content-type': 'application/xml' } };
  };
  const parts = [{ number: 1, etag: '"6a204bd89f3c8348afd5c77c717a097a"' }];
  const object = withoutPolicy({ provider: told.provider, bucket: 'files', key: 'joined' });
  expect(await completeUpload(object, 'mine', parts).catch(codeOf)).toEqual(expected);
});

describe('a request whose answer was lost, and whose second answer tells that it was carried out,', () => {
  const place = () => ({ provider: told.provider, bucket: 'files' });
  const object = () => withoutPolicy({ ...place(), key: 'k' });
  const fault = (status: number, code: string): Answer => ({ status, body: `<Error><Code>${code}</Code></Error>` });
  const ENABLED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
  const VERSION = '<ListVersionsResult><Version><Key>k</Key><VersionId>1</VersionId></Version></ListVersionsResult>';
  /** Storage has the version 1 of `k`. It cuts the first such request off, and answers the next one as told. */
  const losesThenSays = (method: string, says: Answer): void => {
    let count = 0;
    told.answer = (request) => {
      if (request.query.has('versions')) return { body: VERSION };
      if (request.query.has('versioning')) return { body: ENABLED };
      if (request.method === method) return (count += 1) === 1 ? { cut: true } : says;
      return request.path === '/files' ? { status: 404 } : { headers: { 'x-amz-storage-class': 'GLACIER' } };
    };
  };

  it.each([
    ['deleted the bucket', 'DELETE', fault(404, 'NoSuchBucket'), () => deleteBucket(withoutPolicy(place()))],
    ['created the bucket', 'PUT', fault(409, 'BucketAlreadyOwnedByYou'), () => createBucket(withoutPolicy(place()))],
    ['deleted the version', 'DELETE', fault(404, 'NoSuchVersion'), () => purgeVersion(object(), '1', {})],
    ['aborted the upload', 'DELETE', fault(404, 'NoSuchUpload'), () => abortUpload(object(), 'id')],
    [
      'asked for the archived object',
      'POST',
      fault(409, 'RestoreAlreadyInProgress'),
      () => unarchive(object(), { days: 1, tier: 'bulk' }),
    ],
  ] as const)('has %s', async (_what, method, says, ask) => {
    losesThenSays(method, says);
    expect([undefined, true, 'begun']).toContainEqual(await ask());
    expect(told.asked.filter((asked) => asked.method === method)).toHaveLength(2);
  });

  it("has not created a bucket that may be somebody else's, nor deleted one that is not empty", async () => {
    losesThenSays('PUT', fault(409, 'BucketAlreadyExists'));
    await expect(createBucket(withoutPolicy(place()))).rejects.toMatchObject({ code: 'bucket_exists' });
    losesThenSays('DELETE', fault(409, 'BucketNotEmpty'));
    await expect(deleteBucket(withoutPolicy(place()))).rejects.toMatchObject({ code: 'bucket_not_empty' });
  });
});
