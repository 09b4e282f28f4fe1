import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { completeUpload, putPart } from '../../../src/storage/multipart.ts';
import { headObject } from '../../../src/storage/object-read.ts';
import { putObject } from '../../../src/storage/object-write.ts';
import { ToldStorage, type Answer } from '../told-storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

const storage = ToldStorage.forTests();

const object = { bucket: 'files', key: 'k' };
const complete = () =>
  completeUpload(withoutPolicy({ provider: storage.provider, ...object }), 'id', [{ number: 1, etag: '"x"' }]);
const JOINED = { body: '<CompleteMultipartUploadResult><ETag>"joined-1"</ETag></CompleteMultipartUploadResult>' };
const IN_A_SUCCESS = {
  body: '<?xml version="1.0"?>\n\n<Error><Code>InternalError</Code><Message>try again</Message></Error>',
};

const count = (method: string) => storage.asked.filter((asked) => asked.method === method).length;
/** Storage answers this to whatever it is asked. */
const answers = (answer: Answer) => void (storage.answer = () => answer);
/** Storage answers the attempts to join parts one after the other, and has the joined object. */
const joins = (...given: readonly Answer[]) =>
  void (storage.answer = ({ method }) =>
    method === 'POST' ? given[count('POST') - 1]! : { headers: { etag: '"joined-1"', 'content-length': '1' } });

describe('a request that storage fails', () => {
  it.each([408, 429, 500, 502, 503, 504])('is sent three times in all when storage answers %d', async (status) => {
    answers({ status });
    await expect(headObject(withoutPolicy({ provider: storage.provider, ...object }))).rejects.toMatchObject({
      code: status === 408 || status === 504 ? 'storage_timeout' : 'storage_unavailable',
    });
    expect(count('HEAD')).toBe(3);
  });

  it('is done when storage does it at last', async () => {
    joins({ status: 503 }, { cut: true }, JOINED);
    expect(await complete()).toMatchObject({ etag: '"joined-1"' });
    expect(count('POST')).toBe(3);
  });

  // Amazon says with the status 400 that it closes an idle connection.
  it('is done when storage had only closed an idle connection', async () => {
    joins({ status: 408 }, { status: 400, body: '<Error><Code>RequestTimeout</Code></Error>' }, JOINED);
    expect(await complete()).toMatchObject({ etag: '"joined-1"' });
    expect(count('POST')).toBe(3);
  });

  it('is sent again when storage begins its answer as a success and ends it with an error', async () => {
    joins(IN_A_SUCCESS, JOINED);
    expect(await complete()).toMatchObject({ etag: '"joined-1"' });
    expect(count('POST')).toBe(2);
  });

  it.each([400, 403, 404, 409, 412, 501])('is sent once when storage refuses it with %d', async (status) => {
    answers({ status });
    await expect(headObject(withoutPolicy({ provider: storage.provider, ...object }))).rejects.toThrow();
    expect(count('HEAD')).toBe(1);
  });

  it('is sent again with a small body, which was collected, and once with a stream', async () => {
    answers({ status: 503 });
    await expect(
      putObject(withoutPolicy({ provider: storage.provider, ...object }), Readable.from(['x']), { contentLength: 1 }),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(storage.asked.splice(0).map(({ method, body }) => [method, body])).toEqual(
      Array.from({ length: 3 }, () => ['PUT', 'x']),
    );
    await expect(
      putPart(withoutPolicy({ provider: storage.provider, ...object }), {
        id: 'id',
        number: 1,
        size: 1,
        body: Readable.from([Buffer.from('x')]),
      }),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(count('PUT')).toBe(1);
  });

  it('is not sent again when the client has left', async () => {
    const client = new AbortController();
    storage.answer = () => {
      client.abort(new Error('gone'));
      return { status: 503 };
    };
    await expect(
      headObject(withoutPolicy({ provider: storage.provider, ...object }), { signal: client.signal }),
    ).rejects.toThrow('gone');
    await expect(
      headObject(withoutPolicy({ provider: storage.provider, ...object }), { signal: client.signal }),
    ).rejects.toThrow('gone');
    expect(count('HEAD')).toBe(1);
  });
});
