import { GetObjectCommand, HeadObjectCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RunningUpload } from '../../support/running-transfer.ts';
import { startS3Face, type S3Face, type S3Key } from '../../support/s3-face.ts';
import { signed } from '../../support/s3-signer.ts';

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

/** An upload of which half has been sent. */
function upload(key: S3Key, target: string, bytes: number): Promise<RunningUpload> {
  const request = { method: 'PUT', target, key, host: new URL(face.endpoint).host, payloadHash: 'UNSIGNED-PAYLOAD' };
  return RunningUpload.start(`${face.endpoint}${target}`, bytes, signed(request));
}

it.each(Object.entries(ENDS))('a key %s ends its transfers in progress, and signs nothing more', async (how, end) => {
  const key = await face.key('eve');
  const client = face.client(key);
  await client.send(new PutObjectCommand({ ...at, Body: new Uint8Array(BYTES) }));
  const { Body: body } = await client.send(new GetObjectCommand(at));
  const uploads = { small: 100, large: 2_000_000 };
  const running = await Promise.all(
    Object.entries(uploads).map(([name, bytes]) => upload(key, `/files/${name}%20${encodeURIComponent(how)}`, bytes)),
  );
  await end(key.accessKeyId);
  expect(await Promise.all(running.map((each) => each.isCutWithin(20_000)))).toEqual([true, true]);
  const ada = face.client(await face.key('ada'));
  for (const name of Object.keys(uploads))
    await expect(ada.send(new HeadObjectCommand({ Bucket: 'files', Key: `${name} ${how}` }))).rejects.toMatchObject({
      name: 'NotFound',
    });
  ada.destroy();
  const read = body!.transformToByteArray().then(
    (bytes) => bytes.length,
    () => 'broken off',
  );
  expect(await read).toBe('broken off');
  await expect(client.send(new ListBucketsCommand({}))).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
  client.destroy();
});
