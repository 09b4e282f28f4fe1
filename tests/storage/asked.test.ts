import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { completeUpload, listParts, startUpload } from '../../src/storage/multipart.ts';
import { rangesOf } from '../../src/storage/object-copy-in-parts.ts';
import { copyObject, moveObject } from '../../src/storage/object-copy.ts';
import { deleteObjects } from '../../src/storage/object-delete.ts';
import { putObject } from '../../src/storage/object-write.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { ToldStorage, type Answer, type Asked } from './told-storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const storage = new ToldStorage();
const { asked } = storage;
let answer: (request: Asked) => Answer;
let provider: StorageProvider;
beforeAll(async () => {
  provider = await storage.start();
  storage.answer = (request) =>
    request.query.has('tagging') ? { body: '<Tagging><TagSet/></Tagging>' } : answer(request);
});
afterEach(() => void asked.splice(0));
afterAll(() => storage.close());

const bucket = 'files';
const upload = { bucket, key: 'k', id: 'id' };
const partsXml = (...numbers: number[]) =>
  numbers
    .map((number) => `<Part><PartNumber>${number}</PartNumber><ETag>"${number}"</ETag><Size>${number}</Size></Part>`)
    .join('');

describe('listParts', () => {
  it('goes on to the further pages, and stops where storage repeats its marker', async () => {
    answer = ({ query }) => {
      const marker = query.get('part-number-marker');
      if (marker === null)
        return {
          body: `<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>2</NextPartNumberMarker>${partsXml(1, 2)}</ListPartsResult>`,
        };
      if (marker === '2')
        return {
          body: `<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>3</NextPartNumberMarker>${partsXml(3)}</ListPartsResult>`,
        };
      return {
        body: `<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>3</NextPartNumberMarker>${partsXml(4)}</ListPartsResult>`,
      };
    };
    expect(
      (await listParts(withoutPolicy({ provider, ...upload }), upload.id)).map(({ number, size, etag }) => [
        number,
        size,
        etag,
      ]),
    ).toEqual([1, 2, 3, 4].map((number) => [number, number, `"${number}"`]));
    expect(asked.map(({ query }) => query.get('part-number-marker'))).toEqual([null, '2', '3']);
  });
});

describe('startUpload', () => {
  it('says that its request has no body, without which some storage answers with 411', async () => {
    answer = () => ({
      body: '<InitiateMultipartUploadResult><UploadId>begun</UploadId></InitiateMultipartUploadResult>',
    });
    expect((await startUpload(withoutPolicy({ provider, ...upload }), {})).id).toBe('begun');
    expect(asked.map(({ headers }) => headers['content-length'])).toEqual(['0']);
  });

  it('drops the upload when the client left while storage began it', async () => {
    const client = new AbortController();
    answer = ({ method }) => {
      if (method === 'DELETE') return { status: 204 };
      client.abort(new Error('gone'));
      return { body: '<InitiateMultipartUploadResult><UploadId>begun</UploadId></InitiateMultipartUploadResult>' };
    };
    await expect(startUpload(withoutPolicy({ provider, ...upload }), { signal: client.signal })).rejects.toThrow(
      'gone',
    );
    expect(asked.map(({ method, query }) => [method, query.get('uploadId')])).toEqual([
      ['POST', null],
      ['DELETE', 'begun'],
    ]);
  });
});

describe('completeUpload', () => {
  const joining = (first: Answer, etag: string, modified = new Date()) => {
    let tries = 0;
    answer = ({ method }) => {
      if (method === 'HEAD')
        return { headers: { etag, 'content-length': '7', 'last-modified': modified.toUTCString() } };
      return (tries += 1) === 1 ? first : { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' };
    };
  };
  const complete = () =>
    completeUpload(withoutPolicy({ provider, ...upload }), upload.id, [
      { number: 1, etag: '"x"' },
      { number: 2, etag: '"y"' },
    ]);

  it('takes an object of as many parts for its own, where storage has ETags of its own and the first answer was lost', async () => {
    joining({ cut: true }, '"odd-2"');
    expect(await complete()).toEqual({ etag: '"odd-2"', size: 7 });
  });

  it('takes no other object for its own, and none where no answer was lost', async () => {
    joining({ cut: true }, '"odd-3"');
    await expect(complete()).rejects.toMatchObject({ code: 'not_found' });
    joining({ status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' }, '"odd-2"');
    await expect(complete()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('takes no object for its own that was there long before', async () => {
    joining({ cut: true }, '"odd-2"', new Date(Date.now() - 3_600_000));
    await expect(complete()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('asks once whether storage has the upload when it says 500 of each attempt', async () => {
    answer = ({ method, query }) =>
      method === 'HEAD'
        ? { headers: { etag: '"other-2"', 'content-length': '7' } }
        : method === 'GET' && query.has('uploadId')
          ? { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' }
          : { status: 500, body: '<Error><Code>InternalError</Code></Error>' };
    await expect(complete()).rejects.toMatchObject({ code: 'not_found' });
    expect(asked.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  it('gives the ETag with its quotes, which Ceph leaves out of the answer', async () => {
    joining({ body: '<CompleteMultipartUploadResult><ETag>odd-2</ETag></CompleteMultipartUploadResult>' }, '"odd-2"');
    expect(await complete()).toEqual({ etag: '"odd-2"', size: 7 });
  });
});

describe('a write in parts whose last answer is lost', () => {
  const md5 = (of: string | Buffer) => createHash('md5').update(of).digest('hex');
  const place = (key: string) => withoutPolicy({ provider, bucket, key });
  /** Storage that joins parts and loses that answer, so that it no longer has the upload when it is asked again. */
  const losing = (content: string) => {
    const digests: string[] = [];
    let joined = 0;
    answer = ({ method, path, query, headers, body }) => {
      if (query.has('uploads'))
        return { body: '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>' };
      if (method === 'PUT') {
        const range = /bytes=(\d+)-(\d+)/.exec(headers['x-amz-copy-source-range'] as string);
        const digest = md5(range === null ? body : content.slice(Number(range[1]), Number(range[2]) + 1));
        digests[Number(query.get('partNumber')) - 1] = digest;
        const etag = `"${digest}"`;
        return { headers: { etag }, body: `<CopyPartResult><ETag>${etag}</ETag></CopyPartResult>` };
      }
      if (method === 'POST') {
        joined += 1;
        return joined === 1 ? { cut: true } : { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' };
      }
      const etag = path.endsWith('/from')
        ? '"source"'
        : `"${md5(Buffer.from(digests.join(''), 'hex'))}-${digests.length}"`;
      const [, first, last] = /bytes=(\d+)-(\d+)/.exec(headers['range'] ?? '') ?? [];
      return method === 'HEAD'
        ? { headers: { etag, 'content-length': String(content.length) } }
        : {
            status: 206,
            headers: { etag, 'content-range': `bytes ${first}-${last}/${content.length}` },
            body: content.slice(Number(first), Number(last) + 1),
          };
    };
  };

  it('is a copy that was made', async () => {
    losing('0123456');
    const { etag } = await copyObject(place('from'), place('to'), {}, { single: 1, part: 4 });
    expect(etag).toMatch(/-2"$/);
    expect(asked.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('is an object that was written, although its length was not known', async () => {
    losing('');
    const { etag } = await putObject(place('to'), Readable.from([Buffer.alloc(9 * 1_048_576)]), {});
    expect(etag).toMatch(/-2"$/);
  });

  it.each(['503', '412'])(
    'fails with %s while storage has the upload, although the same content was there before',
    async (status) => {
      losing('0123456');
      const inner = answer;
      let joined = 0;
      answer = (request) => {
        if (request.method === 'GET' && request.query.has('uploadId'))
          return { body: `<ListPartsResult><IsTruncated>true</IsTruncated>${partsXml(1)}</ListPartsResult>` };
        if (request.method !== 'POST' || request.query.has('uploads')) return inner(request);
        joined += 1;
        return { status: joined === 1 ? 503 : Number(status), body: '<Error><Code>Told</Code></Error>' };
      };
      await expect(copyObject(place('from'), place('to'), {}, { single: 1, part: 4 })).rejects.toMatchObject({
        code: status === '412' ? 'precondition_failed' : 'storage_unavailable',
      });
      expect(asked.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    },
  );

  it('is a copy that was made also when storage says 500 of an upload that it no longer has', async () => {
    losing('0123456');
    const inner = answer;
    answer = (request) => {
      const answered = inner(request);
      if (request.method === 'GET' && request.query.has('uploadId'))
        return { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' };
      return answered.status === 404 ? { status: 500, body: '<Error><Code>InternalError</Code></Error>' } : answered;
    };
    const { etag } = await copyObject(place('from'), place('to'), {}, { single: 1, part: 4 });
    expect(etag).toMatch(/-2"$/);
  });

  it('fails with 500 where storage does not let the service ask whether it has the upload', async () => {
    losing('0123456');
    const inner = answer;
    answer = (request) => {
      const answered = inner(request);
      if (request.method === 'GET' && request.query.has('uploadId'))
        return { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' };
      return answered.status === 404 ? { status: 500, body: '<Error><Code>InternalError</Code></Error>' } : answered;
    };
    await expect(copyObject(place('from'), place('to'), {}, { single: 1, part: 4 })).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
  });

  it('fails when the object is another one', async () => {
    losing('0123456');
    const inner = answer;
    answer = (request) =>
      request.method === 'HEAD' && request.path.endsWith('/to')
        ? { headers: { etag: '"another-2"', 'content-length': '7' } }
        : inner(request);
    await expect(copyObject(place('from'), place('to'), {}, { single: 1, part: 4 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('deleteObjects', () => {
  const long = (i: number) => `${'x'.repeat(1_019)}/${String(i).padStart(4, '0')}`;
  const keysIn = (body: string) => Array.from(body.matchAll(/<Key>(.*?)<\/Key>/g), ([, key]) => key);

  it('names at most 128 KiB of keys in one request', async () => {
    answer = () => ({ body: '<DeleteResult/>' });
    const keys = Array.from({ length: 1_000 }, (_, i) => long(i));
    expect(await deleteObjects(withoutPolicy({ provider, bucket, keys }))).toEqual({ deleted: keys, failed: [] });
    expect(asked.map(({ body }) => keysIn(body).length)).toEqual([...Array.from({ length: 7 }, () => 128), 104]);
    expect(asked.flatMap(({ body }) => keysIn(body))).toEqual(keys);
    asked.splice(0);
    const short = keys.map((key) => key.slice(-100));
    expect(await deleteObjects(withoutPolicy({ provider, bucket, keys: short }))).toEqual({
      deleted: short,
      failed: [],
    });
    expect(asked).toHaveLength(1);
  });

  it('tells what was deleted where a later request fails, and fails where the first does', async () => {
    const keys = Array.from({ length: 200 }, (_, i) => long(i));
    answer = ({ body }) =>
      keysIn(body).length < 128
        ? { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }
        : { body: '<DeleteResult/>' };
    expect(await deleteObjects(withoutPolicy({ provider, bucket, keys }))).toEqual({
      deleted: keys.slice(0, 128),
      failed: keys.slice(128).map((key) => ({ key, code: 'storage_unavailable' })),
    });
    answer = () => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
    await expect(deleteObjects(withoutPolicy({ provider, bucket, keys }))).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
  });

  it('tells the fault of each key that storage names, and counts a missing one as deleted', async () => {
    const faults = { denied: 'AccessDenied', none: 'NoSuchKey', odd: 'InvalidArgument' };
    answer = () => ({
      body: `<DeleteResult>${Object.entries(faults)
        .map(([key, code]) => `<Error><Key>${key}</Key><Code>${code}</Code></Error>`)
        .join('')}</DeleteResult>`,
    });
    expect(await deleteObjects(withoutPolicy({ provider, bucket, keys: ['a', 'denied', 'none', 'odd'] }))).toEqual({
      deleted: ['a', 'none'],
      failed: [
        { key: 'denied', code: 'storage_unavailable' },
        { key: 'odd', code: 'invalid_request' },
      ],
    });
    expect(asked.map(({ method }) => method)).toEqual(['POST']);
  });

  it.each([
    ['NotImplemented', 501],
    ['InvalidRequest', 400],
    ['MissingContentMD5', 400],
  ])('deletes one by one where storage refuses a bulk with %s, and only there', async (code, status) => {
    answer = ({ method }) =>
      method === 'POST' ? { status, body: `<Error><Code>${code}</Code></Error>` } : { status: 204 };
    expect(await deleteObjects(withoutPolicy({ provider, bucket, keys: ['a', 'b'] }))).toEqual({
      deleted: ['a', 'b'],
      failed: [],
    });
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'DELETE']);
    answer = () => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
    await expect(deleteObjects(withoutPolicy({ provider, bucket, keys: ['a', 'b'] }))).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
  });

  it('deletes keys that XML cannot hold one by one, and names none of them in XML', async () => {
    answer = ({ method }) => (method === 'POST' ? { body: '<DeleteResult/>' } : { status: 204 });
    const unwritable = ['ctl\x01', 'nul\0', 'end\uffff', 'fe\ufffe', 'vt\x0b'];
    expect(await deleteObjects(withoutPolicy({ provider, bucket, keys: ['plain', 'tab\t', ...unwritable] }))).toEqual({
      deleted: ['plain', 'tab\t', ...unwritable],
      failed: [],
    });
    const [bulk, ...single] = asked;
    expect(bulk?.body.match(/<Key>/g)).toHaveLength(2);
    expect(single.map(({ method, path }) => [method, decodeURIComponent(path)]).sort()).toEqual(
      unwritable.map((key) => ['DELETE', `/${bucket}/${key}`]).sort(),
    );
  });
});

describe('a write that may not overwrite', () => {
  it('sends `If-None-Match: *` with the write itself, and with no other', async () => {
    answer = ({ method, query, headers }) => {
      if (method === 'HEAD')
        return headers['x-test'] === undefined && !asked.at(-1)?.path.endsWith('source')
          ? { status: 404 }
          : { headers: { etag: '"s"', 'content-length': '1', 'last-modified': new Date(0).toUTCString() } };
      if (query.has('uploadId'))
        return { body: '<CompleteMultipartUploadResult><ETag>"x-1"</ETag></CompleteMultipartUploadResult>' };
      return headers['x-amz-copy-source'] === undefined
        ? { headers: { etag: '"x"' } }
        : { body: '<CopyObjectResult><ETag>"x"</ETag></CopyObjectResult>' };
    };
    const source = { provider, bucket, key: 'source' };
    const writes: Record<string, (ifNoneMatchAny: boolean) => Promise<unknown>> = {
      small: (ifNoneMatchAny) =>
        putObject(withoutPolicy({ provider, bucket, key: 'k' }), Readable.from(['x']), {
          contentLength: 1,
          ifNoneMatchAny,
        }),
      streamed: (ifNoneMatchAny) =>
        putObject(withoutPolicy({ provider, bucket, key: 'k' }), Readable.from([Buffer.alloc(2 ** 21)]), {
          contentLength: 2 ** 21,
          ifNoneMatchAny,
        }),
      copied: (ifNoneMatchAny) =>
        copyObject(withoutPolicy(source), withoutPolicy({ ...source, key: 'k' }), { ifNoneMatchAny }),
      joined: (ifNoneMatchAny) =>
        completeUpload(withoutPolicy({ provider, ...upload }), upload.id, [{ number: 1, etag: '"1"' }], {
          ifNoneMatchAny,
        }).catch(() => undefined),
    };
    for (const [name, write] of Object.entries(writes)) {
      for (const asksFor of [true, false]) {
        asked.splice(0);
        await write(asksFor);
        const sent = asked
          .filter(({ method }) => method === 'PUT' || method === 'POST')
          .map(({ headers }) => headers['if-none-match']);
        expect([name, sent]).toEqual([name, [asksFor ? '*' : undefined]]);
      }
    }
  });
});

describe('an upload to which storage gives no id', () => {
  it('is not begun: without an id, a part would be an object, and dropping the parts would delete it', async () => {
    answer = () => ({ body: '<InitiateMultipartUploadResult/>' });
    await expect(
      putObject(withoutPolicy({ provider, bucket, key: 'k' }), Readable.from([Buffer.alloc(9 * 2 ** 20)])),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(asked.map(({ method }) => method)).toEqual(['POST']);
  });
});

describe('an upload whose client leaves while storage begins it', () => {
  it('is dropped, because nobody else would know its id', async () => {
    const left = new AbortController();
    answer = ({ query }) => {
      if (!query.has('uploads')) return { status: 204 };
      left.abort();
      return { body: '<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>' };
    };
    const body = new PassThrough();
    body.write(Buffer.alloc(9 * 2 ** 20));
    await expect(
      putObject(withoutPolicy({ provider, bucket, key: 'k' }), body, { signal: left.signal }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    const methods = asked.map(({ method }) => method);
    expect([methods.at(-1), methods.filter((method) => method === 'POST')]).toEqual(['DELETE', ['POST']]);
  });
});

describe('a copy between providers', () => {
  const other = new ToldStorage();
  let target: StorageProvider;
  beforeAll(async () => {
    target = await other.start();
    other.answer = ({ method }) => (method === 'HEAD' ? { status: 404 } : { headers: { etag: '"new"' } });
  });
  afterAll(() => other.close());

  it.each([
    ['says that it is shorter', { 'content-length': '3' }, 'conflict'],
    ['does not say how long it is, and ends early', { 'transfer-encoding': 'chunked' }, 'invalid_request'],
  ])(
    'stores no part of an object for the whole where storage %s',
    async (_what, headers: Record<string, string>, code) => {
      answer = ({ method }) => ({
        headers: { etag: '"s"', ...(method === 'HEAD' ? { 'content-length': '7' } : headers) },
        body: method === 'HEAD' ? '' : 'abc',
      });
      await expect(
        copyObject(
          withoutPolicy({ provider, bucket, key: 'source' }),
          withoutPolicy({ provider: target, bucket, key: 'k' }),
        ),
      ).rejects.toMatchObject({ code });
      expect(other.asked.filter(({ method }) => method !== 'HEAD')).toEqual([]);
    },
  );

  it.each([
    ['with the object', { 'content-length': '3' }],
    ['never', { 'transfer-encoding': 'chunked' }],
  ])('stores the whole where storage says its length %s', async (_when, headers: Record<string, string>) => {
    answer = ({ method }) =>
      method === 'HEAD' ? { headers: { etag: '"s"' } } : { headers: { etag: '"s"', ...headers }, body: 'abc' };
    await copyObject(
      withoutPolicy({ provider, bucket, key: 'source' }),
      withoutPolicy({ provider: target, bucket, key: 'k' }),
    );
    expect(other.asked.splice(0).flatMap(({ method, body }) => (method === 'PUT' ? [body] : []))).toEqual(['abc']);
  });
});

describe('a move', () => {
  it.each([
    ['content', { etag: '"other"', 'last-modified': new Date(0).toUTCString() }],
    ['time', { etag: '"s"', 'last-modified': new Date(1_000).toUTCString() }],
  ])('leaves a source that has another %s after the copy than before', async (_what, after) => {
    let looks = 0;
    answer = ({ method }) => {
      if (method === 'HEAD')
        return {
          headers: {
            'content-length': '1',
            etag: '"s"',
            'last-modified': new Date(0).toUTCString(),
            ...((looks += 1) > 1 && after),
          },
        };
      return { body: '<CopyObjectResult><ETag>"c"</ETag></CopyObjectResult>' };
    };
    const move = moveObject(
      withoutPolicy({ provider, bucket, key: 'source' }),
      withoutPolicy({ provider, bucket, key: 'target' }),
    );
    await expect(move).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('the source changed while it was copied'),
    });
    expect(asked.map(({ method }) => method)).not.toContain('DELETE');
  });
});

const GIB = 2 ** 30;

/** A storage that has `source`, of so many bytes, and copies it in one go or in parts. `etag` is asked for each time that somebody looks at the source. */
function copying(
  size: number,
  {
    etag = () => '"s"',
    fault,
  }: { readonly etag?: () => string; readonly fault?: (request: Asked) => Answer | undefined } = {},
): void {
  answer = (request) => {
    const { method, path, query } = request;
    if (method === 'HEAD')
      return path.endsWith('source')
        ? {
            headers: {
              etag: etag(),
              'content-length': String(size),
              'last-modified': new Date(0).toUTCString(),
              'content-type': 'text/css',
            },
          }
        : { status: 404 };
    const spoilt = fault?.(request);
    if (spoilt !== undefined) return spoilt;
    if (method === 'PUT' && query.has('partNumber'))
      return { body: `<CopyPartResult><ETag>"p${query.get('partNumber')}"</ETag></CopyPartResult>` };
    if (method === 'PUT') return { body: '<CopyObjectResult><ETag>"whole"</ETag></CopyObjectResult>' };
    // Both ends of source and copy are read and compared.
    if (method === 'GET') {
      const [first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers.range))!.slice(1).map(Number);
      const of = {
        etag: path.endsWith('source') ? etag() : '"joined-13"',
        'content-range': `bytes ${first}-${last}/${size}`,
      };
      return { status: 206, headers: of, body: 'x'.repeat(last! - first! + 1) };
    }
    if (query.has('uploads'))
      return { body: '<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>' };
    if (query.has('uploadId') && method === 'POST')
      return { body: '<CompleteMultipartUploadResult><ETag>"joined-13"</ETag></CompleteMultipartUploadResult>' };
    return { status: 204 };
  };
}
const copy = (options = {}) =>
  copyObject(
    withoutPolicy({ provider, bucket, key: 'source' }),
    withoutPolicy({ provider, bucket, key: 'target' }),
    options,
  );
const completions = () => asked.filter(({ method, query }) => method === 'POST' && query.has('uploadId'));
const drops = () => asked.filter(({ method, query }) => method === 'DELETE' && query.get('uploadId') === 'id');

describe('a copy of an object of 5 GiB', () => {
  it('goes in one piece', async () => {
    copying(5 * GIB);
    expect(await copy()).toMatchObject({ etag: '"whole"' });
  });
});

describe('a copy of an object over 5 GiB', () => {
  it('goes in parts: every byte once, in order, on the condition that the source stays what it was', async () => {
    const size = 6 * GIB + 5;
    copying(size);
    expect(await copy()).toMatchObject({ etag: '"joined-13"' });

    const parts = asked
      .filter(({ method }) => method === 'PUT')
      .sort((a, b) => Number(a.query.get('partNumber')) - Number(b.query.get('partNumber')));
    const ranges = parts.map(({ headers }) =>
      /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-amz-copy-source-range']))!.slice(1).map(Number),
    );
    expect(parts.map(({ query }) => Number(query.get('partNumber')))).toEqual(
      Array.from({ length: 13 }, (_, i) => i + 1),
    );
    expect(ranges.map(([first]) => first)).toEqual([0, ...ranges.slice(0, -1).map(([, last]) => last! + 1)]);
    expect(ranges.at(-1)![1]).toBe(size - 1);
    for (const { path, query, headers } of parts) {
      expect({
        path,
        id: query.get('uploadId'),
        source: headers['x-amz-copy-source'],
        match: headers['x-amz-copy-source-if-match'],
      }).toEqual({ path: `/${bucket}/target`, id: 'id', source: `${bucket}/source`, match: '"s"' });
    }
    const joined = asked.find(({ method, query }) => method === 'POST' && query.has('uploadId'))!.body;
    expect([...joined.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number))).toEqual(
      parts.map((_, i) => i + 1),
    );
    expect([...joined.matchAll(/p\d+/g)].map(([etag]) => etag)).toEqual(parts.map((_, i) => `p${i + 1}`));
    expect(asked.find(({ query }) => query.has('uploads'))?.headers['content-type']).toBe('text/css');
  });

  it('is dropped when the source changes meanwhile, though storage heeds no condition', async () => {
    let looks = 0;
    copying(6 * GIB, { etag: () => ((looks += 1) === 1 ? '"s"' : '"other"') });
    await expect(copy()).rejects.toMatchObject({ code: 'conflict' });
    expect([completions(), drops().length]).toEqual([[], 1]);
  });

  it('is dropped, and goes on no further, when a part fails', async () => {
    copying(6 * GIB, {
      fault: ({ query }) =>
        query.get('partNumber') === '2' ? { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' } : undefined,
    });
    await expect(copy()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect([completions(), drops().length]).toEqual([[], 1]);
    expect(asked.filter(({ method }) => method === 'PUT').length).toBeLessThan(13);
  });

  it('sends `If-None-Match: *` with what joins the parts, when it may not overwrite, and with nothing else', async () => {
    copying(6 * GIB);
    await copy({ ifNoneMatchAny: true });
    expect(completions().map(({ headers }) => headers['if-none-match'])).toEqual(['*']);
    await copy();
    expect(asked.filter(({ headers }) => headers['if-none-match'] !== undefined)).toHaveLength(1);
  });

  it.each([5 * GIB + 1, 5 * 1024 * GIB])(
    'of %d bytes has no more parts than storage takes, of half a GiB at least',
    (size) => {
      const ranges = rangesOf(size, GIB / 2).map(
        (range) => /^bytes=(\d+)-(\d+)$/.exec(range)!.slice(1).map(Number) as [number, number],
      );
      expect(ranges.length).toBeLessThanOrEqual(10_000);
      expect(Math.min(...ranges.slice(0, -1).map(([first, last]) => last - first + 1))).toBeGreaterThanOrEqual(GIB / 2);
      expect(ranges.map(([first]) => first)).toEqual([0, ...ranges.slice(0, -1).map(([, last]) => last + 1)]);
      expect(ranges.at(-1)![1]).toBe(size - 1);
    },
  );
});
