import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/policy/index/grants.ts';
import { createBucket, deleteBucket, listBuckets } from '../../src/storage/buckets.ts';
import { listObjects } from '../../src/storage/listing.ts';
import { headObject } from '../../src/storage/object-read.ts';
import { putObject } from '../../src/storage/object-write.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { Storage } from '../../src/storage/storage.ts';
import { logged } from '../support/logged.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

let s3: TestStorage;
let bucket: string;
let other: http.Server;
let answer: { readonly status: number; readonly headers: Record<string, string>; readonly body: string };
let storage: Storage;
let elsewhere: StorageProvider;

beforeAll(async () => {
  s3 = await startStorage();
  bucket = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
  await putObject(withoutPolicy({ provider: s3.provider, bucket, key: 'x' }), Readable.from([Buffer.from('x')]), {
    contentLength: 1,
  });
  other = http.createServer((req, res) => {
    req.resume();
    req.once('end', () => void res.writeHead(answer.status, answer.headers).end(answer.body));
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  storage = new Storage([{ ...s3.options, endpoint: `http://127.0.0.1:${(other.address() as AddressInfo).port}` }]);
  elsewhere = storage.providers.provider('test');
});
afterEach(() => {
  s3.counter.spoil = undefined;
});
afterAll(async () => {
  storage.close();
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
  await s3.close();
});

async function detailOf(question: Promise<unknown>): Promise<unknown> {
  return await question.then(
    () => 'no fault',
    (error: unknown) => (error as { detail?: string }).detail,
  );
}

describe('listBuckets', () => {
  it.each([
    ['InvalidAccessKeyId', 'does not know the access key; check `credentials.access_key_id`'],
    ['SignatureDoesNotMatch', 'refuses the signature; check `credentials.secret_access_key` and `region`'],
    ['RequestTimeTooSkewed', 'sees another time than this server; set its clock'],
  ])('says what %s means, and nothing about naming buckets', async (code, what) => {
    s3.counter.spoil = () => ({ status: 403, code });
    expect(await detailOf(listBuckets(withoutPolicy({ provider: s3.provider })))).toBe(
      `storage provider \`test\` ${what}`,
    );
  });

  it('says to name the buckets when the key may not list them', async () => {
    s3.counter.spoil = () => ({ status: 403, code: 'AccessDenied' });
    expect(await detailOf(listBuckets(withoutPolicy({ provider: s3.provider })))).toContain(
      'name the buckets in its `buckets`',
    );
  });
});

describe('a bucket policy that denies the service', () => {
  it('is told as that', async () => {
    s3.counter.spoil = () => ({ status: 403, code: 'AccessDenied' });
    const what =
      "storage provider `test` does not let the service's access key do this; check the bucket's policy and the permissions of the key";
    expect(await detailOf(deleteBucket(withoutPolicy({ provider: s3.provider, bucket })))).toBe(what);
    expect(await detailOf(headObject(withoutPolicy({ provider: s3.provider, bucket, key: 'x' })))).toBe(what);
  });
});

describe('an answer of storage that refuses', () => {
  it('is one line of the log, because a stack says nothing about another service', async () => {
    s3.counter.spoil = () => ({ status: 403, code: 'InvalidAccessKeyId' });
    const fault: unknown = await listBuckets(withoutPolicy({ provider: s3.provider })).catch((error: unknown) => error);
    const text = logged((log) => log.error('storage_unavailable', { cause: fault }), 'text');
    expect(text).toContain('InvalidAccessKeyId');
    expect(text.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('a wrong region', () => {
  const wanted = "storage provider `test` expects the region `eu-central-1`; set the provider's `region` to it";

  it.each(['AuthorizationHeaderMalformed', 'IllegalLocationConstraintException', 'PermanentRedirect'])(
    'is named with the right one for %s',
    async (code) => {
      s3.counter.spoil = () => ({
        status: code === 'PermanentRedirect' ? 301 : 400,
        code,
        more: '<Region>eu-central-1</Region>',
      });
      expect(await detailOf(listBuckets(withoutPolicy({ provider: s3.provider })))).toBe(wanted);
    },
  );

  it.each([301, 400])('is named where only a header of the answer %d to a HEAD has it', async (status) => {
    answer = {
      status,
      headers: { 'x-amz-bucket-region': 'eu-central-1', 'content-type': 'application/xml' },
      body: '',
    };
    expect(await detailOf(headObject(withoutPolicy({ provider: elsewhere, bucket, key: 'x' })))).toBe(wanted);
  });
});

describe('an endpoint that is no S3', () => {
  const page = '<!doctype html><html><body><p>Hello<br></body></html>';

  it.each([
    [200, 'text/html', page],
    [302, 'text/html', page],
    [400, 'text/html', page],
    [403, 'text/html', page],
    [404, 'text/html', page],
    [404, 'application/json', '{"error": "no such route"}'],
    [405, 'text/plain', 'no'],
  ])('is told by its %d with %s', async (status, type, body) => {
    answer = { status, headers: { 'content-type': `${type}; charset=utf-8` }, body };
    expect(await detailOf(listBuckets(withoutPolicy({ provider: elsewhere })))).toBe(
      `storage provider \`test\` does not answer as S3 does (${status}, ${type}); check \`endpoint\``,
    );
  });

  it.each([
    ['', ''],
    ['nothing here', ''],
    ['', ', application/xml'],
  ])('is told by a 404 that is no answer to a listing (%j%s)', async (body, type) => {
    answer = { status: 404, headers: type === '' ? {} : { 'content-type': type.slice(2) }, body };
    await expect(
      listObjects(withoutPolicy({ provider: elsewhere, bucket, prefix: '' }), { limit: 1, grants: EVERYTHING }),
    ).rejects.toMatchObject({
      code: 'storage_unavailable',
      detail: `storage provider \`test\` does not answer as S3 does (404${type}); check \`endpoint\``,
    });
    await expect(headObject(withoutPolicy({ provider: elsewhere, bucket, key: 'x' }))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is not what S3 is that refuses a request in JSON, as Ceph does before it reads it', async () => {
    const headers = { 'content-type': 'application/json', 'x-amz-request-id': 'tx1-default' };
    answer = { status: 400, headers, body: '{"Code":"InvalidRequest","Message":""}' };
    await expect(headObject(withoutPolicy({ provider: elsewhere, bucket, key: 'a\0b' }))).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'storage provider `test` refuses the request',
    });
    answer = { status: 405, headers, body: '{"Code":"MethodNotAllowed"}' };
    expect(await detailOf(listBuckets(withoutPolicy({ provider: elsewhere })))).toBe(
      'storage provider `test` does not answer as S3 does (405, application/json); check `endpoint`',
    );
  });

  it('is not what S3 is that names its fault in an answer of another type', async () => {
    answer = {
      status: 404,
      headers: { 'content-type': 'text/plain' },
      body: '<Error><Code>NoSuchBucket</Code></Error>',
    };
    await expect(
      listObjects(withoutPolicy({ provider: elsewhere, bucket, prefix: '' }), { limit: 1, grants: EVERYTHING }),
    ).rejects.toMatchObject({ code: 'not_found', detail: 'there is no such bucket' });
  });

  it('is not what a proxy is that limits the size of a request', async () => {
    answer = { status: 413, headers: { 'content-type': 'text/html' }, body: page };
    const put = putObject(withoutPolicy({ provider: elsewhere, bucket, key: 'x' }), Readable.from([Buffer.from('x')]), {
      contentLength: 1,
    });
    await expect(put).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});

describe('a bucket that cannot be removed', () => {
  it('may hold what a listing does not show', async () => {
    s3.counter.spoil = () => ({ status: 409, code: 'BucketNotEmpty' });
    expect(await detailOf(deleteBucket(withoutPolicy({ provider: s3.provider, bucket })))).toContain(
      'earlier versions',
    );
  });
});
