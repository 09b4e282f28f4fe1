import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { listBuckets } from '../../../src/storage/buckets.ts';
import { deleteObjects } from '../../../src/storage/object-delete.ts';
import { getObject, headObject } from '../../../src/storage/object-read.ts';
import { presign } from '../../../src/storage/presign.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { ToldStorage } from '../told-storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

const told = new ToldStorage();
const opened: Storage[] = [];
beforeAll(() => told.start());
afterEach(() => {
  for (const storage of opened.splice(0)) storage.close();
  told.asked.splice(0);
});
afterAll(() => told.close());

function provider(endpoint: string, pathStyle = false) {
  const storage = new Storage([
    {
      name: 'test',
      type: 's3',
      endpoint,
      region: 'us-east-1',
      pathStyle,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      connectTimeoutMs: 1000,
      idleTimeoutMs: 5000,
      proxy: { http: told.endpoint, https: undefined, except: '' },
    },
  ]);
  opened.push(storage);
  return storage.providers.provider('test');
}

describe('an object is addressed', () => {
  const link = async (endpoint: string, bucket: string, pathStyle?: boolean) =>
    (await provider(endpoint, pathStyle).s3.link({ method: 'GET', bucket, key: 'a/ü' }, { expiresIn: 60 })).url.split(
      '?',
    )[0];

  it.each([
    ['https://s3.example.com', 'files', 'https://files.s3.example.com/a/%C3%BC'],
    ['https://s3.example.com:9000/behind/a/path', 'files', 'https://files.s3.example.com:9000/behind/a/path/a/%C3%BC'],
    ['http://s3.example.com', 'with.dots', 'http://with.dots.s3.example.com/a/%C3%BC'],
  ])('with its bucket in the name of the host at %s', async (endpoint, bucket, url) => {
    expect(await link(endpoint, bucket)).toBe(url);
  });

  it.each([
    [
      'its certificate would not cover the name',
      'https://s3.example.com',
      'with.dots',
      'https://s3.example.com/with.dots/a/%C3%BC',
    ],
    ['the host is an address', 'http://127.0.0.1:9000', 'files', 'http://127.0.0.1:9000/files/a/%C3%BC'],
    ['the host is an address of version 6', 'http://[::1]:9000/', 'files', 'http://[::1]:9000/files/a/%C3%BC'],
  ])('with its bucket in the path where %s', async (_why, endpoint, bucket, url) => {
    expect(await link(endpoint, bucket)).toBe(url);
  });

  it('with its bucket in the path where the configuration says so', async () => {
    expect(await link('https://s3.example.com/behind/a/path/', 'files', true)).toBe(
      'https://s3.example.com/behind/a/path/files/a/%C3%BC',
    );
  });
});

describe('a request', () => {
  it('goes to the host of its bucket, and without a bucket to the endpoint itself', async () => {
    const s3 = provider('http://s3.example.com');
    const bodies: Record<string, string> = { GET: '<ListAllMyBucketsResult/>', POST: '<DeleteResult/>' };
    told.answer = ({ method, query }) => ({
      body: query.has('list-type') ? '<ListBucketResult/>' : (bodies[method] ?? ''),
    });
    for (let i = 0; i < 2; i++) await headObject(withoutPolicy({ provider: s3, bucket: 'files', key: 'a/ü' }));
    await deleteObjects(withoutPolicy({ provider: s3, bucket: 'files', keys: ['a/ü'] }));
    await listBuckets(withoutPolicy({ provider: s3 }));
    expect(told.asked.map(({ method, headers, path }) => [method, headers.host, path])).toEqual([
      ['GET', 'files.s3.example.com', '/'],
      ['HEAD', 'files.s3.example.com', '/a/%C3%BC'],
      ['HEAD', 'files.s3.example.com', '/a/%C3%BC'],
      ['POST', 'files.s3.example.com', '/'],
      ['GET', 's3.example.com', '/'],
    ]);
  });

  it.each(['minio/admin/v3/export-iam', '/minio/admin/v3/export-iam', 'rustfs/admin/v3/list-users', 'minio'])(
    'for %s goes to its bucket, and not to the administration that MinIO and RustFS have there on every host',
    async (key) => {
      const s3 = provider('http://s3.example.com');
      told.answer = ({ path, query }) => ({
        body: query.has('list-type')
          ? '<ListBucketResult/>'
          : path.startsWith('/files/')
            ? ''
            : 'THE KEYS OF EVERYBODY',
      });
      const { body } = await getObject(withoutPolicy({ provider: s3, bucket: 'files', key }));
      expect(await text(body!)).toBe('');
      expect(told.asked.at(-1)).toMatchObject({ path: `/files/${key}`, headers: { host: 's3.example.com' } });
      const { url } = await presign(withoutPolicy({ provider: s3, bucket: 'files', key }), 'GET', 60);
      expect(url.split('?')[0]).toBe(`http://s3.example.com/files/${key}`);
    },
  );

  describe('for an object, to storage that does not read the name of the bucket from the host,', () => {
    const read = () => {
      const bucket = withoutPolicy({ provider: provider('http://s3.example.com'), bucket: 'files', key: 'payroll/x' });
      return Promise.allSettled([getObject(bucket), presign(bucket, 'GET', 60)]);
    };
    const asked = () => new Set(told.asked.map(({ path }) => path));

    it('is not sent: it would lead to another bucket', async () => {
      told.answer = ({ path }) => ({ body: path === '/' ? '<ListAllMyBucketsResult/>' : 'SALARIES' });
      for (const answer of await read())
        expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'storage_unavailable' } });
      expect(asked()).toEqual(new Set(['/']));
    });

    it('is sent where the credentials may not list', async () => {
      told.answer = ({ path }) =>
        path === '/' ? { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' } : { body: 'text' };
      for (const answer of await read()) expect(answer).toMatchObject({ status: 'fulfilled' });
    });
  });

  it.each(['http://s3.example.com/media', 'http://s3.example.com/media/'])(
    'begins with the path of %s',
    async (endpoint) => {
      const s3 = provider(endpoint, true);
      told.answer = ({ method }) => ({ body: method === 'GET' ? '<ListAllMyBucketsResult/>' : '' });
      await headObject(withoutPolicy({ provider: s3, bucket: 'files', key: 'a/ü' }));
      await listBuckets(withoutPolicy({ provider: s3 }));
      expect(told.asked.map(({ method, path }) => [method, path])).toEqual([
        ['HEAD', '/media/files/a/%C3%BC'],
        ['GET', '/media/'],
      ]);
    },
  );
});
