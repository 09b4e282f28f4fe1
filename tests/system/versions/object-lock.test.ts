import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readBucketInfo } from '../../../src/storage/bucket-info.ts';
import { getObject } from '../../../src/storage/object-read.ts';
import { purgeVersion, restoreVersion } from '../../../src/storage/object-restore.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { BUCKET, Moments } from './moments.ts';

const DAY_MS = 86_400_000;

describeRadosGateway('a bucket with object lock on the gateway of Ceph', () => {
  let on: Moments;
  const until = new Date(Date.now() + DAY_MS).toISOString();
  const LOCKS: Readonly<Record<string, Record<string, string>>> = {
    governed: { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-retain-until-date': until },
    compliant: { 'x-amz-object-lock-mode': 'COMPLIANCE', 'x-amz-object-lock-retain-until-date': until },
    held: { 'x-amz-object-lock-legal-hold': 'ON' },
  };
  const place = (key: string) => withoutPolicy({ provider: on.provider, bucket: BUCKET, key });
  const read = async (key: string) => text((await getObject(place(key))).body!);
  const idsOf = async (key: string) => (await on.versionsOf(key)).map(({ version }) => version);

  beforeAll(async () => {
    on = await Moments.start({ withLock: true });
  });
  afterAll(() => on.close());

  it('says so in bucket/info', async () => {
    expect(await readBucketInfo(withoutPolicy({ provider: on.provider, bucket: BUCKET }), {})).toMatchObject({
      versioning: 'enabled',
      objectLock: true,
      canListVersions: true,
    });
  });

  it.each([
    ['governed', /^this version is locked until .+; it cannot be deleted for ever before$/],
    ['compliant', /^this version is locked until .+; it cannot be deleted for ever before$/],
    ['held', 'there is a legal hold on this version; it cannot be deleted for ever until the hold ends'],
  ])('a %s version comes back on top and after a deletion, and is never purged', async (lock, sentence) => {
    const key = `m/${lock}`;
    const locked = await on.put(key, 'locked', LOCKS[lock]);
    const later = await on.put(key, 'later');
    expect(await restoreVersion(place(key), locked)).toMatchObject({ isRestored: true });
    expect(await read(key)).toBe('locked');
    await on.drop(key);
    const marker = (await idsOf(key))[0]!;
    await restoreVersion(place(key), locked, { ifNoneMatchAny: true });
    expect(await read(key)).toBe('locked');
    const before = await idsOf(key);
    expect(before).toHaveLength(5);
    const purging = purgeVersion(place(key), locked, {});
    await expect(purging).rejects.toMatchObject({ code: 'conflict', detail: expect.stringMatching(sentence) });
    expect(await idsOf(key)).toEqual(before);
    // What no lock keeps is deleted, in the same bucket too.
    for (const version of [later, marker]) await purgeVersion(place(key), version, {});
    expect(await idsOf(key)).toEqual(before.filter((version) => version !== later && version !== marker));
  });

  it('is brought back to a moment, with a retention for every new version', async () => {
    const rule = '<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule>';
    const body = Buffer.from(
      `<ObjectLockConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><ObjectLockEnabled>Enabled</ObjectLockEnabled>${rule}</ObjectLockConfiguration>`,
    );
    await on.provider.s3.send({ method: 'PUT', bucket: BUCKET, query: { 'object-lock': '' }, body });
    for (const key of ['changed', 'gone']) await on.put(`m/folder/${key}`, 'then');
    const at = await on.now();
    const then = await on.contentOf('m/folder/');
    await on.put('m/folder/changed', 'now, and longer');
    await on.put('m/folder/new', 'now');
    await on.drop('m/folder/gone');
    const before = await on.versionsOf('m/folder/');
    const { entries } = await on.restore({ prefix: 'm/folder/', at });
    expect(entries.map(({ key, change }) => [key, change])).toEqual([
      ['m/folder/changed', 'restore'],
      ['m/folder/gone', 'restore'],
      ['m/folder/new', 'delete'],
    ]);
    expect(await on.contentOf('m/folder/')).toEqual(then);
    const after = await idsOf('m/folder/');
    expect(after).toEqual(expect.arrayContaining(before.map(({ version }) => version)));
    expect(after).toHaveLength(before.length + 3);
  });
});
