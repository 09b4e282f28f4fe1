import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { abortUpload, completeUpload, listParts } from '../../src/storage/multipart.ts';
import { deleteObjects } from '../../src/storage/object-delete.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { ToldStorage } from './told-storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const MIB = 2 ** 20;
const storage = ToldStorage.forTests();

const upload = { bucket: 'files', key: 'k', id: 'id' };
const fault = (code: string, status = 400) => ({ status, body: `<Error><Code>${code}</Code></Error>` });
const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ number: i + 1, etag: `"${i + 1}"` }));

describe('parts that storage refuses to join', () => {
  const refusal = async (given: number, arrived: number) => {
    const parts = numbered(arrived).map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    storage.answer = ({ method }) =>
      method === 'POST' ? fault('InvalidPart') : { body: `<ListPartsResult>${parts.join('')}</ListPartsResult>` };
    return completeUpload(withoutPolicy({ provider: storage.provider, ...upload }), upload.id, numbered(given)).catch(
      (error: unknown) => error,
    );
  };
  const told = (numbers: string) =>
    `storage does not have these parts, or has them with another ETag: ${numbers}; send them again`;

  it('are named when storage does not have them, the first ten and how many more', async () => {
    expect(await refusal(12, 2)).toMatchObject({ code: 'conflict', detail: told('3, 4, 5, 6, 7, 8, 9, 10, 11, 12') });
    expect(await refusal(13, 2)).toMatchObject({
      detail: told('3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 1 more'),
      members: { parts: Array.from({ length: 11 }, (_, i) => i + 3) },
    });
  });

  it('though it has them can be asked about', async () => {
    expect(await refusal(2, 2)).toMatchObject({
      code: 'conflict',
      detail: 'storage refuses the parts; ask which have arrived, and send the others again',
      members: { parts: [] },
    });
  });
});

describe('an upload that storage does not know', () => {
  it('is told as that, whatever storage says is missing, and is dropped already', async () => {
    for (const code of ['NoSuchUpload', 'NoSuchKey']) {
      storage.answer = () => fault(code, 404);
      const gone = { code: 'not_found', detail: 'there is no such upload of this key; start a new one' };
      await expect(
        listParts(withoutPolicy({ provider: storage.provider, ...upload }), upload.id),
      ).rejects.toMatchObject(gone);
      await expect(
        completeUpload(withoutPolicy({ provider: storage.provider, ...upload }), upload.id, numbered(1)),
      ).rejects.toMatchObject(gone);
      await abortUpload(withoutPolicy({ provider: storage.provider, ...upload }), upload.id);
    }
    storage.answer = () => fault('AccessDenied', 403);
    await expect(
      abortUpload(withoutPolicy({ provider: storage.provider, ...upload }), upload.id),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });
  });
});

describe('a body of unknown length', () => {
  const sent = async (...chunks: readonly number[]) => {
    storage.answer = ({ method, query }) => {
      if (query.has('uploads'))
        return { body: '<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>' };
      if (method === 'POST')
        return { body: '<CompleteMultipartUploadResult><ETag>"j"</ETag></CompleteMultipartUploadResult>' };
      return { headers: { etag: '"e"' } };
    };
    await putObject(
      withoutPolicy({ provider: storage.provider, ...upload }),
      Readable.from(chunks.map((bytes) => Buffer.alloc(bytes, 'x'))),
    );
    return storage.asked
      .splice(0)
      .flatMap(({ method, query, body }) => (method === 'PUT' ? [[query.get('partNumber'), body.length]] : []))
      .sort();
  };

  it('goes in one request up to 8 MiB, and in parts of that size above', async () => {
    expect(await sent()).toEqual([[null, 0]]);
    expect(await sent(3 * MIB, 5 * MIB)).toEqual([[null, 8 * MIB]]);
    expect(await sent(8 * MIB + 1)).toEqual([
      ['1', 8 * MIB],
      ['2', 1],
    ]);
    expect(await sent(17 * MIB)).toEqual([
      ['1', 8 * MIB],
      ['2', 8 * MIB],
      ['3', MIB],
    ]);
  });
});

describe('deletions that storage does not take together', () => {
  it('have an outcome each, in the order of the keys', async () => {
    storage.answer = ({ method, path }) =>
      method === 'POST'
        ? fault('NotImplemented', 501)
        : path.endsWith('locked')
          ? fault('AccessDenied', 403)
          : { status: 204 };
    expect(
      await deleteObjects(
        withoutPolicy({ provider: storage.provider, bucket: 'files', keys: ['a', 'locked', 'b', 'a'] }),
      ),
    ).toEqual({ deleted: ['a', 'b'], failed: [{ key: 'locked', code: 'storage_unavailable' }] });
    expect(storage.asked.filter(({ method }) => method === 'DELETE')).toHaveLength(3);
  });

  it('end when the client leaves', async () => {
    const client = new AbortController();
    storage.answer = ({ method }) =>
      method === 'POST' ? fault('NotImplemented', 501) : (client.abort(new Error('gone')), { status: 204 });
    await expect(
      deleteObjects(
        withoutPolicy({
          provider: storage.provider,
          bucket: 'files',
          keys: Array.from({ length: 100 }, (_, i) => `k${i}`),
        }),
        { signal: client.signal },
      ),
    ).rejects.toThrow('gone');
    expect(storage.asked.length).toBeLessThan(20);
  });
});
