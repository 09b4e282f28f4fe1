import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Settings } from '../../src/config/read/settings.ts';
import type { WrittenPolicy } from '../../src/policy/model/rule.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { RpcClient } from '../support/rpc-client.ts';
import type { Visitor } from '../support/visitor.ts';

let app: TestApp;
let [ada, nobody]: Visitor[] = [];
let present: Settings;
const files = { provider: 'main', bucket: 'files' };
const homes: WrittenPolicy = {
  name: 'homes',
  source: 'config',
  rules: [
    {
      effect: 'allow',
      actions: ['objects:write', 'objects:delete'],
      resources: [{ type: 'prefix', ...files, prefix: 'users/', each: 'subject' }],
    },
  ],
};

beforeAll(async () => {
  app = await startApp();
  present = app.settings;
  [ada, nobody] = [await app.signIn('ada'), await app.signIn('nobody')];
});
afterAll(() => app.close());

const withHomes = (): Settings => ({
  ...present,
  policy: {
    ...present.policy,
    policies: [...present.policy.policies, homes],
    bindings: [
      ...present.policy.bindings,
      {
        subjects: [
          { issuer: app.issuer, subject: 'nobody' },
          { issuer: app.issuer, subject: 'zoe' },
        ],
        policies: ['homes'],
      },
    ],
  },
});
const put = async (key: string) =>
  (
    await nobody!.request(`${app.origin}/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`, {
      method: 'PUT',
      body: 'x',
      headers: { origin: app.origin },
    })
  ).status;
const cookies = (visitor: Visitor) => ({
  cookie: `svc_session=${visitor.cookie(app.origin, 'svc_session')}`,
  origin: app.origin,
});

describe('a policy with folders of people', () => {
  it('comes and goes with a reload, and opens to each person their own folder alone', async () => {
    expect(await put('users/nobody/x')).toBe(403);
    await app.service.reload(withHomes());
    expect([
      await put('users/nobody/x'),
      await put('users/eve/x'),
      await put('users/Nobody/x'),
      await put('users/nobody'),
      await put('users/'),
    ]).toEqual([200, 403, 403, 403, 403]);
    expect((await ada!.request(`${app.origin}/api/admin/policies`)).status).toBe(200);
    await app.service.reload(present);
    expect(await put('users/nobody/y')).toBe(403);
  });

  it('is seen by an administrator as the person sees it', async () => {
    await app.service.reload(withHomes());
    const view: unknown = await (
      await ada!.request(`${app.origin}/api/admin/view-as`, {
        method: 'POST',
        body: JSON.stringify({ subject: 'zoe', groups: [] }),
        headers: { 'content-type': 'application/json', origin: app.origin },
      })
    ).json();
    const bucket = (
      view as {
        providers: { name: string; buckets: { name: string; places: { prefix?: string; actions: string[] }[] }[] }[];
      }
    ).providers
      .find(({ name }) => name === 'main')!
      .buckets.find(({ name }) => name === 'files')!;
    expect(bucket.places.find(({ prefix }) => prefix === 'users/zoe/')?.actions).toContain('objects:write');
    expect(JSON.stringify(view)).not.toContain('users/nobody/');
  });

  it('gives an API key no more than its creator has, and is taken in no scope', async () => {
    await app.service.reload(withHomes());
    const rpc = new RpcClient(app.origin, cookies(nobody!));
    const rules = [
      {
        actions: ['objects:write', 'objects:delete'] as const,
        resources: [{ type: 'prefix', ...files, prefix: 'users/' }] as const,
      },
    ];
    const { credential } = await rpc.call('apiKey/create', { description: 'homes', scope: { rules }, expiresAt: null });
    const key = RpcClient.bearer(app.origin, credential);
    const may = async (prefix: string) =>
      JSON.stringify(await key.call('permission/list', { ...files, prefix })).includes('"here":["objects:write"');
    expect([await may('users/nobody/'), await may('users/eve/'), await may('users/')]).toEqual([true, false, false]);
    const own = [
      { actions: ['objects:write'], resources: [{ type: 'prefix', ...files, prefix: 'users/', each: 'subject' }] },
    ];
    expect(
      await rpc.fails('apiKey/create', { description: 'own', scope: { rules: own } as never, expiresAt: null }),
    ).toMatchObject({ data: { code: 'invalid_request' } });
  });
});
