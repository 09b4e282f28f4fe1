import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Settings } from '../../src/config/read/settings.ts';
import { SESSION_SECRET, startApp, type TestApp } from '../support/app.ts';
import { RpcClient, RpcConnection } from '../support/rpc-client.ts';
import { signInAt, Visitor } from '../support/visitor.ts';

const OBJECTS = '/api/providers/main/buckets/files/objects';

let app: TestApp;
let eve: Visitor;
let present: Settings;
beforeAll(async () => {
  app = await startApp();
  present = app.settings;
  eve = await app.signIn('eve');
});
afterAll(() => app.close());

const ask = (
  path: string,
  {
    headers = {},
    ...init
  }: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> } = {},
) =>
  eve.request(app.origin + path, { ...init, headers: { accept: 'application/json', origin: app.origin, ...headers } });
/** The settings with other bindings for the editors. */
function editorsAre(binding: { role: string } | undefined): Settings {
  const others = present.policy.bindings.filter((each) => !('groups' in each && each.groups.includes('editors')));
  return {
    ...present,
    policy: {
      ...present.policy,
      bindings: [...others, ...(binding === undefined ? [] : [{ groups: ['editors'], ...binding }])],
    },
  };
}

async function code(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was thrown';
}

describe('a reload', () => {
  it('takes other bindings over for a session, an open socket and an API key, at once and both ways', async () => {
    const rules = [
      { actions: ['objects:list'], resources: [{ type: 'bucket', provider: 'main', bucket: 'files' }] },
    ] as const;
    const cookies = { cookie: `svc_session=${eve.cookie(app.origin, 'svc_session')}`, origin: app.origin };
    const { credential } = await new RpcClient(app.origin, cookies).call('apiKey/create', {
      description: 'reload',
      scope: { rules },
      expiresAt: null,
    });
    const byKey = RpcClient.bearer(app.origin, credential);
    const socket = await RpcConnection.open(app.origin, cookies);
    if (typeof socket === 'number') throw new Error(`the socket was refused: ${socket}`);
    const place = { provider: 'main', bucket: 'files' };
    const lists = (answer: unknown): boolean => JSON.stringify(answer).includes('objects:list');
    const answers = async () => [
      lists(await (await ask('/api/providers/main/buckets/files/permissions')).json()),
      lists(await byKey.call('permission/list', place)),
      lists(await socket.call('permission/list', place)),
    ];
    expect(await answers()).toEqual([true, true, true]);
    const before = await app.service.reload(editorsAre(undefined));
    expect(await answers()).toEqual([false, false, false]);
    const after = await app.service.reload(editorsAre({ role: 'viewer' }));
    expect(await answers()).toEqual([true, true, true]);
    expect((await ask(`${OBJECTS.replace('objects', 'object')}?key=x.txt`, { method: 'PUT', body: 'x' })).status).toBe(
      403,
    );
    expect(new Set([before, after, await app.service.reload(present)]).size).toBe(3);
    socket.socket.close();
  });

  it('names in the audit the revision under which a request was decided', async () => {
    const revision = await app.service.reload(editorsAre({ role: 'viewer' }));
    await ask(`${OBJECTS.replace('objects', 'object')}?key=revision.txt`, { method: 'PUT', body: 'x' });
    const line = app
      .logged()
      .split('\n')
      .filter((text) => text.includes('"key":"revision.txt"'))
      .at(-1)!;
    expect(JSON.parse(line)).toMatchObject({ audit: true, outcome: 'denied', policyRevision: revision });
    await app.service.reload(present);
  });

  it('lets a download that is under way end, while its provider is replaced and then removed', async () => {
    const size = 8 * 1_048_576;
    expect(
      (
        await ask(`${OBJECTS.replace('objects', 'object')}?key=large.bin`, {
          method: 'PUT',
          body: new Uint8Array(size),
        })
      ).status,
    ).toBeLessThan(300);
    const download = await ask(`${OBJECTS.replace('objects', 'object')}?key=large.bin`);
    await app.service.reload({
      ...present,
      providers: present.providers.map((provider) => ({
        ...provider,
        connectTimeoutMs: provider.connectTimeoutMs + 1,
      })),
    });
    expect((await ask(OBJECTS)).status).toBe(200);
    await app.service.reload({ ...present, providers: [] });
    expect((await ask(OBJECTS)).status).toBe(404);
    expect((await download.arrayBuffer()).byteLength).toBe(size);
    await app.service.reload(present);
    expect((await ask(OBJECTS)).status).toBe(200);
  });

  it('lets a ZIP go on, which asks storage again and again, and decides and reads under what it began with', async () => {
    for (let at = 0; at < 6; at += 1)
      expect(
        (
          await ask(`${OBJECTS.replace('objects', 'object')}?key=zipped/${at}.bin`, {
            method: 'PUT',
            body: randomBytes(2_097_152),
          })
        ).status,
      ).toBeLessThan(300);
    const download = await ask('/api/providers/main/buckets/files/archive', {
      method: 'POST',
      body: JSON.stringify({ prefixes: ['zipped/'] }),
      headers: { 'content-type': 'application/json' },
    });
    expect(download.status).toBe(200);
    await app.service.reload({
      ...present,
      providers: present.providers.map((provider) => ({ ...provider, endpoint: 'http://127.0.0.1:1' })),
    });
    expect((await download.arrayBuffer()).byteLength).toBeGreaterThan(6 * 2_097_152);
    await app.service.reload(present);
  });

  it('takes nothing over when something else changed, and says what', async () => {
    const next = editorsAre(undefined);
    expect(await code(() => app.service.reload({ ...next, log: { ...next.log, level: 'error' } }))).toBe(
      '`log` changed, which needs a restart; no change was applied',
    );
    expect(
      await code(() => app.service.reload({ ...next, server: { ...next.server, port: present.server.port + 1 } })),
    ).toBe('`server` changed, which needs a restart; no change was applied');
    expect((await ask(OBJECTS)).status).toBe(200);
  });

  it('names the member of `auth` that needs a restart, as the file does', async () => {
    const { auth } = present;
    expect(
      await code(() =>
        app.service.reload({
          ...present,
          auth: {
            ...auth,
            apiKeys: undefined,
            session: { ...auth.session, ttlSeconds: 60 },
            oidc: { ...auth.oidc!, scopes: ['openid'], clientSecret: 'another' },
          },
        }),
      ),
    ).toBe('`auth.session`, `auth.api_keys`, `auth.oidc` changed, which needs a restart; no change was applied');
  });

  it('does not begin to listen for S3', async () => {
    const s3 = {
      host: '127.0.0.1',
      port: 0,
      publicEndpoint: 'http://127.0.0.1:0',
      region: 'svc',
      secrets: ['s'.repeat(32)],
      keyCapacity: 1,
      maxLifetimeDays: 1,
      maxDaysSinceSignIn: 0,
      webIdentity: [],
      maxSessionSeconds: 900,
    };
    expect(await code(() => app.service.reload({ ...present, s3 }))).toBe(
      '`s3` changed, which needs a restart; no change was applied',
    );
  });

  it('takes another client secret over, for the sign-in that is on its way as well', async () => {
    const visitor = new Visitor();
    const begun = await visitor.request(`${app.origin}/api/auth/login`);
    const callback = await signInAt(begun.headers.get('location')!, { account: 'eve', visitor });
    const { auth } = present;
    app.idp.register({ ...app.client, client_secret: 'another-client-secret' });
    await expect(
      app.signIn('vic').then((refused) => refused.cookie(app.origin, 'svc_session')),
    ).resolves.toBeUndefined();
    await app.service.reload({
      ...present,
      auth: { ...auth, oidc: { ...auth.oidc!, clientSecret: 'another-client-secret' } },
    });
    await visitor.request(callback);
    expect(visitor.cookie(app.origin, 'svc_session')).toBeDefined();
    app.idp.register(app.client);
    await app.service.reload(present);
    expect((await app.signIn('vic')).cookie(app.origin, 'svc_session')).toBeDefined();
  });

  it('takes another session secret over: sessions live on while it accepts the old one, and cookies that the old one signed count no more afterwards', async () => {
    const { auth } = present;
    const before = await app.signIn('eve');
    const statusOf = async (visitor: Visitor) =>
      (await visitor.request(app.origin + OBJECTS, { headers: { accept: 'application/json' } })).status;
    const withSecrets = (...sessionSecrets: string[]) =>
      app.service.reload({ ...present, auth: { ...auth, sessionSecrets } });
    expect(await statusOf(before)).toBe(200);
    await withSecrets('b'.repeat(32), SESSION_SECRET);
    const after = await app.signIn('eve');
    expect([await statusOf(before), await statusOf(after)]).toEqual([200, 200]);
    const [old, fresh] = await Promise.all(
      [before, after].map((visitor) =>
        RpcConnection.open(app.origin, {
          cookie: `svc_session=${visitor.cookie(app.origin, 'svc_session')}`,
          origin: app.origin,
        }),
      ),
    );
    if (typeof old !== 'object' || typeof fresh !== 'object') throw new Error('a socket was refused');
    await withSecrets('b'.repeat(32), SESSION_SECRET);
    await Promise.all([old, fresh].map((socket) => socket.call('session/get', {})));
    await withSecrets('b'.repeat(32));
    expect(await Promise.race([old.closed, wait(2_000, undefined, { ref: false })])).toBe(4001);
    expect(await fresh.call('session/get', {})).toMatchObject({ result: { subject: 'eve' } });
    fresh.socket.close();
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
    await app.service.reload(present);
    expect([await statusOf(before), await statusOf(after)]).toEqual([200, 401]);
  });

  it('takes nothing over when a policy would deny something to a group for the first time, because sessions may lack groups', async () => {
    const allowOnly = {
      ...present,
      policy: {
        ...present.policy,
        bindings: present.policy.bindings.filter(
          (binding) => !('groups' in binding && binding.groups.includes('team')),
        ),
      },
    };
    await app.service.reload(allowOnly);
    expect(await code(() => app.service.reload(present))).toBe(
      'a policy denies something to a group for the first time, which needs a restart, and new sign-ins and API keys where the identity provider left groups out; no change was applied',
    );
  });

  it('loses no request under load', async () => {
    let isOver = false;
    const statuses = new Map<number, number>();
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { status, body } = await ask(OBJECTS);
        await body?.cancel();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const base = app.settings.policy.bindings.filter(
      (binding) => !('groups' in binding && binding.groups.includes('team')),
    );
    for (let round = 0; round < 40; round += 1) {
      await app.service.reload({
        ...present,
        policy: { ...present.policy, bindings: [...base, { groups: [`round ${round}`], role: 'viewer' }] },
        providers: present.providers.map((provider) => ({
          ...provider,
          connectTimeoutMs: provider.connectTimeoutMs + round,
        })),
      });
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    isOver = true;
    await Promise.all(load);
    expect([...statuses.keys()]).toEqual([200]);
  });
});
