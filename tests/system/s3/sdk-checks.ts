import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from '@jest/globals';

/** What tools.test.ts checks with the SDK for JavaScript. `place` and `closed` are a bucket, or a bucket and a folder in it; `file` is a large one. */
export async function checkSdk(
  client: S3Client,
  { place, closed, file }: { readonly place: string; readonly closed: string; readonly file: string },
): Promise<void> {
  const [Bucket = '', folder = ''] = place.split('/');
  const named = (end: string) => ({ Bucket, Key: `${folder === '' ? '' : `${folder}/`}sdk/${end}` });
  const content = await readFile(file);
  const read = async (end: string, more: object = {}) => {
    const { Body } = await client.send(new GetObjectCommand({ ...named(end), ...more }));
    return buffer(Body as Readable);
  };

  const streamed = { ...named('stream ü+%2F&<'), Body: createReadStream(file), ContentLength: content.length };
  await client.send(new PutObjectCommand({ ...streamed, ContentType: 'application/x-report', Metadata: { a: 'b' } }));
  expect((await read('stream ü+%2F&<')).equals(content)).toBe(true);
  expect(await client.send(new HeadObjectCommand(named('stream ü+%2F&<')))).toMatchObject({
    ContentLength: content.length,
    ContentType: 'application/x-report',
    Metadata: { a: 'b' },
  });

  const ofUnknownLength = Readable.from([content.subarray(0, 9), content.subarray(9)]);
  await new Upload({ client, params: { ...named('parts'), Body: ofUnknownLength } }).done();
  expect((await read('parts', { Range: 'bytes=5-14' })).equals(content.subarray(5, 15))).toBe(true);
  await client.send(new CopyObjectCommand({ ...named('copy'), CopySource: `${Bucket}/${named('parts').Key}` }));
  expect((await read('copy')).equals(content)).toBe(true);

  const upload = await getSignedUrl(client, new PutObjectCommand(named('linked')), { expiresIn: 60 });
  expect((await fetch(upload, { method: 'PUT', body: 'sent' })).status).toBe(200);
  const download = await getSignedUrl(client, new GetObjectCommand(named('linked')), { expiresIn: 60 });
  expect(await (await fetch(download)).text()).toBe('sent');

  const theirs = { Bucket: closed.split('/')[0]!, Key: `${closed.split('/')[1]!}/closed.txt` };
  const CopySource = `${theirs.Bucket}/${theirs.Key}`;
  for (const refused of [
    client.send(new GetObjectCommand(theirs)),
    client.send(new PutObjectCommand({ ...theirs, Body: 'x' })),
    client.send(new CopyObjectCommand({ ...named('stolen'), CopySource })),
    new Upload({ client, params: { ...theirs, Body: Readable.from([content]) } }).done(),
  ])
    await expect(refused).rejects.toMatchObject({ name: 'AccessDenied' });
  const link = await getSignedUrl(client, new GetObjectCommand(theirs), { expiresIn: 60 });
  expect((await fetch(link)).status).toBe(403);

  expect((await client.send(new ListBucketsCommand())).Buckets?.map(({ Name }) => Name)).toEqual([Bucket]);
  const keys: (string | undefined)[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client, pageSize: 2 }, { Bucket }))
    keys.push(...Contents.map(({ Key }) => Key));
  const own = ['copy', 'linked', 'parts', 'stream ü+%2F&<'].map((end) => named(end).Key);
  expect(keys.filter((key) => key?.includes('sdk/') || key === theirs.Key)).toEqual(own);
  const Objects = [...own, theirs.Key].map((Key) => ({ Key }));
  const { Deleted, Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(Deleted?.map(({ Key }) => Key).sort()).toEqual(own);
  expect(Errors?.map(({ Key, Code }) => [Key, Code])).toEqual([[theirs.Key, 'AccessDenied']]);
}
