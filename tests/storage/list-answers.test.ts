import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/policy/grants.ts';
import { listBuckets } from '../../src/storage/buckets.ts';
import { listObjects } from '../../src/storage/listing.ts';
import { listParts } from '../../src/storage/multipart.ts';
import type { Provider } from '../../src/storage/provider.ts';
import { Storage } from '../../src/storage/storage.ts';

let answer: (res: http.ServerResponse, url: URL) => void;
let asked: URL[];
const server = http.createServer((req, res) => {
  const url = new URL(req.url ?? '', 'http://x');
  asked.push(url);
  answer(res, url);
});
let storage: Storage;
let provider: Provider;
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  storage = new Storage([{ name: 'test', type: 's3', endpoint, region: 'us-east-1', pathStyle: true, connectTimeoutMs: 5_000, idleTimeoutMs: 10_000, credentials: { accessKeyId: 'x', secretAccessKey: 'x' } } as never]);
  provider = storage.provider('test');
});
afterAll(() => {
  storage.close();
  server.close();
});
beforeEach(() => {
  asked = [];
});

const lists: Record<string, () => Promise<unknown>> = {
  listBuckets: () => listBuckets(provider),
  listObjects: () => listObjects(provider, { bucket: 'files', prefix: '', limit: 10, grants: EVERYTHING }),
  listParts: () => listParts(provider, { bucket: 'files', key: 'x', id: 'id' }),
};

describe.each(Object.entries(lists))('%s', (_name, list) => {
  it.each([
    ['nothing', ''],
    ['a page', '<!DOCTYPE html><html><body>Welcome to nginx!</body></html>'],
    ['JSON', '{"buckets": []}'],
    ['another answer', '<?xml version="1.0"?><LocationConstraint/>'],
  ])('takes %s for a fault of storage, not for an empty list', async (_what, body) => {
    answer = (res) => void res.writeHead(200, { 'content-type': 'application/xml' }).end(body);
    await expect(list()).rejects.toMatchObject({ code: 'storage_unavailable', detail: expect.stringContaining('something else than a list') });
  });

  it('reads no answer over 16 MiB', async () => {
    answer = (res) => void res.writeHead(200).end(Buffer.alloc(17 * 2 ** 20, '<a/>'));
    const since = performance.now();
    await expect(list()).rejects.toMatchObject({ code: 'storage_unavailable', detail: expect.stringContaining('16 MiB') });
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(asked).toHaveLength(1);
  });
});

describe('listBuckets', () => {
  const page = (names: readonly string[], token: string) =>
    `<?xml version="1.0"?>\n<ListAllMyBucketsResult>\n<Buckets>${names.map((name) => `<Bucket><Name>${name}</Name></Bucket>`).join('')}</Buckets>${token === '' ? '' : `<ContinuationToken>${token}</ContinuationToken>`}</ListAllMyBucketsResult>`;

  it('reads every page', async () => {
    answer = (res, { searchParams }) => void res.end(searchParams.get('continuation-token') === 'next' ? page(['c'], '') : page(['a', 'b'], 'next'));
    expect((await listBuckets(provider)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('ends where storage repeats its token, and names each bucket once', async () => {
    answer = (res) => void res.end(page(['a', 'b'], 'again'));
    expect((await listBuckets(provider)).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(asked).toHaveLength(2);
  });

  it('ends where storage finds a new token each time', async () => {
    answer = (res) => void res.end(page(['a'], `token-${asked.length}`));
    expect(await listBuckets(provider)).toHaveLength(1);
    expect(asked.length).toBeLessThan(200);
  });
});
