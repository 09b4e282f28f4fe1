import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeOf } from '../../../src/errors/svc-error.ts';
import { compileGrants, EVERYTHING, type Grants } from '../../../src/policy/index/grants.ts';
import { keyFilter } from '../../../src/policy/listing/key-filter.ts';
import { createBucket } from '../../../src/storage/buckets.ts';
import { readBucketInfo } from '../../../src/storage/bucket-info.ts';
import { getObject, headObject } from '../../../src/storage/object-read.ts';
import { purgeVersion, restoreVersion } from '../../../src/storage/object-restore.ts';
import { readTags, replaceTags } from '../../../src/storage/preserved-headers.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { listVersions, listVersionsOfKey, type VersionsPage } from '../../../src/storage/version-listing.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { setVersioning } from '../../support/versioning.ts';

describeRadosGateway('versions on the gateway of Ceph', () => {
  let ceph: RadosGateway;
  let storage: Storage;
  let provider: StorageProvider;
  const bucket = 'svc-test-versions';
  const place = (key: string) => withoutPolicy({ provider, bucket, key });
  const beneath = (prefix: string) => withoutPolicy({ provider, bucket, prefix });
  const put = async (key: string, content: string, headers: Record<string, string> = {}) => {
    const answer = await provider.s3.send({ method: 'PUT', bucket, key, headers, body: Buffer.from(content) });
    return answer.headers['x-amz-version-id'] ?? 'null';
  };
  const drop = async (key: string) =>
    (await provider.s3.send({ method: 'DELETE', bucket, key })).headers['x-amz-version-id'] ?? 'null';
  const read = async (key: string, version?: string) => text((await getObject(place(key), { version })).body!);
  const versionsOf = async (key: string) => (await listVersionsOfKey(beneath(key), { limit: 1000 })).versions;

  beforeAll(async () => {
    ceph = await startRadosGateway();
    storage = new Storage([ceph.options]);
    provider = storage.providers.provider('ceph');
    await createBucket(withoutPolicy({ provider, bucket }));
    await put('before', 'unversioned');
    await setVersioning(provider, bucket, 'Enabled');
  });
  afterAll(async () => {
    storage.close();
    await ceph.close();
  });

  it('loses its tags when they are taken away', async () => {
    await put('tagged', 'content');
    await replaceTags(place('tagged'), [{ key: 'a', value: 'b' }], {});
    expect(await readTags(place('tagged'), {})).toHaveLength(1);
    await replaceTags(place('tagged'), [], {});
    expect(await readTags(place('tagged'), {})).toEqual([]);
  });

  /** Every page of a listing. */
  async function everyPage(list: (cursor: string | undefined) => Promise<VersionsPage>): Promise<VersionsPage[]> {
    const pages: VersionsPage[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(cursor);
      pages.push(page);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && pages.length < 200);
    return pages;
  }

  describe('object/restore', () => {
    it('brings back a version, with its headers, metadata and tags, also on top of a deletion', async () => {
      const first = await put('doc', 'one', {
        'content-type': 'text/css',
        'x-amz-meta-who': 'ada',
        'x-amz-tagging': 'project=x',
      });
      await put('doc', 'two');
      const marker = await drop('doc');
      await expect(read('doc')).rejects.toMatchObject({ code: 'not_found' });
      await expect(read('doc', marker)).rejects.toMatchObject({ code: 'not_found' });
      expect(await read('doc', first)).toBe('one');
      const restored = await restoreVersion(place('doc'), first);
      expect(restored).toMatchObject({ isRestored: true, etag: expect.stringMatching(/^"\w+"$/) });
      expect(await read('doc')).toBe('one');
      expect((await headObject(place('doc'))).headers).toMatchObject({
        'content-type': 'text/css',
        'x-amz-meta-who': 'ada',
      });
      expect(await readTags(place('doc'), {})).toEqual([{ key: 'project', value: 'x' }]);
      const versions = await versionsOf('doc');
      expect(versions.map(({ isLatest, isDeleteMarker, version }) => [isLatest, isDeleteMarker, version])).toEqual([
        [true, false, restored.version],
        [false, true, marker],
        [false, false, expect.any(String)],
        [false, false, first],
      ]);
      expect(versions[1]).toMatchObject({ etag: null, size: 0, storageClass: null });
    });

    it('does nothing when the version is the newest, refuses a delete marker, and does not find others', async () => {
      const old = await put('again', 'one');
      const version = await put('again', 'two');
      expect(await restoreVersion(place('again'), version)).toMatchObject({ isRestored: false, version });
      expect(await versionsOf('again')).toHaveLength(2);
      const marker = await drop('again');
      await expect(restoreVersion(place('again'), marker)).rejects.toMatchObject({ code: 'conflict' });
      await expect(restoreVersion(place('again'), 'x'.repeat(31))).rejects.toMatchObject({ code: 'not_found' });
      const other = await put('again2', 'other');
      await expect(restoreVersion(place('again'), other)).rejects.toMatchObject({ code: 'not_found' });
      await expect(restoreVersion(place('again'), old, { ifMatch: '"00"' })).rejects.toMatchObject({
        code: 'not_found',
      });
      await restoreVersion(place('again'), old, { ifNoneMatchAny: true });
      await expect(restoreVersion(place('again'), version, { ifNoneMatchAny: true })).rejects.toMatchObject({
        code: 'precondition_failed',
      });
      expect(await read('again')).toBe('one');
    });

    it('checks the conditions of a restore also when the version is the newest already', async () => {
      await put('held', 'one');
      const version = await put('held', 'two');
      const etag = (await headObject(place('held'))).headers['etag']!;
      await expect(restoreVersion(place('held'), version, { ifMatch: '"00"' })).rejects.toMatchObject({
        code: 'precondition_failed',
      });
      await expect(restoreVersion(place('held'), version, { ifNoneMatchAny: true })).rejects.toMatchObject({
        code: 'precondition_failed',
      });
      expect(await restoreVersion(place('held'), version, { ifMatch: etag })).toMatchObject({ isRestored: false });
    });

    it('loses no content that is written while a restore waits for the lock of its key', async () => {
      const old = await put('waiting', 'one');
      await put('waiting', 'two');
      await setVersioning(provider, bucket, 'Suspended');
      try {
        const release = await provider.keyLocks.acquire(provider, { bucket, key: 'waiting' });
        const restoring = restoreVersion(place('waiting'), old).catch(codeOf);
        await setTimeout(1_000);
        await put('waiting', 'late');
        release();
        expect(await restoring).toBe('conflict');
        expect(await read('waiting')).toBe('late');
      } finally {
        await setVersioning(provider, bucket, 'Enabled');
      }
    });

    it.each(['100% final.mov', 'a%20b', 'x?versionId=null', 'q?x=1 +', 'ö/é', '%'])(
      'copies exactly %j, at once and in parts',
      async (key) => {
        const version = await put(key, `content of ${key}`);
        await put(key, 'newer');
        await restoreVersion(place(key), version);
        expect(await read(key)).toBe(`content of ${key}`);
        await put(key, 'newest');
        await restoreVersion(place(key), version, {}, { single: 1, part: 5 * 2 ** 20 });
        expect(await read(key)).toBe(`content of ${key}`);
        expect(await versionsOf(key)).toHaveLength(5);
      },
    );

    it('brings back what was written before the bucket kept versions', async () => {
      await put('before', 'versioned');
      expect((await versionsOf('before')).map(({ version }) => version)).toEqual([expect.any(String), 'null']);
      expect(await read('before', 'null')).toBe('unversioned');
      await restoreVersion(place('before'), 'null');
      expect(await read('before')).toBe('unversioned');
      expect(await versionsOf('before')).toHaveLength(3);
    });
  });

  describe('object/purge', () => {
    it('deletes one version for ever, a delete marker too, and nothing when there is no such version', async () => {
      const first = await put('purge', 'one');
      const second = await put('purge', 'two');
      const marker = await drop('purge');
      await expect(purgeVersion(place('purge'), 'x'.repeat(31), {})).rejects.toMatchObject({ code: 'not_found' });
      expect(await versionsOf('purge')).toHaveLength(3);
      await purgeVersion(place('purge'), marker, {});
      expect(await read('purge')).toBe('two');
      await purgeVersion(place('purge'), first, {});
      expect((await versionsOf('purge')).map(({ version }) => version)).toEqual([second]);
      await expect(read('purge', first)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('leaves content and deletions that got the version `null` after it was listed', async () => {
      await setVersioning(provider, bucket, 'Suspended');
      try {
        await put('null', 'seen');
        const seen = Date.parse((await versionsOf('null'))[0]!.lastModified);
        await setTimeout(20);
        const change = [() => put('null', 'newer'), () => drop('null'), () => put('null', 'newest')];
        const refused = { code: 'precondition_failed' };
        for (const one of change) {
          await one();
          await expect(purgeVersion(place('null'), 'null', { unmodifiedSince: seen })).rejects.toMatchObject(refused);
        }
        expect(await read('null')).toBe('newest');
        const now = Date.parse((await versionsOf('null'))[0]!.lastModified);
        await purgeVersion(place('null'), 'null', { unmodifiedSince: now });
        expect(await versionsOf('null')).toEqual([]);
      } finally {
        await setVersioning(provider, bucket, 'Enabled');
      }
    });
  });

  describe('object/listVersions', () => {
    const KEYS = ['a', 'a b%', 'a/x', 'a/y', 'a/z/1', 'a0', 'b/1', 'b/2', 'é/1', 'z'];
    const rule = (effect: 'allow' | 'deny', prefix: string, actions = ['objects:versions'] as const) => ({
      effect,
      actions,
      resources: [{ type: 'prefix' as const, provider: 'ceph', bucket, prefix: `list/${prefix}` }],
    });
    const grantsOf = (...rules: ReturnType<typeof rule>[]): Grants =>
      compileGrants([{ name: 'p', source: 'config', rules }]);
    const all: string[] = [];

    beforeAll(async () => {
      for (const key of KEYS) {
        const name = `list/${key}`;
        all.push(`${name} ${await put(name, '1')}`, `${name} ${await put(name, '22')}`);
        if (key !== 'z') all.push(`${name} ${await drop(name)}`);
      }
    });
    const named = (pages: readonly VersionsPage[]) =>
      pages.flatMap(({ versions }) => versions.map(({ key, version }) => `${key} ${version}`));

    it.each([1, 2, 3, 7, 1000])('shows each version once, %i at a time', async (limit) => {
      const pages = await everyPage((cursor) => listVersions(beneath('list/'), { cursor, limit, grants: EVERYTHING }));
      expect(named(pages).toSorted()).toEqual(all.toSorted());
      const keys = pages.flatMap(({ versions }) => versions);
      expect(keys.filter(({ isLatest }) => isLatest)).toHaveLength(KEYS.length);
      const one = await everyPage((cursor) => listVersionsOfKey(beneath('list/a'), { cursor, limit }));
      expect(named(one)).toEqual(all.slice(0, 3).toReversed());
    });

    it.each<[string, Grants]>([
      ['a folder', grantsOf(rule('allow', 'a/'))],
      ['all but a folder', grantsOf(rule('allow', ''), rule('deny', 'a/'))],
      [
        'all but parts of folders',
        grantsOf(rule('allow', ''), rule('deny', 'a/x'), rule('deny', 'b/'), rule('deny', 'é')),
      ],
      ['single keys', grantsOf(rule('allow', 'a/z/1'), rule('allow', 'z'), rule('allow', 'b/2'))],
      ['nothing', grantsOf()],
    ])('shows exactly the versions of the keys that policy allows: %s', async (_name, grants) => {
      const permits = keyFilter(grants, 'objects:versions', { provider: 'ceph', bucket });
      const expected = all.filter((line) => permits(line.slice(0, line.lastIndexOf(' '))));
      for (const limit of [1, 4, 1000]) {
        const pages = await everyPage((cursor) => listVersions(beneath('list/'), { cursor, limit, grants }));
        expect(named(pages).toSorted()).toEqual(expected.toSorted());
        const grouped = await everyPage((cursor) =>
          listVersions(beneath('list/'), { cursor, limit, delimiter: '/', grants }),
        );
        const folders = expected.flatMap((line) => /^list\/[^/ ]+\//.exec(line)?.[0] ?? []);
        expect(grouped.flatMap(({ prefixes }) => prefixes)).toEqual([...new Set(folders)]);
        expect(named(grouped).toSorted()).toEqual(expected.filter((line) => !/^list\/[^/ ]+\//.test(line)).toSorted());
      }
    });

    it('passes a key with more versions than a page, also where storage begins with the key before', async () => {
      await Promise.all(Array.from({ length: 30 }, (_, i) => put('many/a', String(i))));
      await put('many/b', 'x');
      const only = compileGrants([
        {
          name: 'p',
          source: 'config',
          rules: [
            {
              effect: 'allow',
              actions: ['objects:versions'],
              resources: [{ type: 'prefix', provider: 'ceph', bucket, prefix: 'many/b' }],
            },
          ],
        },
      ]);
      const pages = await everyPage((cursor) => listVersions(beneath('many/'), { cursor, limit: 1, grants: only }));
      expect(named(pages)).toEqual([expect.stringMatching(/^many\/b /)]);
      expect(
        named(await everyPage((cursor) => listVersionsOfKey(beneath('many/a'), { cursor, limit: 4 }))),
      ).toHaveLength(30);
    });
  });

  it('bucket/info says what the bucket keeps', async () => {
    const place = withoutPolicy({ provider, bucket });
    expect(await readBucketInfo(place, {})).toEqual({
      versioning: 'enabled',
      objectLock: false,
      canListVersions: true,
      keptDays: null,
    });
    const plain = withoutPolicy({ provider, bucket: 'svc-test-plain' });
    await createBucket(plain);
    expect(await readBucketInfo(plain, {})).toMatchObject({ versioning: 'never', canListVersions: true });
    await expect(readBucketInfo(withoutPolicy({ provider, bucket: 'svc-test-none' }), {})).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('a bucket whose versioning is suspended loses nothing by a restore', async () => {
    const suspended = 'svc-test-suspended';
    const of = (key: string) => withoutPolicy({ provider, bucket: suspended, key });
    const write = async (key: string, content: string) => {
      const { headers } = await provider.s3.send({ method: 'PUT', bucket: suspended, key, body: Buffer.from(content) });
      return headers['x-amz-version-id'] ?? 'null';
    };
    const now = async (key: string) => text((await getObject(of(key))).body!);
    await createBucket(withoutPolicy({ provider, bucket: suspended }));
    await setVersioning(provider, suspended, 'Enabled');
    const kept = await write('a', 'kept');
    const other = await write('b', 'one');
    await write('b', 'two');
    await setVersioning(provider, suspended, 'Suspended');
    await write('a', 'written while suspended');
    expect(await readBucketInfo(withoutPolicy({ provider, bucket: suspended }), {})).toMatchObject({
      versioning: 'suspended',
    });
    await expect(restoreVersion(of('a'), kept)).rejects.toMatchObject({ code: 'conflict' });
    expect(await now('a')).toBe('written while suspended');
    expect(await restoreVersion(of('b'), other)).toMatchObject({ isRestored: true, version: 'null' });
    expect(await now('b')).toBe('one');
  });
});
