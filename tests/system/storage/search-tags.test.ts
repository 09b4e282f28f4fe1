import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { createBucket } from '../../../src/storage/buckets.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { countCalls, type CallCounter } from '../../support/call-counter.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import type { Visitor } from '../../support/visitor.ts';

const bucket = 'svc-test-tags';
const FOLDERS = ['open', 'listed', 'hidden', 'open too'] as const;
/** Each folder has 300 objects; of all, every thirtieth has the tag. */
const KEYS = Array.from(
  { length: 1_200 },
  (_, i) => `papers/${FOLDERS[i % 4]!}/${String(i).padStart(4, '0')} ä+&=?.txt`,
).sort();
const isTagged = (i: number) => i % 30 === 7;
const ALLOWED = KEYS.filter((key, i) => isTagged(i) && key.startsWith('papers/open'));
const resource = (prefix: string) => ({ type: 'prefix', provider: 'ceph', bucket, prefix });

describeRadosGateway('a search for a tag on the gateway of Ceph', () => {
  let ceph: RadosGateway;
  let counter: CallCounter;
  let app: TestApp;
  let dan: Visitor;
  let rpc: RpcClient;

  beforeAll(async () => {
    ceph = await startRadosGateway();
    counter = await countCalls(ceph.options.endpoint);
    const direct = new Storage([ceph.options]);
    const provider = direct.providers.provider('ceph');
    await createBucket(withoutPolicy({ provider, bucket }));
    await pLimit(16).map(KEYS, (key, i) => {
      const headers = { 'x-amz-tagging': isTagged(i) ? 'state=to%20be%20approved&year=2025' : 'state=draft' };
      return provider.s3.send({ method: 'PUT', bucket, key, headers, body: Buffer.from('x') });
    });
    direct.close();
    app = await startApp({
      config: (config) => ({
        ...config,
        providers: [...(config['providers'] as object[]), { ...ceph.provider, name: 'ceph', endpoint: counter.url }],
        policies: [
          ...(config['policies'] as object[]),
          {
            version: 1,
            name: 'papers',
            rules: [
              { effect: 'allow', actions: ['objects:list', 'objects:get'], resources: [resource('papers/')] },
              { effect: 'deny', actions: ['objects:get'], resources: [resource('papers/listed/')] },
              { effect: 'deny', actions: ['objects:list'], resources: [resource('papers/hidden/')] },
            ],
          },
        ],
        bindings: [...(config['bindings'] as object[]), { groups: ['team'], policies: ['papers'] }],
      }),
    });
    dan = await app.signIn('dan');
    rpc = RpcClient.bearer(app.origin, (await signInDesktop(app, 'dan')).access_token);
  });
  beforeEach(() => counter.reset());
  afterAll(async () => {
    await app.close();
    await counter.close();
    await ceph.close();
  });

  const asked = () =>
    counter.calls
      .filter((call) => call.includes('tagging'))
      .map((call) =>
        decodeURIComponent(new URL(call.split(' ')[1]!, 'http://storage').pathname.slice(bucket.length + 2)),
      );
  const expectNoDeniedKey = () => {
    expect(asked().sort()).toEqual(KEYS.filter((key) => key.startsWith('papers/open')));
    expect(counter.calls.filter((call) => /GET \/[^?]*(?:listed|hidden)/.test(call))).toEqual([]);
  };

  it('finds exactly the objects with it whose tags the caller may read, in lines', async () => {
    expect(ALLOWED.length).toBeGreaterThan(15);
    const query = new URLSearchParams({ prefix: 'papers/', tag: 'state=to be approved' });
    const answer = await dan.request(`${app.origin}/api/providers/ceph/buckets/${bucket}/search?${query}`);
    const lines = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { object?: { key: string } });
    expect(lines.flatMap(({ object }) => object?.key ?? [])).toEqual(ALLOWED);
    expect(lines.slice(-2)).toEqual([{ seen: 900 }, { done: true }]);
    expectNoDeniedKey();
  });

  it('finds them page by page, and by the name of a tag alone', async () => {
    const found: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await rpc.call('object/search', {
        provider: 'ceph',
        bucket,
        tag: 'year',
        ...(cursor === undefined ? {} : { cursor }),
      });
      found.push(...page.objects.map(({ key }) => key));
      cursor = page.nextCursor ?? undefined;
    }
    expect(found).toEqual(ALLOWED);
    expectNoDeniedKey();
  });

  it('asks only about what the other filters leave', async () => {
    const { objects } = await rpc.call('object/search', { provider: 'ceph', bucket, q: '00', tag: 'year=2025' });
    expect(objects.map(({ key }) => key)).toEqual(ALLOWED.filter((key) => key.split('/')[2]!.includes('00')));
    expect(asked().every((key) => key.split('/')[2]!.includes('00'))).toBe(true);
  });
});
