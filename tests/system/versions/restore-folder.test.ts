import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBucket } from '../../../src/storage/buckets.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { listVersions } from '../../../src/storage/version-listing.ts';
import { EVERYTHING } from '../../../src/policy/index/grants.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { setVersioning } from '../../support/versioning.ts';

const BUCKET = 'svc-test-moment';
const ALL = ['objects:read', 'objects:write', 'objects:delete', 'objects:versions', 'objects:restore'];
const beneath = (prefix: string) => [{ type: 'prefix', provider: 'main', bucket: BUCKET, prefix }];
/** What `dan` may do: everything beneath `m/`, but nothing with `secret` after it, no restore in `readonly/` and no deletion in `kept/`. */
const RULES = [
  { effect: 'allow', actions: ['providers:read'], resources: [{ type: 'all' }] },
  { effect: 'allow', actions: ALL, resources: beneath('m/') },
  { effect: 'deny', actions: ALL, resources: beneath('m/secret') },
  { effect: 'deny', actions: ['objects:restore'], resources: beneath('m/readonly/') },
  { effect: 'deny', actions: ['objects:delete'], resources: beneath('m/kept/') },
];

type Sum = { objects: number; bytes: number };
type Answer = {
  readonly entries: { key: string; change: string; version: string | null; size: number; why: string | null }[];
  readonly counts: Record<'restore' | 'delete' | 'leave' | 'unchanged', Sum>;
  readonly plannedAt: string;
};

describeRadosGateway('object/restoreFolder on the gateway of Ceph', () => {
  let ceph: RadosGateway;
  let storage: Storage;
  let provider: StorageProvider;
  let app: TestApp;
  const cookies = new Map<string, string>();
  const put = async (key: string, content: string) => {
    const answer = await provider.s3.send({ method: 'PUT', bucket: BUCKET, key, body: Buffer.from(content) });
    return answer.headers['x-amz-version-id'] ?? 'null';
  };
  const drop = (key: string) => provider.s3.send({ method: 'DELETE', bucket: BUCKET, key });

  beforeAll(async () => {
    ceph = await startRadosGateway();
    storage = new Storage([ceph.options]);
    provider = storage.providers.provider('ceph');
    await createBucket(withoutPolicy({ provider, bucket: BUCKET }));
    const { endpoint, region, credentials } = ceph.options;
    const { accessKeyId, secretAccessKey } = credentials as { accessKeyId: string; secretAccessKey: string };
    app = await startApp({
      config: (config) => ({
        ...config,
        policies: [{ version: 1, name: 'moments', rules: RULES }],
        bindings: [
          { groups: ['team'], policies: ['moments'] },
          { groups: ['admins'], role: 'admin' },
        ],
        roles: { admin: { policies: ['default-admin'] } },
        providers: [
          {
            name: 'main',
            type: 's3',
            endpoint,
            region,
            path_style: true,
            credentials: { access_key_id: accessKeyId, secret_access_key: secretAccessKey },
          },
        ],
      }),
    });
    for (const account of ['ada', 'dan'])
      cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
  }, 180_000);
  afterAll(async () => {
    await app.close();
    storage.close();
    await ceph.close();
  });

  /** A moment that differs from the times of all earlier and later changes. */
  async function now(): Promise<string> {
    await setTimeout(30);
    const moment = new Date().toISOString();
    await setTimeout(30);
    return moment;
  }

  async function restore(body: object, account = 'dan'): Promise<Answer> {
    const answer = await rawRequest(app.origin, `/api/providers/main/buckets/${BUCKET}/objects/restore`, {
      method: 'POST',
      headers: {
        cookie: `svc_session=${cookies.get(account)!}`,
        origin: app.origin,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    const lines = answer
      .text()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect([answer.status, lines.at(-1)]).toEqual([200, { done: true }]);
    return {
      entries: lines.flatMap(({ entry }) => (entry as Answer['entries'][number] | undefined) ?? []),
      counts: lines.findLast(({ counts }) => counts !== undefined)!['counts'] as Answer['counts'],
      plannedAt: lines[0]!['planned_at'] as string,
    };
  }

  /** Every version beneath a prefix, as storage lists it. */
  async function versionsOf(prefix: string) {
    const place = withoutPolicy({ provider, bucket: BUCKET, prefix });
    return (await listVersions(place, { limit: 1000, grants: EVERYTHING })).versions;
  }

  /** The content of each key that exists beneath a prefix, by ETag. */
  async function contentOf(prefix: string): Promise<Record<string, string>> {
    const versions = await versionsOf(prefix);
    return Object.fromEntries(
      versions.flatMap(({ key, etag, isLatest }) => (isLatest && etag !== null ? [[key, etag]] : [])),
    );
  }

  describe('POST …/objects/restore', () => {
    it('plans, then brings back what was overwritten or deleted, deletes what is new, and touches no denied key', async () => {
      await put('m/null', 'before');
      await put('m/null deleted', 'before');
      await setVersioning(provider, BUCKET, 'Enabled');
      const keys = ['overwritten', 'deleted', 'recreated', 'unchanged', 'same', 'secret/a', 'secret', 'readonly/a'];
      const first = new Map<string, string>();
      for (const key of keys) first.set(key, await put(`m/${key}`, `one of ${key}`));
      await put('m/marker', 'one');
      await drop('m/marker');
      const at = await now();
      const before = await contentOf('m/');
      for (const key of ['overwritten', 'null', 'secret/a', 'secret', 'readonly/a']) await put(`m/${key}`, 'second');
      for (const key of ['deleted', 'recreated', 'null deleted']) await drop(`m/${key}`);
      for (const key of ['recreated', 'marker', 'created', 'kept/created', 'secret/created'])
        await put(`m/${key}`, 'x');
      await put('m/same', 'one of same');
      await put('m/short-lived', 'x');
      await drop('m/short-lived');
      await put('outside', 'x');
      const denied = await versionsOf('m/secret');

      const planned = await restore({ prefix: 'm/', at, dry_run: true });
      const change = (key: string, version: unknown, size: number) => ({
        key: `m/${key}`,
        change: 'restore',
        version,
        size,
        why: null,
      });
      const other = (key: string, what: string, why: string | null, size = 1) => ({
        key: `m/${key}`,
        change: what,
        version: null,
        size,
        why,
      });
      expect(planned.entries).toEqual([
        other('created', 'delete', null),
        change('deleted', first.get('deleted'), 14),
        other('kept/created', 'leave', 'access_denied'),
        other('marker', 'delete', null),
        change('null', 'null', 6),
        change('null deleted', 'null', 6),
        change('overwritten', first.get('overwritten'), 18),
        other('readonly/a', 'leave', 'access_denied', 6),
        change('recreated', first.get('recreated'), 16),
      ]);
      expect(planned.counts).toEqual({
        restore: { objects: 5, bytes: 14 + 6 + 6 + 18 + 16 },
        delete: { objects: 2, bytes: 2 },
        leave: { objects: 2, bytes: 7 },
        unchanged: { objects: 2, bytes: 27 },
      });

      const { entries, counts } = await restore({ prefix: 'm/', at });
      expect({ entries, counts }).toEqual({ entries: planned.entries, counts: planned.counts });
      const after = await contentOf('m/');
      const isLeft = (key: string) => /secret|readonly|kept/.test(key);
      const allowed = (content: Record<string, string>) => Object.entries(content).filter(([key]) => !isLeft(key));
      expect(allowed(after)).toEqual(allowed(before));
      expect(Object.keys(after).filter(isLeft)).toEqual([
        'm/kept/created',
        'm/readonly/a',
        'm/secret',
        'm/secret/a',
        'm/secret/created',
      ]);
      expect(await versionsOf('m/secret')).toEqual(denied);
      expect(await contentOf('outside')).toHaveProperty('outside');

      const again = await restore({ prefix: 'm/', at });
      expect(again.entries.map(({ key, change: what }) => [key, what])).toEqual([
        ['m/kept/created', 'leave'],
        ['m/readonly/a', 'leave'],
      ]);
    }, 60_000);
  });
});
