import { setTimeout } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { EVERYTHING } from '../../../src/policy/index/grants.ts';
import type { Rule } from '../../../src/policy/model/rule.ts';
import { createBucket } from '../../../src/storage/buckets.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { listVersions, type VersionsPage } from '../../../src/storage/version-listing.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { startRadosGateway } from '../../support/rados-gateway.ts';
import { rawRequest, type RawAnswer } from '../../support/raw-request.ts';

export const BUCKET = 'svc-test-moment';
const ALL = ['objects:read', 'objects:write', 'objects:delete', 'objects:versions', 'objects:restore'];
const beneath = (prefix: string) => [{ type: 'prefix', provider: 'main', bucket: BUCKET, prefix }];
/** What `dan` may do: everything beneath `m/`, but nothing with `secret` after it, no restore in `readonly/`, no deletion in `kept/`, and a purge in `purge/` alone. */
const RULES = [
  { effect: 'allow', actions: ['providers:read'], resources: [{ type: 'all' }] },
  { effect: 'allow', actions: ALL, resources: beneath('m/') },
  { effect: 'allow', actions: ['objects:purge'], resources: beneath('m/purge/') },
  { effect: 'deny', actions: ALL, resources: beneath('m/secret') },
  { effect: 'deny', actions: ['objects:restore'], resources: beneath('m/readonly/') },
  { effect: 'deny', actions: ['objects:delete'], resources: beneath('m/kept/') },
];

type Sum = { objects: number; bytes: number };
export type Answer = {
  readonly entries: { key: string; change: string; version: string | null; size: number; why: string | null }[];
  readonly counts: Record<'restore' | 'delete' | 'leave' | 'unchanged', Sum>;
  readonly plannedAt: string;
  readonly requestId: string;
};

/** The service on the gateway of Ceph, with a bucket and requests of people. */
export class Moments {
  readonly app: TestApp;
  readonly storage: Storage;
  readonly provider: StorageProvider;
  readonly #cookies: ReadonlyMap<string, string>;
  readonly #close: () => Promise<void>;

  private constructor(
    app: TestApp,
    storage: Storage,
    cookies: ReadonlyMap<string, string>,
    close: () => Promise<void>,
  ) {
    this.app = app;
    this.storage = storage;
    this.provider = storage.providers.provider('main');
    this.#cookies = cookies;
    this.#close = close;
  }

  /** @param withLock - makes a bucket whose objects can be locked, and which therefore keeps versions. */
  static async start({ withLock = false } = {}): Promise<Moments> {
    const ceph = await startRadosGateway();
    const storage = new Storage([{ ...ceph.options, name: 'main' }]);
    const provider = storage.providers.provider('main');
    if (withLock) {
      const headers = { 'x-amz-bucket-object-lock-enabled': 'true' };
      await provider.s3.send({ method: 'PUT', bucket: BUCKET, headers });
    } else await createBucket(withoutPolicy({ provider, bucket: BUCKET }));
    const app = await startApp({
      config: (config) => ({
        ...config,
        policies: [{ version: 1, name: 'moments', rules: RULES }],
        bindings: [{ groups: ['team'], policies: ['moments'] }],
        roles: {},
        providers: [ceph.provider],
      }),
    });
    const cookies = new Map<string, string>();
    for (const account of ['dan', 'nobody'])
      cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
    return new Moments(app, storage, cookies, async () => {
      await app.close();
      storage.close();
      await ceph.close();
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  async put(key: string, content: string, headers: Record<string, string> = {}): Promise<string> {
    const body = Buffer.from(content);
    const answer = await this.provider.s3.send({ method: 'PUT', bucket: BUCKET, key, headers, body });
    return answer.headers['x-amz-version-id'] ?? 'null';
  }

  async drop(key: string): Promise<void> {
    await this.provider.s3.send({ method: 'DELETE', bucket: BUCKET, key });
  }

  /** A moment that differs from the times of all earlier and later changes. */
  async now(): Promise<string> {
    await setTimeout(30);
    const moment = new Date().toISOString();
    await setTimeout(30);
    return moment;
  }

  /** From now on, `dan` may do what these rules say and nothing else; what was denied beneath `m/` still is. */
  async holds(rules: readonly Rule[]): Promise<void> {
    const { settings, service } = this.app;
    const policies = settings.policy.policies.map((one) =>
      // A reload may not bring the first deny.
      one.name === 'moments'
        ? { ...one, rules: [...rules, ...one.rules.filter(({ effect }) => effect === 'deny')] }
        : one,
    );
    await service.reload({ ...settings, policy: { ...settings.policy, policies } });
  }

  /** Asks for a path of a bucket, as `dan`. */
  async get(bucket: string, path: string): Promise<RawAnswer> {
    return rawRequest(this.app.origin, `/api/providers/main/buckets/${bucket}${path}`, {
      headers: { cookie: `svc_session=${this.#cookies.get('dan')!}` },
    });
  }

  /** Posts JSON to a path of the bucket. */
  async post(path: string, body: object, account = 'dan'): Promise<RawAnswer> {
    return rawRequest(this.app.origin, `/api/providers/main/buckets/${BUCKET}${path}`, {
      method: 'POST',
      headers: {
        cookie: `svc_session=${this.#cookies.get(account)!}`,
        origin: this.app.origin,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  }

  async restore(body: object, account = 'dan'): Promise<Answer> {
    const answer = await this.post('/objects/restore', body, account);
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
      requestId: answer.headers['x-request-id'] as string,
    };
  }

  /** Every version beneath a prefix, as storage lists it. */
  async versionsOf(prefix: string): Promise<VersionsPage['versions']> {
    const place = withoutPolicy({ provider: this.provider, bucket: BUCKET, prefix });
    const found: VersionsPage['versions'] = [];
    let cursor: string | undefined;
    do {
      const page = await listVersions(place, { cursor, limit: 1000, grants: EVERYTHING });
      found.push(...page.versions);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  }

  /** The ETag of each object beneath a prefix. */
  async contentOf(prefix: string): Promise<Record<string, string>> {
    const versions = await this.versionsOf(prefix);
    return Object.fromEntries(
      versions.flatMap(({ key, etag, isLatest }) => (isLatest && etag !== null ? [[key, etag]] : [])),
    );
  }
}
