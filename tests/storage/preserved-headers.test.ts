import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { copyObject, moveObject } from '../../src/storage/object-copy.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { ToldStorage, type Answer } from './told-storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const bucket = 'files';
const [here, elsewhere] = [new ToldStorage(), new ToldStorage()];
let [from, to] = [] as unknown as [StorageProvider, StorageProvider];
beforeAll(async () => {
  [from, to] = [await here.start(), await elsewhere.start()];
});
afterEach(() => [here, elsewhere].forEach(({ asked }) => asked.splice(0)));
afterAll(() => Promise.all([here.close(), elsewhere.close()]));

type Stored = {
  readonly size?: number;
  readonly headers?: Record<string, string>;
  readonly tags?: Answer;
  readonly deleting?: () => Answer;
};

/** Storage has `source`, and takes whatever it is given. */
function holds(
  storage: ToldStorage,
  {
    size = 1,
    headers = {},
    tags = { body: '<Tagging><TagSet/></Tagging>' },
    deleting = () => ({ status: 204 }),
  }: Stored = {},
): void {
  storage.answer = ({ method, query, headers: { 'x-amz-copy-source': isCopy } }) => {
    if (query.has('tagging')) return tags;
    if (method === 'HEAD')
      return {
        headers: {
          etag: '"s"',
          'content-length': String(size),
          'last-modified': new Date(0).toUTCString(),
          ...headers,
        },
      };
    if (method === 'GET') return { headers: { etag: '"s"' }, body: 'x' };
    if (method === 'DELETE') return deleting();
    if (query.has('uploads'))
      return { body: '<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>' };
    if (method === 'POST')
      return { body: '<CompleteMultipartUploadResult><ETag>"j"</ETag></CompleteMultipartUploadResult>' };
    if (isCopy === undefined) return { headers: { etag: '"n"' } };
    return {
      body: query.has('partNumber')
        ? '<CopyPartResult><ETag>"p"</ETag></CopyPartResult>'
        : '<CopyObjectResult><ETag>"c"</ETag></CopyObjectResult>',
    };
  };
}
const source = () => ({ provider: from, bucket, key: 'source' });
const target = (provider: StorageProvider) => ({ provider, bucket, key: 'target' });
/** The header of the request that makes the target. */
const made = ({ asked }: ToldStorage, header: string) =>
  asked.find(({ method, query }) => query.has('uploads') || (method === 'PUT' && !query.has('partNumber')))?.headers[
    header
  ];
const isLeft = () => !here.asked.some(({ method, path }) => method === 'DELETE' && path.endsWith('source'));

describe('the storage class', () => {
  const cold = { headers: { 'x-amz-storage-class': 'STANDARD_IA' } };

  it.each([
    ['in one request', 1],
    ['in parts', 5 * 2 ** 30 + 1],
  ])('is kept by a copy within a provider %s', async (_how, size) => {
    holds(here, { ...cold, size });
    await copyObject(withoutPolicy(source()), withoutPolicy(target(from)));
    expect(made(here, 'x-amz-storage-class')).toBe('STANDARD_IA');
  });

  it('is that of the other provider after a copy to it', async () => {
    holds(here, cold);
    holds(elsewhere);
    await copyObject(withoutPolicy(source()), withoutPolicy(target(to)));
    expect(made(elsewhere, 'x-amz-storage-class')).toBeUndefined();
  });

  it('is asked for by a move to another provider, which leaves the source where it has none', async () => {
    holds(here, cold);
    holds(elsewhere, cold);
    await moveObject(withoutPolicy(source()), withoutPolicy(target(to)));
    expect([made(elsewhere, 'x-amz-storage-class'), isLeft()]).toEqual(['STANDARD_IA', false]);
    here.asked.splice(0);
    holds(elsewhere);
    await expect(moveObject(withoutPolicy(source()), withoutPolicy(target(to)))).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('did not keep its storage class'),
    });
    expect(isLeft()).toBe(true);
  });
});

describe('tags', () => {
  it('that the service may not read are left out of a copy, and keep a move from happening', async () => {
    holds(here, { tags: { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' } });
    holds(elsewhere);
    await copyObject(withoutPolicy(source()), withoutPolicy(target(to)));
    expect(made(elsewhere, 'x-amz-tagging')).toBeUndefined();
    elsewhere.asked.splice(0);
    await expect(moveObject(withoutPolicy(source()), withoutPolicy(target(to)))).rejects.toMatchObject({
      code: 'storage_unavailable',
      detail: expect.stringMatching(/^the object was not moved, because its tags cannot be read/),
    });
    expect([isLeft(), elsewhere.asked.map(({ method }) => method)]).toEqual([true, []]);
  });

  it.each([
    ['NoSuchTagSet', 404],
    ['NoSuchTagSetError', 404],
    ['NotImplemented', 400],
    ['MethodNotAllowed', 400],
    [undefined, 501],
    [undefined, 405],
  ])('are none where storage says %s with status %d', async (code, status) => {
    holds(here, { tags: { status, body: code === undefined ? '' : `<Error><Code>${code}</Code></Error>` } });
    holds(elsewhere);
    await moveObject(withoutPolicy(source()), withoutPolicy(target(to)));
    expect([made(elsewhere, 'x-amz-tagging'), isLeft()]).toEqual([undefined, false]);
  });
});

describe('a move whose client leaves while the source is deleted', () => {
  it('ends with that, for nobody is there to be told where the object is', async () => {
    const client = new AbortController();
    holds(here, { deleting: () => (client.abort(new Error('gone')), { status: 204 }) });
    await expect(
      moveObject(withoutPolicy(source()), withoutPolicy(target(from)), { signal: client.signal }),
    ).rejects.toThrow('gone');
  });
});
