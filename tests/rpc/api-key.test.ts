import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { needsOneProcess } from '../support/one-process.ts';
import { RpcClient } from '../support/rpc-client.ts';

let app: TestApp;
let dan: RpcClient;
let eve: RpcClient;
let ada: RpcClient;
let offset = 0;

beforeAll(async () => {
  app = await startApp({ now: () => Date.now() + offset });
  const client = async (account: string) =>
    RpcClient.bearer(app.origin, (await signInDesktop(app, account)).access_token);
  [dan, eve, ada] = [await client('dan'), await client('eve'), await client('ada')];
});
afterAll(() => app.close());

const files = { provider: 'main', bucket: 'files' } as const;
const everything = {
  rules: [
    { actions: ['objects:read', 'objects:write', 'buckets:read', 'buckets:create'], resources: [{ type: 'all' }] },
  ],
} as const;

describe('API keys', () => {
  it('do what both the creator and the scope allow', async () => {
    const { credential } = await dan.call('apiKey/create', {
      description: 'reads drafts',
      scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'prefix', ...files, prefix: 'drafts/' }] }] },
    });
    const key = RpcClient.bearer(app.origin, credential);
    expect(credential).toMatch(/^svc_ak_[0-9a-f]+_[A-Za-z0-9_-]{43}$/);
    expect((await key.fails('object/head', { ...files, key: 'drafts/none' })).code).toBe(-32004);
    expect(await key.fails('object/head', { ...files, key: 'other' })).toMatchObject({
      code: -32003,
      data: {
        reason: 'no_matching_allow',
        detail: expect.stringContaining('the scope of this key does not include `objects:get` here'),
      },
    });
    expect(await key.fails('object/delete', { ...files, key: 'drafts/none' })).toMatchObject({ code: -32003 });
    expect(await key.call('session/get', {})).toMatchObject({ subject: 'dan', kind: 'apiKey' });
    const me = await fetch(`${app.origin}/api/auth/me`, { headers: { authorization: `Bearer ${credential}` } });
    expect(await me.json()).toEqual({ authenticated: false, auth_enabled: true, subject: '', groups: [] });
  });

  it('gain nothing that their creator lacks', async () => {
    const { credential } = await dan.call('apiKey/create', { description: 'too wide', scope: everything });
    const key = RpcClient.bearer(app.origin, credential);
    expect(await key.fails('object/head', { ...files, key: 'secret/x' })).toMatchObject({
      code: -32003,
      data: { reason: 'explicit_deny' },
    });
    expect(await key.fails('bucket/create', { provider: 'main', name: 'never' })).toMatchObject({
      code: -32003,
      data: { detail: expect.stringContaining('no policy of yours allows `buckets:create`') },
    });
    expect(await key.call('permission/list', { ...files, prefix: 'secret/' })).toEqual({
      actions: ['buckets:read'],
      here: [],
    });
    expect(await key.call('permission/list', { ...files, keys: ['secret/x'] })).toEqual({ keys: { 'secret/x': [] } });
  });

  it.each(['drafts\0', 'half \ud83d', '\udc00'])(
    'are not described by %j, which no database keeps as it is',
    async (written) => {
      const fault = (path: string) => ({
        code: -32602,
        data: { code: 'invalid_request', errors: [{ path, message: expect.stringContaining('remove it') }] },
      });
      expect(await eve.fails('apiKey/create', { description: written, scope: everything })).toMatchObject(
        fault('params.description'),
      );
      expect(await eve.fails('object/search', { ...files, q: written })).toMatchObject(fault('params.q'));
      expect(await eve.fails('upload/create', { ...files, key: 'x', contentType: written })).toMatchObject(
        fault('params.contentType'),
      );
    },
  );

  it('keep a scope as it is written, which names keys of objects', async () => {
    const scopeOf = (prefix: string) =>
      ({ rules: [{ actions: ['objects:read'], resources: [{ type: 'prefix', ...files, prefix }] }] }) as const;
    for (const half of ['\ud83d', '\udc00'])
      expect(await eve.fails('apiKey/create', { description: 'half', scope: scopeOf(half) })).toMatchObject({
        data: { code: 'invalid_request' },
      });
    expect((await eve.call('apiKey/create', { description: 'whole', scope: scopeOf('a\0😀') })).key.scope).toEqual(
      scopeOf('a\0😀'),
    );
  });

  it('end on a day that there is', async () => {
    for (const expiresAt of [
      '2030-02-30T00:00:00Z',
      '2030-02-29T12:00:00+01:00',
      '2030-04-31T00:00:00Z',
      '2030-13-01T00:00:00Z',
      '2030-01-00T00:00:00Z',
    ]) {
      expect(await eve.fails('apiKey/create', { description: 'never', scope: everything, expiresAt })).toMatchObject({
        data: { code: 'invalid_request', errors: [{ path: 'params.expiresAt' }] },
      });
    }
    expect(
      (
        await eve.call('apiKey/create', {
          description: 'leap year',
          scope: everything,
          expiresAt: '2032-02-29T23:30:00-05:00',
        })
      ).key.expiresAt,
    ).toBe('2032-03-01T04:30:00.000Z');
  });

  it('say when they were made, and nothing of what has not happened: no end, no rotation, no use', async () => {
    const { key } = await eve.call('apiKey/create', { description: 'new', scope: everything });
    expect(key).toMatchObject({
      createdAt: expect.stringMatching(/^20\d\d-.*Z$/),
      expiresAt: null,
      rotatedAt: null,
      lastUsedAt: null,
    });
    expect((await eve.call('apiKey/list', {})).keys).toContainEqual(key);
    expect((await eve.call('apiKey/rotate', { id: key.id })).key).toMatchObject({
      rotatedAt: expect.stringMatching(/^20\d\d-.*Z$/),
      expiresAt: null,
      lastUsedAt: null,
    });
    await eve.call('apiKey/revoke', { id: key.id });
  });

  it('cannot manage keys, and are no credential on /api', async () => {
    const { credential } = await ada.call('apiKey/create', { description: 'of an admin', scope: everything });
    const key = RpcClient.bearer(app.origin, credential);
    for (const [method, params] of [
      ['apiKey/create', { description: 'x', scope: everything }],
      ['apiKey/list', {}],
      ['apiKey/rotate', { id: 'x' }],
      ['apiKey/replaceScope', { id: 'x', scope: everything }],
      ['apiKey/revoke', { id: 'x' }],
    ] as const) {
      expect(await key.fails(method, params)).toMatchObject({
        code: -32003,
        data: { code: 'interactive_session_required' },
      });
    }
    expect(
      (await fetch(`${app.origin}/api/providers`, { headers: { authorization: `Bearer ${credential}` } })).status,
    ).toBe(401);
  });

  it('rotate to a new secret at once, keeping id, scope and expiry', async () => {
    const { key, credential } = await eve.call('apiKey/create', {
      description: 'rotates',
      scope: everything,
      expiresAt: '2099-01-01T00:00:00Z',
    });
    const rotated = await eve.call('apiKey/rotate', { id: key.id });
    expect(rotated.key).toMatchObject({
      id: key.id,
      description: 'rotates',
      scope: key.scope,
      expiresAt: key.expiresAt,
    });
    expect((await RpcClient.bearer(app.origin, credential).send('{}')).status).toBe(401);
    expect(await RpcClient.bearer(app.origin, rotated.credential).call('session/get', {})).toMatchObject({
      subject: 'eve',
    });
    const narrowed = await eve.call('apiKey/replaceScope', {
      id: key.id,
      scope: { rules: [{ actions: ['buckets:read'], resources: [{ type: 'all' }] }] },
    });
    expect(narrowed.key.scope.rules[0]?.actions).toEqual(['buckets:read']);
    expect(
      (await RpcClient.bearer(app.origin, rotated.credential).fails('object/head', { ...files, key: 'x' })).code,
    ).toBe(-32003);
    await eve.call('apiKey/revoke', { id: key.id });
    expect((await RpcClient.bearer(app.origin, rotated.credential).send('{}')).status).toBe(401);
  });

  it('expire', async () => {
    needsOneProcess('the test moves the clock');
    const { credential } = await eve.call('apiKey/create', {
      description: 'short',
      scope: everything,
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    expect(await RpcClient.bearer(app.origin, credential).call('session/get', {})).toMatchObject({ subject: 'eve' });
    offset = 61_000;
    expect((await RpcClient.bearer(app.origin, credential).send('{}')).status).toBe(401);
    offset = 0;
  });

  it('belong to who made them; an administrator sees and revokes all', async () => {
    const { key } = await dan.call('apiKey/create', { description: 'of dan', scope: everything });
    expect((await eve.call('apiKey/list', {})).keys.map(({ id }) => id)).not.toContain(key.id);
    expect((await eve.fails('apiKey/revoke', { id: key.id })).code).toBe(-32004);
    expect((await ada.call('apiKey/list', {})).keys.map(({ id }) => id)).toContain(key.id);
    await ada.call('apiKey/revoke', { id: key.id });
    expect((await dan.call('apiKey/list', {})).keys.map(({ id }) => id)).not.toContain(key.id);
  });

  it('are refused at capacity', async () => {
    let full = false;
    for (let i = 0; i < 20 && !full; i += 1) {
      full = await eve.call('apiKey/create', { description: `filler ${i}`, scope: everything }).then(
        () => false,
        () => true,
      );
    }
    expect(await eve.fails('apiKey/create', { description: 'one more', scope: everything })).toMatchObject({
      code: -32009,
      data: { code: 'api_key_capacity' },
    });
  });
});
