import { expect, it } from '@jest/globals';
import { getObject, headObject } from '../../src/storage/object-read.ts';
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
