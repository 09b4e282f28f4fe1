import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SqliteSuspensionStore } from '../../src/key/sqlite-suspensions.ts';
import { StateDatabase } from '../../src/state/database.ts';
import { finishSignIn, startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { RpcClient, RpcConnection } from '../support/rpc-client.ts';
import { RunningDownload } from '../support/running-transfer.ts';
import { Visitor } from '../support/visitor.ts';

const SCOPE = { rules: [{ actions: ['objects:read' as const], resources: [{ type: 'all' as const }] }] };

let app: TestApp;
let ada: RpcClient;
const clientOf = async (name: string) => {
  const { access_token: credential } = await signInDesktop(app, name);
  return { credential, client: RpcClient.bearer(app.origin, credential) };
};
const the = (subject: string) => ({ issuer: app.issuer, subject });

beforeAll(async () => {
  app = await startApp();
  ada = (await clientOf('ada')).client;
});
afterAll(() => app.close());

it('a suspension whose process was killed before it ended the sessions is completed by the next start', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-suspended-'));
  const start = () =>
    startApp({
      config: (given) => ({
        ...given,
        state: { path: join(directory, 'state.db') },
        auth: { ...(given['auth'] as object), session: { type: 'database' } },
      }),
    });
  const before = await start();
  const credentials = await Promise.all(
    ['eve', 'vic'].map(async (name) => (await signInDesktop(before, name)).access_token),
  );
  await before.close();
  const database = StateDatabase.open(join(directory, 'state.db'));
  await new SqliteSuspensionStore(database).add({ issuer: before.issuer, subject: 'eve' }, Date.now());
  database.close();

  const after = await start();
  const [eve, vic] = credentials.map((credential) => RpcClient.bearer(after.origin, credential));
  expect(await eve!.fails('session/get', {})).toMatchObject({ data: { code: 'session_required' } });
  expect((await vic!.call('session/get', {})).subject).toBe('vic');
  await after.close();
  await rm(directory, { recursive: true });
});

describe('a suspended person', () => {
  it('loses their sessions, and their keys rest until they are resumed', async () => {
    const { client } = await clientOf('eve');
    const { credential } = await client.call('apiKey/create', { description: 'x', scope: SCOPE });
    const key = RpcClient.bearer(app.origin, credential);
    const other = await clientOf('vic');
    expect(await ada.call('person/suspend', { ...the('eve'), name: 'Eve Editor' })).toEqual({ endedSessions: 1 });
    for (const each of [client, key])
      expect(await each.fails('session/get', {})).toMatchObject({ data: { code: 'session_required' } });
    expect((await other.client.call('session/get', {})).subject).toBe('vic');
    const { people, total, nextCursor } = await ada.call('person/listSuspended', { person: 'EVE' });
    expect([people, total, nextCursor]).toEqual([
      [{ ...the('eve'), name: 'Eve Editor', since: expect.any(String) }],
      1,
      null,
    ]);
    expect(await ada.call('person/resume', the('eve'))).toEqual({ resumed: true });
    expect((await key.call('session/get', {})).subject).toBe('eve');
    expect(await ada.call('person/resume', the('eve'))).toEqual({ resumed: false });
  });

  it('cannot sign in, and is told why, in the browser and at the desktop', async () => {
    await ada.call('person/suspend', the('pia'));
    const visitor = new Visitor();
    const page = await finishSignIn(`${app.origin}/api/auth/login`, 'pia', visitor);
    expect([page.status, await page.text()]).toEqual([
      403,
      expect.stringContaining('An administrator has suspended you'),
    ]);
    expect(visitor.cookie(app.origin, 'svc_session')).toBeUndefined();
    expect(await signInDesktop(app, 'pia').catch(String)).toContain('an administrator has suspended you');
    const { signIns } = await ada.call('signIn/list', { person: 'pia', result: 'refused' });
    expect(signIns).toMatchObject([{ subject: 'pia', code: 'person_suspended' }]);
    await ada.call('person/resume', the('pia'));
    expect((await (await clientOf('pia')).client.call('session/get', {})).subject).toBe('pia');
  });

  it('loses what they have open: sockets and transfers of sessions and of keys', async () => {
    const { client, credential } = await clientOf('dan');
    const { credential: apiKey } = await client.call('apiKey/create', { description: 'x', scope: SCOPE });
    const key = RpcClient.bearer(app.origin, apiKey);
    const at = { provider: 'main', bucket: 'files', key: 'large' };
    const up = await client.call('transfer/create', { ...at, direction: 'upload' });
    expect((await fetch(up.url, { method: 'PUT', body: new Uint8Array(16 * 2 ** 20) })).status).toBe(200);
    const downloads = await Promise.all(
      [client, key].map(async (each) =>
        RunningDownload.start((await each.call('transfer/create', { ...at, direction: 'download' })).url),
      ),
    );
    const sockets = await Promise.all(
      [credential, apiKey].map((bearer) =>
        RpcConnection.open(app.origin, { authorization: `Bearer ${bearer}`, origin: app.origin }),
      ),
    );
    await ada.call('person/suspend', the('dan'));
    for (const socket of sockets) expect(typeof socket === 'number' ? socket : await socket.closed).toBe(4001);
    for (const download of downloads) expect(await download.endWithin(0)).toBe('broken off');
    await ada.call('person/resume', the('dan'));
  });
});

describe('suspension', () => {
  it('is for administrators, and nobody suspends themselves', async () => {
    const { client } = await clientOf('eve');
    for (const method of ['person/suspend', 'person/resume'] as const)
      expect(await client.fails(method, the('vic'))).toMatchObject({ data: { code: 'admin_required' } });
    expect(await client.fails('person/listSuspended', {})).toMatchObject({ data: { code: 'admin_required' } });
    expect(await ada.fails('person/suspend', the('ada'))).toMatchObject({
      data: { code: 'invalid_request', detail: expect.stringContaining('you cannot suspend yourself') },
    });
    expect((await ada.call('person/listSuspended', {})).people).toEqual([]);
  });

  it('names everybody in pages, the latest first', async () => {
    const names = ['a', 'b', 'c'];
    for (const name of names) await ada.call('person/suspend', the(name));
    expect(await ada.call('person/listSuspended', { person: 'B' })).toMatchObject({ people: [{ name: 'b' }] });
    const first = await ada.call('person/listSuspended', { limit: 2 });
    expect([first.people.length, first.total]).toEqual([2, 3]);
    const rest = await ada.call('person/listSuspended', { limit: 2, cursor: first.nextCursor! });
    expect([...first.people, ...rest.people].map(({ subject }) => subject).sort()).toEqual(names);
    expect(rest.nextCursor).toBeNull();
    for (const name of names) await ada.call('person/resume', the(name));
  });

  it('needs a state database, and says so', async () => {
    const without = await startApp({
      config: ({ state: _state, s3: _s3, auth, ...config }) => ({
        ...config,
        auth: { ...(auth as object), api_keys: undefined },
      }),
    });
    try {
      const { access_token: credential } = await signInDesktop(without, 'ada');
      const client = RpcClient.bearer(without.origin, credential);
      for (const [method, params] of [
        ['person/suspend', the('eve')],
        ['person/resume', the('eve')],
        ['person/listSuspended', {}],
      ] as const)
        expect(await client.fails(method, params)).toMatchObject({
          data: { code: 'not_supported', detail: expect.stringContaining('without a state database') },
        });
      expect(without.logged()).not.toMatch(/"level":"error"/);
    } finally {
      await without.close();
    }
  });
});
