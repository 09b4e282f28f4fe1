import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketAclCommand,
  GetBucketLocationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
  type ChecksumAlgorithm,
  type ListObjectsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startS3Face, type S3Face } from '../../support/s3-face.ts';

const Bucket = 'files';
let face: S3Face;
let ada: S3Client;
let dan: S3Client;
let pia: S3Client;

beforeAll(async () => {
  face = await startS3Face({ keepsTags: true });
  [ada, dan, pia] = (await Promise.all(
    ['ada', 'dan', 'pia'].map(async (account) => face.client(await face.key(account))),
  )) as [S3Client, S3Client, S3Client];
});
afterAll(async () => {
  for (const client of [ada, dan, pia]) client.destroy();
  await face.app.close();
});

const textOf = async (client: S3Client, Key: string, more: object = {}): Promise<string> =>
  (await client.send(new GetObjectCommand({ Bucket, Key, ...more }))).Body!.transformToString();
/** The code and status with which a call fails. */
const failure = async (call: Promise<unknown>) =>
  call.then(
    () => 'success',
    (error: unknown) => {
      const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } };
      return [name, $metadata?.httpStatusCode];
    },
  );

describe('the SDK for JavaScript', () => {
  it('finds the buckets that a person may see, and what it asks of a bucket', async () => {
    const names = async (client: S3Client): Promise<(string | undefined)[]> => {
      const { Buckets = [] } = await client.send(new ListBucketsCommand());
      return Buckets.map((bucket) => bucket.Name);
    };
    expect(await names(ada)).toContain('photos');
    expect([await names(dan), await names(pia)]).toEqual([['files'], ['photos']]);
    await ada.send(new HeadBucketCommand({ Bucket }));
    expect((await ada.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint).toBe('svc');
    expect((await ada.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBeUndefined();
    expect((await ada.send(new GetBucketAclCommand({ Bucket }))).Grants?.[0]?.Permission).toBe('FULL_CONTROL');
    expect(await failure(ada.send(new HeadBucketCommand({ Bucket: 'missing' })))).toEqual(['NotFound', 404]);
    expect(await failure(pia.send(new HeadBucketCommand({ Bucket })))).toEqual(['Unknown', 403]);
    expect(await failure(ada.send(new GetBucketPolicyCommand({ Bucket })))).toEqual(['NotImplemented', 501]);
  });

  it('creates and deletes buckets', async () => {
    await ada.send(new CreateBucketCommand({ Bucket: 's3-made' }));
    expect(await failure(ada.send(new CreateBucketCommand({ Bucket: 's3-made' })))).toEqual([
      'BucketAlreadyExists',
      409,
    ]);
    expect(await failure(dan.send(new CreateBucketCommand({ Bucket: 'other' })))).toEqual(['AccessDenied', 403]);
    await ada.send(new PutObjectCommand({ Bucket: 's3-made', Key: 'x', Body: 'x' }));
    expect(await failure(ada.send(new DeleteBucketCommand({ Bucket: 's3-made' })))).toEqual(['BucketNotEmpty', 409]);
    await ada.send(new DeleteObjectCommand({ Bucket: 's3-made', Key: 'x' }));
    await ada.send(new DeleteBucketCommand({ Bucket: 's3-made' }));
  });

  type Stored = readonly [name: string, body: () => string | Readable, more: object];
  it.each<Stored>([
    ['a text', () => 'hello', {}],
    ['nothing', () => '', {}],
    ['a stream', () => Readable.from([Buffer.from('he'), Buffer.from('llo')]), { ContentLength: 5 }],
    [
      'a large stream',
      () => Readable.from(Array.from({ length: 30 }, () => Buffer.alloc(100_000, 'x'))),
      { ContentLength: 3_000_000 },
    ],
    ...(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const).map(
      (ChecksumAlgorithm: ChecksumAlgorithm): Stored => [
        `a text with ${ChecksumAlgorithm}`,
        () => 'hello',
        { ChecksumAlgorithm },
      ],
    ),
  ])('stores %s, and reads it', async (name, body, more) => {
    const Key = `sdk/${name} ü+%2F &<`;
    const { ETag } = await ada.send(
      new PutObjectCommand({ Bucket, Key, Body: body(), ContentType: 'text/plain', ...more }),
    );
    const read = await ada.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    const expected = name === 'nothing' ? '' : name === 'a large stream' ? 'x'.repeat(3_000_000) : 'hello';
    expect([await read.Body!.transformToString(), read.ETag, read.ContentType]).toEqual([expected, ETag, 'text/plain']);
  });

  it('keeps what is said of an object', async () => {
    const Key = 'sdk/described';
    const said = {
      Metadata: { colour: 'blue', 'two-words': 'a b', empty: '' },
      CacheControl: 'max-age=5',
      ContentDisposition: 'attachment; filename="a.txt"',
      ContentEncoding: 'gzip',
      ContentLanguage: 'de',
      ContentType: 'text/x-test',
    };
    await ada.send(new PutObjectCommand({ Bucket, Key, Body: 'x', ...said }));
    expect(await ada.send(new HeadObjectCommand({ Bucket, Key }))).toMatchObject({ ...said, ContentLength: 1 });
    await ada.send(
      new CopyObjectCommand({ Bucket, Key: 'sdk/copied ü', CopySource: `${Bucket}/${encodeURIComponent(Key)}` }),
    );
    expect(await ada.send(new HeadObjectCommand({ Bucket, Key: 'sdk/copied ü' }))).toMatchObject(said);
    const changed = { Metadata: { colour: 'red' }, ContentType: 'text/y' };
    await ada.send(
      new CopyObjectCommand({ Bucket, Key, CopySource: `/${Bucket}/${Key}`, MetadataDirective: 'REPLACE', ...changed }),
    );
    const now = await ada.send(new HeadObjectCommand({ Bucket, Key }));
    expect([now.Metadata, now.ContentType, now.CacheControl]).toEqual([{ colour: 'red' }, 'text/y', undefined]);
    expect((await ada.send(new GetObjectAclCommand({ Bucket, Key }))).Grants).toHaveLength(1);
    expect((await ada.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet).toEqual([]);
  });

  it('gives objects tags, also those that are uploaded in parts', async () => {
    const Key = 'sdk/tagged';
    const tags = async () => (await ada.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet;
    await ada.send(new PutObjectCommand({ Bucket, Key, Body: 'x', Tagging: 'team=a%20b' }));
    expect(await tags()).toEqual([{ Key: 'team', Value: 'a b' }]);
    expect(
      await failure(
        ada.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [{ Key: 'a', Value: 'b' }] } })),
      ),
    ).toEqual(['NotImplemented', 501]);
    const upload = new Upload({
      client: ada,
      params: { Bucket, Key, Body: Readable.from([Buffer.alloc(6_000_000)]), Tagging: 'team=%C3%BC&part=1' },
    });
    await upload.done();
    expect(await tags()).toEqual([
      { Key: 'team', Value: 'ü' },
      { Key: 'part', Value: '1' },
    ]);
    expect(
      await failure(ada.send(new CreateMultipartUploadCommand({ Bucket, Key, Tagging: `a=${'x'.repeat(257)}` }))),
    ).toEqual(['InvalidArgument', 400]);
  });

  it('reads ranges, and keeps to conditions', async () => {
    const Key = 'sdk/ranged';
    const { ETag } = await ada.send(new PutObjectCommand({ Bucket, Key, Body: '0123456789' }));
    expect([
      await textOf(ada, Key, { Range: 'bytes=2-4' }),
      await textOf(ada, Key, { Range: 'bytes=7-' }),
      await textOf(ada, Key, { IfMatch: ETag }),
      await textOf(ada, Key, { IfMatch: ETag!.replaceAll('"', '') }),
    ]).toEqual(['234', '789', '0123456789', '0123456789']);
    expect([
      await failure(textOf(ada, Key, { Range: 'bytes=10-' })),
      await failure(textOf(ada, Key, { IfMatch: '"other"' })),
      await failure(textOf(ada, Key, { IfNoneMatch: ETag })),
      await failure(ada.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '*' }))),
      await failure(ada.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfMatch: '"other"' }))),
      await failure(ada.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '"e"' }))),
      await failure(ada.send(new DeleteObjectCommand({ Bucket, Key, IfMatch: '"other"' }))),
    ]).toEqual([
      ['InvalidRange', 416],
      ['PreconditionFailed', 412],
      ['Unknown', 304],
      ['PreconditionFailed', 412],
      ['PreconditionFailed', 412],
      ['NotImplemented', 501],
      ['PreconditionFailed', 412],
    ]);
    expect(await textOf(ada, Key)).toBe('0123456789');
    await ada.send(new PutObjectCommand({ Bucket, Key, Body: 'new', IfMatch: ETag }));
    expect(await textOf(ada, Key)).toBe('new');
  });

  it('lists page by page, in both versions', async () => {
    const names = ['a', 'b/1', 'b/2', 'c d+e&<ü', 'd/x/1', 'e'];
    for (const name of names) await ada.send(new PutObjectCommand({ Bucket, Key: `list/${name}`, Body: name }));
    const keys: (string | undefined)[] = [];
    for await (const page of paginateListObjectsV2({ client: ada, pageSize: 2 }, { Bucket, Prefix: 'list/' }))
      keys.push(...(page.Contents?.map(({ Key }) => Key) ?? []));
    expect(keys).toEqual(names.map((name) => `list/${name}`));
    const folder = await ada.send(
      new ListObjectsV2Command({ Bucket, Prefix: 'list/', Delimiter: '/', EncodingType: 'url' }),
    );
    expect([
      folder.CommonPrefixes,
      folder.Contents?.map(({ Key }) => decodeURIComponent(Key!)),
      folder.KeyCount,
    ]).toEqual([[{ Prefix: 'list/b/' }, { Prefix: 'list/d/' }], ['list/a', 'list/c d+e&<ü', 'list/e'], 5]);
    const found: (string | undefined)[] = [];
    let marker: string | undefined;
    do {
      const page: ListObjectsCommandOutput = await ada.send(
        new ListObjectsCommand({ Bucket, Prefix: 'list/', Delimiter: '/', MaxKeys: 2, Marker: marker }),
      );
      found.push(
        ...(page.Contents ?? []).map(({ Key }) => Key),
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
      );
      marker = page.NextMarker;
    } while (marker !== undefined);
    expect(found.sort()).toEqual(['list/a', 'list/b/', 'list/c d+e&<ü', 'list/d/', 'list/e']);
    const after = await ada.send(
      new ListObjectsV2Command({ Bucket, Prefix: 'list/', StartAfter: 'list/c', MaxKeys: 1000 }),
    );
    expect(after.Contents).toHaveLength(3);
    expect((await ada.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }))).KeyCount).toBe(0);
  });

  it('deletes many at once, each by policy', async () => {
    for (const Key of ['many/1', 'many/2', 'secret/3'])
      await ada.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    const { Deleted, Errors } = await dan.send(
      new DeleteObjectsCommand({
        Bucket,
        Delete: { Objects: [{ Key: 'many/1' }, { Key: 'secret/3' }, { Key: 'many/none' }] },
      }),
    );
    expect([Deleted?.map(({ Key }) => Key), Errors?.map(({ Key, Code }) => [Key, Code])]).toEqual([
      ['many/1', 'many/none'],
      [['secret/3', 'AccessDenied']],
    ]);
    expect(await textOf(ada, 'secret/3')).toBe('x');
    const quiet = await ada.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Quiet: true, Objects: [{ Key: 'many/2' }] } }),
    );
    expect(quiet.Deleted).toBeUndefined();
    expect(
      await failure(
        ada.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'x', VersionId: '1' }] } })),
      ),
    ).toEqual(['NotImplemented', 501]);
  });

  it('uploads in parts, from a stream of unknown length too', async () => {
    const body = Buffer.alloc(12_000_000, 'parts');
    const upload = new Upload({
      client: ada,
      params: {
        Bucket,
        Key: 'parts/whole',
        Body: Readable.from([body.subarray(0, 7_000_000), body.subarray(7_000_000)]),
      },
    });
    await upload.done();
    expect((await ada.send(new HeadObjectCommand({ Bucket, Key: 'parts/whole' }))).ContentLength).toBe(body.length);

    const Key = 'parts/by hand';
    const { UploadId } = await ada.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'text/z' }));
    const first = await ada.send(
      new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: body.subarray(0, 5_500_000) }),
    );
    const second = await ada.send(
      new UploadPartCopyCommand({
        Bucket,
        Key,
        UploadId,
        PartNumber: 2,
        CopySource: `${Bucket}/parts/whole`,
        CopySourceRange: 'bytes=0-99',
      }),
    );
    const { Parts } = await ada.send(new ListPartsCommand({ Bucket, Key, UploadId }));
    expect(Parts?.map(({ PartNumber, Size, ETag }) => [PartNumber, Size, ETag])).toEqual([
      [1, 5_500_000, first.ETag],
      [2, 100, second.CopyPartResult?.ETag],
    ]);
    const listed = await ada.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'parts/' }));
    expect(listed.Uploads?.map((each) => [each.Key, each.UploadId])).toContainEqual([Key, UploadId]);
    expect(
      (await pia.send(new ListMultipartUploadsCommand({ Bucket })).catch(() => ({ Uploads: undefined }))).Uploads,
    ).toBeUndefined();
    expect(await failure(ada.send(new ListPartsCommand({ Bucket, Key: 'parts/other', UploadId })))).toEqual([
      'NoSuchUpload',
      404,
    ]);
    await ada.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    expect(await failure(ada.send(new ListPartsCommand({ Bucket, Key, UploadId })))).toEqual(['NoSuchUpload', 404]);
  });

  it('shares links to whoever may share, and for no longer than they last', async () => {
    await ada.send(new PutObjectCommand({ Bucket, Key: 'linked', Body: 'linked' }));
    const link = await getSignedUrl(
      ada,
      new GetObjectCommand({
        Bucket,
        Key: 'linked',
        ResponseContentType: 'text/x',
        ResponseContentDisposition: 'inline',
      }),
      { expiresIn: 60 },
    );
    const answer = await fetch(link);
    expect([
      answer.status,
      await answer.text(),
      answer.headers.get('content-type'),
      answer.headers.get('content-disposition'),
    ]).toEqual([200, 'linked', 'text/x', 'inline']);
    const up = await getSignedUrl(ada, new PutObjectCommand({ Bucket, Key: 'linked up' }), { expiresIn: 60 });
    expect((await fetch(up, { method: 'PUT', body: 'sent' })).status).toBe(200);
    expect(await textOf(ada, 'linked up')).toBe('sent');
    expect((await fetch(link.replace('linked', 'linkeb'))).status).toBe(403);
    const added = async (name: string, value: string) => {
      const answer = await fetch(up, { method: 'PUT', body: 'added', headers: { [name]: value } });
      return [answer.status, /<Code>(\w+)/.exec(await answer.text())?.[1]];
    };
    expect(await added('x-amz-copy-source', 'files/secret/3')).toEqual([501, 'NotImplemented']);
    expect(await added('x-amz-meta-colour', 'blue')).toEqual([403, 'AccessDenied']);
    expect(await textOf(ada, 'linked up')).toBe('sent');
    // Vic may read, and may not share.
    const vic = face.client(await face.key('vic'));
    expect((await fetch(await getSignedUrl(vic, new GetObjectCommand({ Bucket, Key: 'linked' })))).status).toBe(403);
    vic.destroy();
  });
});

describe('a denied call', () => {
  it('says what was asked and why it is refused, whether or not the thing exists, and storage is not asked', async () => {
    const before = face.app.storageCalls.calls.length;
    const messages = await Promise.all(
      ['secret/3', 'secret/none'].map((Key) =>
        dan
          .send(new GetObjectCommand({ Bucket, Key }))
          .catch((error: unknown) => [(error as Error).name, (error as Error).message]),
      ),
    );
    expect(messages).toEqual(
      ['secret/3', 'secret/none'].map((key) => [
        'AccessDenied',
        expect.stringContaining(`objects:get on main/files/${key} is refused (explicit_deny)`),
      ]),
    );
    expect(
      await failure(dan.send(new CopyObjectCommand({ Bucket, Key: 'mine', CopySource: `${Bucket}/secret/3` }))),
    ).toEqual(['AccessDenied', 403]);
    expect(await failure(pia.send(new GetObjectCommand({ Bucket, Key: 'linked' })))).toEqual(['AccessDenied', 403]);
    expect(await failure(pia.send(new PutObjectCommand({ Bucket, Key: 'x', Body: 'x' })))).toEqual([
      'AccessDenied',
      403,
    ]);
    expect(face.app.storageCalls.calls.length).toBe(before);
  });

  it('shows nothing of what is denied in a listing', async () => {
    const keys = (await dan.send(new ListObjectsV2Command({ Bucket }))).Contents?.map(({ Key }) => Key) ?? [];
    expect([keys.includes('linked'), keys.some((key) => key!.startsWith('secret/'))]).toEqual([true, false]);
    expect((await pia.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0);
  });
});

describe('a key', () => {
  it('ends when it is revoked, and does no more than its scope', async () => {
    const rpc = await face.rpc('ada');
    const { key, secretAccessKey } = await rpc.call('s3Key/create', {
      provider: 'main',
      description: 'reads',
      scope: {
        rules: [{ actions: ['objects:read'], resources: [{ type: 'bucket', provider: 'main', bucket: 'files' }] }],
      },
    });
    const client = face.client({ accessKeyId: key.accessKeyId, secretAccessKey });
    expect(await textOf(client, 'linked')).toBe('linked');
    const refused = await client
      .send(new PutObjectCommand({ Bucket, Key: 'x', Body: 'x' }))
      .catch((error: unknown) => (error as Error).message);
    expect(refused).toContain('objects:write on main/files/x is refused (key_scope)');
    await rpc.call('s3Key/revoke', { accessKeyId: key.accessKeyId });
    expect(await failure(textOf(client, 'linked'))).toEqual(['InvalidAccessKeyId', 403]);
    const forged = face.client({ accessKeyId: `SVC${'A'.repeat(17)}`, secretAccessKey });
    expect(await failure(textOf(forged, 'linked'))).toEqual(['InvalidAccessKeyId', 403]);
    for (const each of [client, forged]) each.destroy();
  });
});
