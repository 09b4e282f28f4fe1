import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { getObject, headObject } from '../../src/storage/object-read.ts';
import { abortUpload, completeUpload, listParts, putPart } from '../../src/storage/multipart.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { ToldStorage } from './told-storage.ts';

const storage = ToldStorage.forTests();
const object = () => withoutPolicy({ provider: storage.provider, bucket: 'bucket', key: 'pay.csv' });

const OF_CEPH = 'qFhBn.EJ-Yc2eZyqkVbWQnV9vBv0zq1';

it.each([`${OF_CEPH}x_hr`, 'a_b', '../x'])(
  'asks no storage for the version %s unless it lists it for the key',
  async (version) => {
    storage.answer = () => ({
      body: `<ListVersionsResult><Version><Key>pay.csv2</Key><VersionId>${version}</VersionId></Version></ListVersionsResult>`,
    });
    for (const read of [getObject, headObject])
      await expect(read(object(), { version })).rejects.toMatchObject({ code: 'not_found' });
    expect(storage.asked.map(({ query }) => query.has('versions'))).toEqual([true, true]);
  },
);

it.each([
  ['of 32 characters', 'yVJ_8qTfIaTXyVJ_8qTfIaTXyVJ_8qTf', 1],
  ['without an underscore', `${OF_CEPH}x`, 1],
  ['with an underscore, which is listed', '3_L4kqtJlcpXroDTDmJ-rmSpXd3dIbrHY-MTRCxf3vjVBH40Nr8X8gdRQBpUMLUo', 2],
])('reads a version %s', async (_, version, requests) => {
  storage.answer = ({ query }) =>
    query.has('versions')
      ? {
          body: `<ListVersionsResult><Version><Key>pay.csv</Key><VersionId>${version}</VersionId></Version></ListVersionsResult>`,
        }
      : { headers: { 'x-amz-version-id': version, etag: '"e"' } };
  await headObject(object(), { version });
  expect(storage.asked).toHaveLength(requests);
});

const SHA = 'a'.repeat(64);
const AS_MINIO = (name: string) => Buffer.from(`0b6f2c0a-1b1c-4c5e-9f5e-3a2b1c0d9e8f.${name}`).toString('base64url');

it.each([
  ['of Ceph', 'secret.2~ddCdFfDePF9DG4PZEEThwsKbTQel5-I'],
  ['of Ceph before 2014', 'secret.2/ddCdFfDePF9DG4PZEEThwsKbTQel5-I'],
  ['of MinIO', AS_MINIO(`../${SHA}/7a3c5d1e-2f4b-4a6c-8d9e-0f1a2b3c4d5e`)],
  ['that is a path', `../${SHA}/7a3c5d1e-2f4b-4a6c-8d9e-0f1a2b3c4d5e`],
  ['that is longer than any, for which Ceph has no name', 'x'.repeat(901)],
  ['that has tags alone, without which the request is about the object itself', '~tags~YT0x'],
])('tells storage no id %s, which leads to no upload of the key', async (_, id) => {
  const noUpload = { code: 'not_found' };
  await expect(listParts(object(), id)).rejects.toMatchObject(noUpload);
  const part = { id, number: 1, size: 0, body: Readable.from([]) };
  await expect(putPart(object(), part)).rejects.toMatchObject(noUpload);
  await expect(completeUpload(object(), id, [{ number: 1, etag: 'e' }])).rejects.toMatchObject(noUpload);
  expect(await abortUpload(object(), id)).toBe(false);
  expect(storage.asked).toEqual([]);
});

it.each([
  ['of Ceph', '2~ddCdFfDePF9DG4PZEEThwsKbTQel5-I'],
  ['of MinIO', AS_MINIO('7a3c5d1e-2f4b-4a6c-8d9e-0f1a2b3c4d5ex1764169')],
  ['of 900 characters', 'x'.repeat(900)],
  [
    'of Amazon',
    'cNV6KCSNANFZapz1LUGPC5XwUVi1n6yUoIeSP138sNOKPeMhpKQRrbT9k0ePmgoOTCj9K83T4e2Gb5hQvNoNpCKqyb8m3..2yYgQNZD6FNJLBZluOIUyRE',
  ],
])('tells storage an id %s', async (_, id) => {
  storage.answer = () => ({ status: 204 });
  expect(await abortUpload(object(), id)).toBe(true);
  expect(storage.asked[0]!.query.get('uploadId')).toBe(id);
});
