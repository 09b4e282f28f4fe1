import { GetObjectCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startS3Face, type S3Face } from '../../support/s3-face.ts';

const BYTES = 32 * 2 ** 20;
const at = { Bucket: 'files', Key: 'large' };
let face: S3Face;

beforeAll(async () => {
  face = await startS3Face();
});
afterAll(() => face.app.close());

const ENDS: Readonly<Record<string, (accessKeyId: string) => Promise<unknown>>> = {
  revoked: async (accessKeyId) => (await face.rpc('eve')).call('s3Key/revoke', { accessKeyId }),
  'of a suspended person': async () =>
    (await face.rpc('ada')).call('person/suspend', { issuer: face.app.issuer, subject: 'eve' }),
};

it.each(Object.entries(ENDS))('a key %s ends its downloads in progress, and signs nothing more', async (_how, end) => {
  const key = await face.key('eve');
  const client = face.client(key);
  await client.send(new PutObjectCommand({ ...at, Body: new Uint8Array(BYTES) }));
  const { Body: body } = await client.send(new GetObjectCommand(at));
  await end(key.accessKeyId);
  const read = body!.transformToByteArray().then(
    (bytes) => bytes.length,
    () => 'broken off',
  );
  expect(await read).toBe('broken off');
  await expect(client.send(new ListBucketsCommand({}))).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
  client.destroy();
});
