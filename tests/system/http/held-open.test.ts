import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { RunningDownload, RunningUpload } from '../../support/running-transfer.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { openUploads } from '../../support/s3rver-gaps.ts';
import { startStubStorage, type StubStorage } from '../../support/stub-storage.ts';

const MIB = 2 ** 20;

let app: TestApp;
let stub: StubStorage;
let stalling: StubStorage;
let offset = 0;

beforeAll(async () => {
  stub = await startStubStorage();
  stalling = await startStubStorage({ stallAfter: MIB });
  const stubbed = (name: string, { url }: StubStorage) => ({
    name,
    type: 's3',
    endpoint: url,
    path_style: true,
    credentials: { access_key_id: 'x', secret_access_key: 'x' },
  });
  app = await startApp({
    now: () => Date.now() + offset,
    config: (config) => ({
      ...config,
      providers: [...(config['providers'] as object[]), stubbed('endless', stub), stubbed('stalling', stalling)],
    }),
  });
});
afterEach(() => void (offset = 0));
afterAll(async () => {
  await app.close();
  await stub.close();
  await stalling.close();
});

const big = { provider: 'endless', bucket: 'files', key: String(32 * MIB) };
const file = { provider: 'main', bucket: 'files', key: 'cut off' };
const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
const at = ({ provider, bucket, key }: typeof big) =>
  `${app.origin}/api/providers/${provider}/buckets/${bucket}/object?key=${encodeURIComponent(key)}`;
const leavesNothing = async () => {
  for (let i = 0; i < 50 && (await openUploads(app.s3.server.store, 'files')).length > 0; i += 1) await wait(100);
  return [await openUploads(app.s3.server.store, 'files'), await app.s3.server.store.existsObject('files', file.key)];
};

async function desktop(account: string) {
  const { access_token: credential } = await signInDesktop(app, account);
  const rpc = RpcClient.bearer(app.origin, credential);
  return {
    credential,
    rpc,
    signOut: () => fetch(`${app.origin}/v1/auth/logout`, { method: 'POST', headers: bearer(credential) }),
  };
}

async function web(account: string) {
  const visitor = await app.signIn(account);
  return {
    headers: { cookie: `svc_session=${visitor.cookie(app.origin, 'svc_session')!}` },
    signOut: () => visitor.request(`${app.origin}/api/auth/logout`),
  };
}

async function revoke(subject: string): Promise<void> {
  const ada = await app.signIn('ada');
  const { sessions } = (await (
    await ada.request(`${app.origin}/api/admin/sessions`, { headers: { accept: 'application/json' } })
  ).json()) as { sessions: { id: string; subject: string }[] };
  for (const { id } of sessions.filter((session) => session.subject === subject))
    await ada.request(`${app.origin}/api/admin/sessions/${id}`, { method: 'DELETE', headers: { origin: app.origin } });
}

const download = async (rpc: RpcClient) =>
  RunningDownload.start((await rpc.call('transfer/create', { ...big, direction: 'download' })).url);
const upload = async (rpc: RpcClient, bytes: number) =>
  RunningUpload.start((await rpc.call('transfer/create', { ...file, direction: 'upload' })).url, bytes);

describe('a download by ticket', () => {
  it('goes on while nothing ends', async () => {
    const { rpc } = await desktop('eve');
    const running = await download(rpc);
    expect(await running.endWithin(300)).toBe('whole');
  });

  it('breaks off when its session is signed out', async () => {
    const { rpc, signOut } = await desktop('eve');
    const running = await download(rpc);
    expect((await signOut()).status).toBe(200);
    expect(await running.endWithin(900)).toBe('broken off');
    expect(app.logged()).toMatch(/"operation":"object\/read","outcome":"failed","why":"session_ended"/);
  });

  it('breaks off when an administrator revokes its session', async () => {
    const running = await download((await desktop('vic')).rpc);
    await revoke('vic');
    expect(await running.endWithin(900)).toBe('broken off');
  });

  it('breaks off when its session expires', async () => {
    needsOneProcess('the test moves the clock');
    const { rpc } = await desktop('eve');
    offset = 28_800_000 - 3_000;
    const running = await download(rpc);
    await wait(2_000);
    expect(await running.endWithin(1_900)).toBe('broken off');
  });

  it('breaks off when its API key is revoked, rotated or narrowed, or expires', async () => {
    const { rpc } = await desktop('eve');
    const scope = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } as const;
    const started = async (expiresAt: string | null = null) => {
      const { key, credential } = await rpc.call('apiKey/create', { description: 'transfers', scope, expiresAt });
      return { id: key.id, running: await download(RpcClient.bearer(app.origin, credential)) };
    };
    const [revoked, rotated, narrowed, expired, kept] = [
      await started(),
      await started(),
      await started(),
      await started(new Date(Date.now() + 2_000).toISOString()),
      await started(),
    ];
    await rpc.call('apiKey/revoke', { id: revoked.id });
    await rpc.call('apiKey/rotate', { id: rotated.id });
    await rpc.call('apiKey/replaceScope', {
      id: narrowed.id,
      scope: { rules: [{ actions: ['buckets:read'], resources: [{ type: 'all' }] }] },
    });
    await wait(1_500);
    expect(
      await Promise.all([revoked, rotated, narrowed, expired].map(({ running }) => running.endWithin(1_400))),
    ).toEqual(Array.from({ length: 4 }, () => 'broken off'));
    expect(await kept.running.endWithin(0)).toBe('whole');
  });
});

describe('an upload by ticket', () => {
  it.each([1_000, 12 * MIB])(
    'of twice %i bytes is cut off when its session ends, and leaves nothing',
    async (bytes) => {
      const { rpc, signOut } = await desktop('eve');
      const running = await upload(rpc, bytes);
      await signOut();
      expect(await running.isCutWithin(1_000)).toBe(true);
      expect(await leavesNothing()).toEqual([[], false]);
      expect(app.logged()).not.toMatch(/"level":"error"/);
    },
  );

  it('is cut off when an administrator revokes its session', async () => {
    const running = await upload((await desktop('dan')).rpc, 12 * MIB);
    await revoke('dan');
    expect(await running.isCutWithin(1_000)).toBe(true);
    expect(await leavesNothing()).toEqual([[], false]);
  });
});

describe('a transfer with the cookie', () => {
  it('breaks off when its session is signed out: a download, and an archive', async () => {
    const { headers, signOut } = await web('ada');
    const one = await RunningDownload.start(at(big), { headers });
    const archive = await RunningDownload.start(`${app.origin}/api/providers/endless/buckets/files/archive`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ keys: [big.key, String(30 * MIB)] }),
    });
    await signOut();
    expect([await one.endWithin(900), await archive.endWithin(0)]).toEqual(['broken off', 'broken off']);
  });

  it('is cut off when its session is revoked: an upload, and a part of one', async () => {
    const { headers } = await web('dan');
    const begun = await fetch(`${app.origin}/api/providers/main/buckets/files/uploads`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'in parts' }),
    });
    const { id } = (await begun.json()) as { id: string };
    const parts = `${app.origin}/api/providers/main/buckets/files/uploads/${encodeURIComponent(id)}`;
    const whole = await RunningUpload.start(at(file), 1_000, headers);
    const part = await RunningUpload.start(`${parts}/parts/1?key=in%20parts`, 1_000, headers);
    await revoke('dan');
    expect([await whole.isCutWithin(1_000), await part.isCutWithin(1_000)]).toEqual([true, true]);
    const again = await web('dan');
    expect(await (await fetch(`${parts}?key=in%20parts`, { headers: again.headers })).json()).toEqual({ parts: [] });
    await fetch(`${parts}?key=in%20parts`, { method: 'DELETE', headers: again.headers });
    expect(await leavesNothing()).toEqual([[], false]);
  });

  it('is cut off when its session is signed out: a copy from one provider to another, which passes through the service', async () => {
    const { headers, signOut } = await web('eve');
    const body = JSON.stringify({ key: big.key, to: { provider: file.provider, bucket: file.bucket, key: file.key } });
    const { sent } = stalling;
    const copied = fetch(`${app.origin}/api/providers/stalling/buckets/files/objects/copy`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    }).then(
      ({ status }) => status,
      () => 'cut',
    );
    while (stalling.sent < sent + MIB) await wait(20);
    await signOut();
    expect(await Promise.race([copied, wait(1_000, 'goes on', { ref: false })])).toBe('cut');
    expect(await leavesNothing()).toEqual([[], false]);
  });

  it('stays when another session of the same person ends', async () => {
    const [kept, ended] = [await web('eve'), await web('eve')];
    const running = await RunningDownload.start(at(big), { headers: kept.headers });
    await ended.signOut();
    expect(await running.endWithin(300)).toBe('whole');
  });

  it('lets go of the watch when it ends, so that a kept connection goes on', async () => {
    const { headers, signOut } = await web('eve');
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const small = { ...big, key: '1000' };
    for (let i = 0; i < 3; i += 1)
      expect(await (await RunningDownload.start(at(small), { headers, agent })).endWithin(0)).toBe('whole');
    await signOut();
    const health = await RunningDownload.start(`${app.origin}/api/health`, { agent });
    expect([await health.endWithin(0), health.reusedConnection]).toEqual(['whole', true]);
    agent.destroy();
  });
});
