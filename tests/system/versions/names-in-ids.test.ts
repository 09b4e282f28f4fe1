import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { setVersioning } from '../../support/versioning.ts';
import { createBucket } from '../../../src/storage/buckets.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

/** Lets people do everything in the bucket, but denies them content and uploads beneath `hr` and `box.`. */
const DENYING = {
  version: 1,
  name: 'denying',
  rules: [
    {
      effect: 'allow',
      actions: ['objects:read', 'objects:write', 'objects:delete', 'objects:versions'],
      resources: [{ type: 'bucket', provider: 'main', bucket: 'files' }],
    },
    {
      effect: 'deny',
      actions: ['objects:get', 'objects:write'],
      resources: ['hr', 'box.'].map((prefix) => ({ type: 'prefix', provider: 'main', bucket: 'files', prefix })),
    },
  ],
};

describeRadosGateway('the gateway of Ceph, which joins keys and ids into names', () => {
  const BUCKET = { provider: 'main', bucket: 'files' };
  let ceph: RadosGateway;
  let storage: Storage;
  let app: TestApp;
  let dan: RpcClient;
  let ada: RpcClient;

  beforeAll(async () => {
    ceph = await startRadosGateway();
    storage = new Storage([ceph.options]);
    const provider = storage.providers.provider('ceph');
    await createBucket(withoutPolicy({ provider, bucket: 'files' }));
    await setVersioning(provider, 'files', 'Enabled');
    app = await startApp({
      config: (given) => ({
        ...given,
        policies: [...(given['policies'] as object[]), DENYING],
        bindings: [...(given['bindings'] as object[]), { groups: ['team'], policies: ['denying'] }],
        providers: [ceph.provider],
      }),
    });
    const rpc = async (who: string) => RpcClient.bearer(app.origin, (await signInDesktop(app, who)).access_token);
    [dan, ada] = [await rpc('dan'), await rpc('ada')];
  });
  afterAll(async () => {
    await app.close();
    storage.close();
    await ceph.close();
  });

  const put = async (rpc: RpcClient, key: string, body: string, upload?: { id: string; part: number }) => {
    const { url } = await rpc.call('transfer/create', {
      ...BUCKET,
      key,
      direction: 'upload',
      ...(upload && { upload }),
    });
    const answer = await fetch(url, { method: 'PUT', body });
    return { status: answer.status, etag: ((await answer.json()) as { etag?: string }).etag ?? '' };
  };
  const read = async (key: string, version: string) => {
    const { url } = await dan.call('transfer/create', { ...BUCKET, key, version, direction: 'download' });
    const answer = await fetch(url);
    return [answer.status, answer.ok ? await answer.text() : ''];
  };
  const notFound = { data: { code: 'not_found' } };

  it.each([
    ['hr_pay.csv', 'pay.csv', '_hr'],
    ['hr/2026/the_plan_of.txt', 'of.txt', '_hr/2026/the_plan'],
  ])('reads no version of %s, whose content is denied, as one of %s', async (denied, allowed, between) => {
    await put(ada, denied, 'denied');
    await put(ada, allowed, 'allowed');
    const versionOf = async (key: string) =>
      (await dan.call('object/listVersions', { ...BUCKET, key })).versions[0]!.version;
    const version = `${await versionOf(denied)}${between}`;
    expect(await read(allowed, version)).toEqual([404, '']);
    expect(await dan.fails('object/head', { ...BUCKET, key: allowed, version })).toMatchObject(notFound);
    expect(await read(allowed, await versionOf(allowed))).toEqual([200, 'allowed']);
  });

  it('takes no upload of a key that may not be written for one of the key before its dot', async () => {
    const [denied, allowed] = ['box.of/others', 'box'];
    const { id } = await ada.call('upload/create', { ...BUCKET, key: denied });
    const { etag } = await put(ada, denied, 'denied', { id, part: 1 });
    const parts = [{ number: 1, etag }];
    const forged = { ...BUCKET, key: allowed, id: `of/others.${id}` };
    expect(await dan.fails('upload/get', forged)).toMatchObject(notFound);
    expect((await put(dan, allowed, 'evil', { id: forged.id, part: 2 })).status).toBe(404);
    expect(await dan.fails('upload/complete', { ...forged, parts })).toMatchObject(notFound);
    expect(await dan.call('upload/abort', forged)).toEqual({ wasOpen: false });
    expect((await ada.call('upload/get', { ...BUCKET, key: denied, id })).parts).toHaveLength(1);
    expect(await ada.call('upload/complete', { ...BUCKET, key: denied, id, parts })).toMatchObject({ size: 6 });
  });
});
