import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { copyObject } from '../../src/storage/object-copy.ts';
import { deleteObject } from '../../src/storage/object-delete.ts';
import { getObject, headObject } from '../../src/storage/object-read.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { startUpload } from '../../src/storage/multipart.ts';
import { presign } from '../../src/storage/presign.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { ToldStorage, type Asked } from './told-storage.ts';

const storage = ToldStorage.forTests();
const at = (bucket: string, key: string) => withoutPolicy({ provider: storage.provider, bucket, key });

/** As MinIO refuses its reserved bucket, and as Ceph answers to a name beneath which it has its administration. */
const AS_NO_BUCKET = [
  ['MinIO', 'minio', { status: 403, body: '<Error><Code>AllAccessDisabled</Code></Error>' }],
  ['RustFS', 'rustfs', { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }],
  ['Riak CS', 'riak-cs', { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }],
  ['Ceph', 'admin', { status: 405, headers: { 'content-type': 'application/json' }, body: '{"Code":"x"}' }],
  ['Ceph', 'swift', { status: 405, headers: { 'content-type': 'text/plain' }, body: 'MethodNotAllowed' }],
  ['Ceph', 'auth', { status: 401, headers: { 'content-type': 'application/json' }, body: '{"Code":"x"}' }],
] as const;

it.each(AS_NO_BUCKET)('sends %s no request that leads beneath %s to its administration', async (_, bucket, answer) => {
  const isBucket = ({ path }: Asked) => path === `/${bucket}`;
  storage.answer = (request) =>
    isBucket(request) ? answer : { headers: { etag: '"e"' }, body: 'THE KEYS OF EVERYBODY' };
  const object = at(bucket, 'v3/export');
  const calls = [
    () => getObject(object),
    () => headObject(object),
    () => putObject(object, Readable.from(['x']), { contentLength: 1 }),
    () => startUpload(object),
    () => deleteObject(object),
    () => copyObject(object, at('files', 'copy')),
    () => copyObject(at('files', 'source'), object),
    () => presign(object, 'GET', 60),
    () => presign(object, 'PUT', 60),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'not_found' });
  expect(storage.asked.filter(({ path }) => path.startsWith(`/${bucket}/`))).toEqual([]);
});

it('serves a bucket with such a name where storage has it, and asks once', async () => {
  storage.answer = ({ query }) =>
    query.has('list-type') ? { body: '<ListBucketResult/>' } : { headers: { etag: '"e"' }, body: 'text' };
  for (let i = 0; i < 2; i++) expect(await headObject(at('admin', 'x'))).toMatchObject({ status: 200 });
  expect(storage.asked.filter(({ query }) => query.has('list-type'))).toHaveLength(1);
  expect((await presign(at('admin', 'x'), 'GET', 60)).url).toContain('/admin/x?');
});

it('says so when storage cannot answer whether it has such a bucket', async () => {
  storage.answer = () => ({ status: 503, body: '<Error><Code>SlowDown</Code></Error>' });
  await expect(headObject(at('minio', 'x'))).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(new Set(storage.asked.map(({ path }) => path))).toEqual(new Set(['/minio']));
});
