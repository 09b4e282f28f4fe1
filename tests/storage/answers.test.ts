import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/policy/index/grants.ts';
import { listBuckets } from '../../src/storage/buckets.ts';
import { SvcError } from '../../src/errors/svc-error.ts';
import { listObjects, type ListQuery } from '../../src/storage/listing.ts';
import { completeUpload, listParts } from '../../src/storage/multipart.ts';
import { copyObject, moveObject } from '../../src/storage/object-copy.ts';
import { deleteObject, deleteObjects } from '../../src/storage/object-delete.ts';
import { getObject } from '../../src/storage/object-read.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { Storage } from '../../src/storage/storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

import { heldBytes } from '../support/held-bytes.ts';

let answer: (res: http.ServerResponse, url: URL) => void;
let asked: URL[];
const server = http.createServer((req, res) => {
  const url = new URL(req.url ?? '', 'http://x');
  asked.push(url);
  answer(res, url);
});
let storage: Storage;
let provider: StorageProvider;
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  storage = new Storage([
    {
      name: 'test',
      type: 's3',
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
      connectTimeoutMs: 5_000,
      idleTimeoutMs: 10_000,
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
    } as never,
  ]);
  provider = storage.providers.provider('test');
});
afterAll(() => {
  storage.close();
  server.close();
});
beforeEach(() => {
  asked = [];
});

describe('a page of several mebibytes', () => {
  it.each([1_048_576, 999])('is read whole, however it comes: %i bytes at a time', async (size) => {
    const names = Array.from({ length: 1_000 }, (_, i) => `${'\x01é'.repeat(330)}${String(i).padStart(3, '0')}`);
    const rows = names.map((name) => `<Contents><Key>${encodeURIComponent(name)}</Key><Size>1</Size></Contents>`);
    const body = Buffer.from(`<ListBucketResult><EncodingType>url</EncodingType>${rows.join('')}</ListBucketResult>`);
    answer = (res) => {
      for (let at = 0; at < body.length; at += size) res.write(body.subarray(at, at + size));
      res.end();
    };
    const place = withoutPolicy({ provider, bucket: 'bucket', prefix: '' });
    const { objects } = await listObjects(place, { grants: EVERYTHING, limit: 1_000 });
    expect(objects.map(({ key }) => key)).toEqual(names);
  });
});

const lists: Record<string, () => Promise<unknown>> = {
  listBuckets: () => listBuckets(withoutPolicy({ provider })),
  listObjects: () =>
    listObjects(withoutPolicy({ provider, bucket: 'files', prefix: '' }), { limit: 10, grants: EVERYTHING }),
  listParts: () => listParts(withoutPolicy({ provider, bucket: 'files', key: 'x' }), 'id'),
};

describe.each(Object.entries(lists))('%s', (_name, list) => {
  it.each([
    ['nothing', ''],
    ['a page', '<!DOCTYPE html><html><body>Welcome to nginx!</body></html>'],
    ['JSON', '{"buckets": []}'],
    ['another answer', '<?xml version="1.0"?><LocationConstraint/>'],
  ])('takes %s for a fault of storage, not for an empty list', async (_what, body) => {
    answer = (res) => void res.writeHead(200, { 'content-type': 'application/xml' }).end(body);
    await expect(list()).rejects.toMatchObject({
      code: 'storage_unavailable',
      detail: expect.stringContaining('something else than a list'),
    });
  });

  it('reads no answer over 16 MiB', async () => {
    answer = (res) => void res.writeHead(200).end(Buffer.alloc(17 * 2 ** 20, '<a/>'));
    await expect(list()).rejects.toMatchObject({
      code: 'storage_unavailable',
      detail: expect.stringContaining('16 MiB'),
    });
    expect(asked).toHaveLength(1);
  });
});

it('listObjects reads a thousand of the longest keys in one request', async () => {
  const keys = Array.from({ length: 1_000 }, (_, i) => `${'\u4e00'.repeat(339)}/${String(i).padStart(4, '0')}`);
  const contents = keys.map(
    (key) =>
      `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag><Size>1</Size></Contents>`,
  );
  answer = (res) =>
    void res
      .writeHead(200)
      .end(
        `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`,
      );
  const page = await listObjects(withoutPolicy({ provider, bucket: 'files', prefix: '' }), {
    limit: 1_000,
    grants: EVERYTHING,
  });
  expect([page.objects.map(({ key }) => key), page.nextCursor, asked.length]).toEqual([keys, null, 1]);
});

describe('the memory of an answer while it is read', () => {
  const listing = (key: string, query: Pick<ListQuery, 'signal' | 'hold'>) => {
    const contents = Array.from({ length: 1_000 }, (_, i) => `<Contents><Key>${i}${key}</Key></Contents>`).join('');
    answer = (res) => void res.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
    const place = withoutPolicy({ provider, bucket: 'files', prefix: '' });
    return listObjects(place, { limit: 1_000, grants: EVERYTHING, ...query });
  };
  const long = 'x'.repeat(900);

  it('is not asked for when it is short', async () => {
    const hold = () => Promise.reject(new SvcError('rate_limited', { detail: 'too much' }));
    expect((await listing('x'.repeat(400), { hold })).objects).toHaveLength(1_000);
  });

  it('is waited for when it is long, and given back', async () => {
    const taken = Promise.withResolvers<() => void>();
    const bytes: number[] = [];
    let given = 0;
    const hold = (amount: number) => {
      bytes.push(amount);
      return taken.promise;
    };
    const listed = new AbortController();
    const page = listing(long, { hold }).finally(() => listed.abort());
    while (bytes.length === 0) await wait(5);
    await wait(100);
    expect([listed.signal.aborted, given]).toEqual([false, 0]);
    taken.resolve(() => void (given += 1));
    expect((await page).objects).toHaveLength(1_000);
    expect([bytes.length, given]).toEqual([1, 1]);
    expect(bytes[0]).toBeGreaterThan(3 * 900_000);
  });

  it('is refused as the person has to be told, and storage is not asked again', async () => {
    const hold = () => Promise.reject(new SvcError('rate_limited', { detail: 'too much' }));
    await expect(listing(long, { hold })).rejects.toMatchObject({ code: 'rate_limited', detail: 'too much' });
    expect(asked).toHaveLength(1);
  });

  it('is given back also when it comes after the client has left', async () => {
    const taken = Promise.withResolvers<() => void>();
    const left = new AbortController();
    let given = 0;
    const page = listing(long, {
      signal: left.signal,
      hold: () => {
        left.abort(new Error('left'));
        return taken.promise;
      },
    });
    await expect(page).rejects.toThrow('left');
    taken.resolve(() => void (given += 1));
    await wait(0);
    expect(given).toBe(1);
  });
});

const object = { bucket: 'files', key: 'x', id: 'id' };
const places = () =>
  [withoutPolicy({ ...object, provider }), withoutPolicy({ ...object, key: 'y', provider })] as const;
const changes: Record<string, () => Promise<unknown>> = {
  copyObject: () => copyObject(...places()),
  moveObject: () => moveObject(...places()),
  completeUpload: () => completeUpload(withoutPolicy({ provider, ...object }), object.id, [{ number: 1, etag: '"a"' }]),
  deleteObjects: () => deleteObjects(withoutPolicy({ provider, bucket: 'files', keys: ['x', 'y'] })),
};

/** An object is there; whatever else is asked is answered by `rest`. */
function answerBut(rest: typeof answer): void {
  answer = (res, url) => {
    if (res.req.method === 'HEAD') res.writeHead(200, { etag: '"a"', 'content-length': 1 }).end();
    else rest(res, url);
  };
}

describe.each(Object.entries(changes))('%s', (_name, change) => {
  it.each([
    ['a page', '<!DOCTYPE html><html><body>Welcome to nginx!</body></html>'],
    ['another answer', '<?xml version="1.0"?><LocationConstraint/>'],
  ])('takes %s for a fault of storage, not for a success', async (_what, body) => {
    answerBut((res) => void res.writeHead(200, { 'content-type': 'application/xml' }).end(body));
    await expect(change()).rejects.toMatchObject({ code: 'storage_unavailable' });
  });
});

/** As many MiB as are read, and 64 at most. */
function endless(status: number): { readonly sentMib: number } {
  const seen = { sentMib: 0 };
  answerBut((res) => {
    res.writeHead(status, { 'content-type': 'application/xml' }).write('<?xml version="1.0"?><Error>');
    const more = (): void => {
      while (seen.sentMib < 64 && !res.destroyed) {
        seen.sentMib += 1;
        if (!res.write(Buffer.alloc(2 ** 20, ' '))) return void res.once('drain', more);
      }
      res.end();
    };
    more();
  });
  return seen;
}

it.each(Object.entries(changes))('%s reads no answer over 16 MiB', async (_name, change) => {
  const seen = endless(200);
  await expect(change()).rejects.toMatchObject({
    code: 'storage_unavailable',
    detail: expect.stringContaining('16 MiB'),
  });
  expect(seen.sentMib).toBeLessThan(40);
});

it.each(
  Object.entries({
    ...changes,
    getObject: () => getObject(withoutPolicy({ provider, ...object })),
    deleteObject: () => deleteObject(withoutPolicy({ provider, ...object })),
  }),
)('%s reads no fault over 16 MiB', async (_name, act) => {
  const seen = endless(404);
  await expect(act()).rejects.toMatchObject({ code: 'storage_unavailable', detail: expect.stringContaining('16 MiB') });
  expect(seen.sentMib).toBeLessThan(40);
});

describe('listBuckets', () => {
  const page = (names: readonly string[], token: string) =>
    `<?xml version="1.0"?>\n<ListAllMyBucketsResult>\n<Buckets>${names.map((name) => `<Bucket><Name>${name}</Name></Bucket>`).join('')}</Buckets>${token === '' ? '' : `<ContinuationToken>${token}</ContinuationToken>`}</ListAllMyBucketsResult>`;

  it('reads every page', async () => {
    answer = (res, { searchParams }) =>
      void res.end(searchParams.get('continuation-token') === 'next' ? page(['c'], '') : page(['a', 'b'], 'next'));
    expect((await listBuckets(withoutPolicy({ provider }))).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('ends where storage repeats its token, and names each bucket once', async () => {
    answer = (res) => void res.end(page(['a', 'b'], 'again'));
    expect((await listBuckets(withoutPolicy({ provider }))).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(asked).toHaveLength(2);
  });

  it('ends where storage finds a new token each time', async () => {
    answer = (res) => void res.end(page(['a'], `token-${asked.length}`));
    expect(await listBuckets(withoutPolicy({ provider }))).toHaveLength(1);
    expect(asked.length).toBeLessThan(200);
  });
});

describe('listParts', () => {
  it('ends where storage goes round in circles', async () => {
    answer = (res) =>
      void res.end(
        `<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>${1 + (asked.length % 2)}</NextPartNumberMarker><Part><PartNumber>1</PartNumber></Part></ListPartsResult>`,
      );
    expect(await listParts(withoutPolicy({ provider, ...object }), object.id)).not.toEqual([]);
    expect(asked.length).toBeLessThan(10);
  });

  it('ends where storage gives more parts than an upload has', async () => {
    answer = (res) =>
      void res.end(
        asked.length === 40
          ? '<ListPartsResult></ListPartsResult>'
          : `<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>${asked.length / 10}</NextPartNumberMarker>${'<Part><PartNumber>1</PartNumber></Part>'.repeat(1_000)}</ListPartsResult>`,
      );
    const parts = await listParts(withoutPolicy({ provider, ...object }), object.id);
    expect(parts.length).toBeLessThan(12_000);
  });
});

it('an answer in very small pieces takes about as much memory as its bytes', async () => {
  const pieces = 400_000;
  answer = (res) =>
    void res.socket!.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(pieces)}`);
  const away = new AbortController();
  const before = heldBytes();
  const listed = listBuckets(withoutPolicy({ provider }), { signal: away.signal }).catch(() => 'aborted');
  await wait(1_000);
  const held = heldBytes() - before;
  away.abort(new Error('the end of the test'));
  await listed;
  expect(held).toBeLessThan(pieces * 30);
});
