import { expect, it } from '@jest/globals';
import { unarchive } from '../../src/storage/object-unarchive.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { ToldStorage, type Answer } from './told-storage.ts';

const storage = ToldStorage.forTests();
const object = () => withoutPolicy({ provider: storage.provider, bucket: 'files', key: 'old.zip' });
const ask = () => unarchive(object(), { days: 3, tier: 'bulk' });

function keeps(storageClass: string | undefined, restore: Answer): void {
  storage.answer = ({ method }) =>
    method === 'HEAD'
      ? { headers: { etag: '"s"', ...(storageClass !== undefined && { 'x-amz-storage-class': storageClass }) } }
      : restore;
}
const fault = (status: number, code: string): Answer => ({
  status,
  body: `<Error><Code>${code}</Code><Message>no</Message></Error>`,
});

it.each([
  ['GLACIER', { status: 202 }, 'begun'],
  ['DEEP_ARCHIVE', { status: 200 }, 'readable'],
  ['GLACIER', fault(409, 'RestoreAlreadyInProgress'), 'underway'],
] as const)('unarchive asks storage for an object in %s', async (storageClass, answer, told) => {
  keeps(storageClass, answer);
  expect(await ask()).toBe(told);
  const [, asked] = storage.asked;
  expect(asked).toMatchObject({ method: 'POST', path: '/files/old.zip' });
  expect([...asked!.query]).toEqual([['restore', '']]);
  expect(asked!.body).toContain('<Days>3</Days><GlacierJobParameters><Tier>Bulk</Tier></GlacierJobParameters>');
});

it('unarchive sends nothing to storage whose object is not archived', async () => {
  keeps(undefined, { status: 202 });
  await expect(ask()).rejects.toMatchObject({ code: 'conflict' });
  keeps('STANDARD_IA', { status: 202 });
  await expect(ask()).rejects.toMatchObject({ code: 'conflict' });
  expect(storage.asked.filter(({ method }) => method !== 'HEAD')).toEqual([]);
});

it('unarchive passes on what storage refuses', async () => {
  keeps('GLACIER', fault(403, 'InvalidObjectState'));
  await expect(ask()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('not archived') });
  keeps('GLACIER', fault(503, 'GlacierExpeditedRetrievalNotAvailable'));
  await expect(ask()).rejects.toMatchObject({ code: 'storage_unavailable' });
});
