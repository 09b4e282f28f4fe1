import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { finishSignIn } from '../../support/app.ts';
import { SIGN_INS_PER_MINUTE, startCluster, type Cluster } from '../../support/cluster.ts';
import { desktopAttempt, desktopCode, exchangeCode, signInDesktop } from '../../support/desktop-client.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { PostgresServer, urlOf } from '../../support/postgres-server.ts';
import { RpcClient, RpcConnection } from '../../support/rpc-client.ts';
import { RunningDownload, RunningUpload } from '../../support/running-transfer.ts';
import { signInAt, signOutAt, Visitor } from '../../support/visitor.ts';

const me = async (visitor: Visitor, at: string) =>
  (
    (await (await visitor.request(`${at}/api/auth/me`, { headers: { accept: 'application/json' } })).json()) as {
      subject: string;
    }
  ).subject;

type Sharing = { readonly cluster: Cluster; close(): Promise<void> };

/** What instances do that share their sessions, in whatever. */
function instancesContract(name: string, start: () => Promise<Sharing>): void {
  describe(name, () => {
    let sharing: Sharing;
    let cluster: Cluster;

    beforeAll(async () => {
      sharing = await start();
      ({ cluster } = sharing);
    });
    afterAll(() => sharing.close());

    it('finish a sign-in that the other began, again and again', async () => {
      for (let round = 0; round < 4; round += 1) {
        const visitor = new Visitor();
        const answer = await finishSignIn(`${cluster.origin}/api/auth/login`, 'dan', visitor);
        expect(answer.status).toBe(303);
        expect([await me(visitor, cluster.origin), await me(visitor, cluster.origin)]).toEqual(['dan', 'dan']);
      }
    });

    it('use a callback once, whichever of them gets it', async () => {
      const visitor = new Visitor();
      const begun = await visitor.request(`${cluster.origin}/api/auth/login`);
      const callback = await signInAt(begun.headers.get('location') ?? '', { account: 'dan', visitor });
      const login = `svc_login=${visitor.cookie(cluster.origin, 'svc_login')!}`;
      const statuses = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          fetch(callback.replace(cluster.origin, cluster.instances[i % 2]!), {
            headers: { cookie: login },
            redirect: 'manual',
          }).then(({ status }) => status),
        ),
      );
      expect(statuses.filter((status) => status === 303)).toHaveLength(1);
      expect(statuses.filter((status) => status === 401)).toHaveLength(19);
    });

    it('exchange a desktop code that the other gave, once; using it again ends the session that it made', async () => {
      const attempt = desktopAttempt(cluster.origin);
      const code = (await desktopCode(cluster.origin, 'dan', attempt)).get('code') ?? '';
      const [one, two] = cluster.instances as [string, string];
      const first = await exchangeCode(one, attempt, code);
      const { access_token: credential } = (await first.json()) as { access_token: string };
      const session = () => fetch(`${two}/v1/auth/session`, { headers: { authorization: `Bearer ${credential}` } });
      expect([first.status, (await session()).status]).toEqual([200, 200]);
      expect((await exchangeCode(two, attempt, code)).status).toBe(400);
      expect((await session()).status).toBe(401);
    });

    it('take tickets that the other made', async () => {
      const { access_token: credential } = await signInDesktop(cluster, 'ada');
      const [one, two] = cluster.instances.map((instance) => RpcClient.bearer(instance, credential)) as [
        RpcClient,
        RpcClient,
      ];
      const file = { provider: 'main', bucket: 'files', key: 'shared.txt' };
      const up = await one.call('transfer/create', { ...file, direction: 'upload' });
      expect(
        (await fetch(up.url.replace(cluster.origin, cluster.instances[1]!), { method: 'PUT', body: 'shared' })).status,
      ).toBe(200);
      const down = await two.call('transfer/create', { ...file, direction: 'download' });
      expect(await (await fetch(down.url.replace(cluster.origin, cluster.instances[0]!))).text()).toBe('shared');
    });

    it('close a socket when the other signs its session out', async () => {
      const { access_token: credential } = await signInDesktop(cluster, 'dan');
      const headers = { authorization: `Bearer ${credential}` };
      const connection = await RpcConnection.open(cluster.instances[0]!, { ...headers, origin: cluster.origin });
      if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
      expect((await fetch(`${cluster.instances[1]!}/v1/auth/logout`, { method: 'POST', headers })).status).toBeLessThan(
        300,
      );
      const since = performance.now();
      expect(await connection.closed).toBe(4001);
      expect(performance.now() - since).toBeLessThan(5_000);
    });

    it('cut off transfers by ticket when the other signs their session out', async () => {
      const { access_token: credential } = await signInDesktop(cluster, 'ada');
      const [here, there] = cluster.instances as [string, string];
      const rpc = RpcClient.bearer(here, credential);
      const ticket = async (direction: 'download' | 'upload', key: string) =>
        (await rpc.call('transfer/create', { provider: 'main', bucket: 'files', key, direction })).url.replace(
          cluster.origin,
          here,
        );
      expect(
        (await fetch(await ticket('upload', 'large'), { method: 'PUT', body: new Uint8Array(32 * 2 ** 20) })).status,
      ).toBe(200);
      const download = await RunningDownload.start(await ticket('download', 'large'));
      const upload = await RunningUpload.start(await ticket('upload', 'cut off'), 1_000);
      await fetch(`${there}/v1/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${credential}` } });
      expect(await upload.isCutWithin(5_000)).toBe(true);
      expect(await download.endWithin(5_000)).toBe('broken off');
      const { access_token: again } = await signInDesktop(cluster, 'ada');
      expect(
        (
          await RpcClient.bearer(there, again).fails('object/head', {
            provider: 'main',
            bucket: 'files',
            key: 'cut off',
          })
        ).code,
      ).toBe(-32004);
    });

    it('cut off transfers and sockets of an API key when the other rotates it', async () => {
      const [here, there] = cluster.instances as [string, string];
      const ada = RpcClient.bearer(there, (await signInDesktop(cluster, 'ada')).access_token);
      const scope = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } as const;
      const { key, credential } = await ada.call('apiKey/create', { description: 'transfers', scope });
      const { url } = await RpcClient.bearer(here, credential).call('transfer/create', {
        provider: 'main',
        bucket: 'files',
        key: 'large',
        direction: 'download',
      });
      const connection = await RpcConnection.open(here, {
        authorization: `Bearer ${credential}`,
        origin: cluster.origin,
      });
      if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
      const download = await RunningDownload.start(url.replace(cluster.origin, here));
      // Another change of the database is none of the key's.
      await ada.call('apiKey/create', { description: 'another', scope });
      await wait(1_000);
      expect(await connection.call('session/get')).toMatchObject({ result: { kind: 'apiKey' } });
      await ada.call('apiKey/rotate', { id: key.id });
      const since = performance.now();
      expect(await connection.closed).toBe(4001);
      expect(performance.now() - since).toBeLessThan(5_000);
      expect(await download.endWithin(0)).toBe('broken off');
    });

    it('end what the identity provider ends, on both, with sockets; a token that one took the other refuses', async () => {
      const [here, there] = cluster.instances as [string, string];
      const visitor = new Visitor();
      await finishSignIn(`${cluster.origin}/api/auth/login`, 'eve', visitor);
      const cookie = `svc_session=${visitor.cookie(cluster.origin, 'svc_session')!}`;
      const sockets = await Promise.all(
        [here, there].map((instance) => RpcConnection.open(instance, { cookie, origin: cluster.origin })),
      );
      const isIn = (instance: string) =>
        fetch(`${instance}/v1/auth/session`, { headers: { cookie } }).then(({ status }) => status === 200);
      expect([await isIn(here), await isIn(there)]).toEqual([true, true]);
      await signOutAt(`${cluster.issuer}/session/end`, visitor);
      const since = performance.now();
      expect(await Promise.all(sockets.map((socket) => (socket as RpcConnection).closed))).toEqual([4001, 4001]);
      expect(performance.now() - since).toBeLessThan(5_000);
      expect([await isIn(here), await isIn(there)]).toEqual([false, false]);

      const { access_token: credential } = await signInDesktop(cluster, 'eve');
      const now = Math.floor(Date.now() / 1000);
      const token = await cluster.idp.signed({
        iss: cluster.issuer,
        aud: 'svc',
        iat: now,
        exp: now + 60,
        jti: randomUUID(),
        sub: 'eve',
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      });
      const tell = (instance: string) =>
        fetch(`${instance}/v1/auth/backchannel-logout`, {
          method: 'POST',
          body: new URLSearchParams({ logout_token: token }),
        }).then(({ status }) => status);
      expect(await tell(here)).toBe(200);
      expect(
        (await fetch(`${here}/v1/auth/session`, { headers: { authorization: `Bearer ${credential}` } })).status,
      ).toBe(401);
      expect([await tell(there), await tell(here)]).toEqual([400, 400]);
    });

    it('show sign-ins of all', async () => {
      const [here, there] = cluster.instances as [string, string];
      await signInDesktop({ origin: cluster.origin }, 'pia');
      const { access_token: credential } = await signInDesktop(cluster, 'ada');
      const seen = await Promise.all(
        [here, there].map((instance) => RpcClient.bearer(instance, credential).call('signIn/list', { person: 'pia' })),
      );
      expect(seen.map(({ total }) => total)).toEqual([1, 1]);
    });

    it('count the sign-in requests of an address together', async () => {
      const ask = (i: number) =>
        fetch(`${cluster.instances[i % 2]!}/api/auth/login`, {
          redirect: 'manual',
          headers: { 'x-forwarded-for': '203.0.113.9' },
        }).then(({ status }) => status);
      let taken = 0;
      // A minute may end meanwhile, and counting begins again.
      while (taken <= 2 * SIGN_INS_PER_MINUTE && (await ask(taken)) === 303) taken += 1;
      expect(taken).toBeGreaterThanOrEqual(SIGN_INS_PER_MINUTE);
      expect(taken).toBeLessThan(2 * SIGN_INS_PER_MINUTE);
      expect([await ask(0), await ask(1)]).toEqual([429, 429]);
    });

    it('sign nobody out when one of them is killed', async () => {
      const visitor = new Visitor();
      await finishSignIn(`${cluster.origin}/api/auth/login`, 'vic', visitor);
      await cluster.kill(0);
      for (let i = 0; i < 6; i += 1) expect(await me(visitor, cluster.origin)).toBe('vic');
    });
  });
}

instancesContract('two instances behind nginx with one Redis', async () => {
  const cluster = await startCluster();
  return { cluster, close: () => cluster.close() };
});

describePostgres('PostgreSQL', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterAll(() => postgres.stop());

  const startOnPostgres = async () => {
    const cluster = await startCluster({
      shared: { state: { url: urlOf(await postgres.database()) }, session: { type: 'database' } },
    });
    return { cluster, close: () => cluster.close() };
  };

  instancesContract('two instances behind nginx with one PostgreSQL and nothing else', startOnPostgres);

  describe('two instances that PostgreSQL cannot notify', () => {
    let sharing: Sharing;
    const closing = new AbortController();
    let cutting: Promise<void>;
    let cuts = 0;

    beforeAll(async () => {
      sharing = await startOnPostgres();
      const cut = async () => {
        while (!closing.signal.aborted) {
          cuts += (
            await postgres.sql(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc listening'`,
            )
          ).length;
          await wait(20);
        }
      };
      cutting = cut();
    });
    afterAll(async () => {
      closing.abort();
      await cutting;
      await sharing.close();
    });

    it('take a key that the other made at once, and none that it revoked or rotated; a session that was signed out ends on both', async () => {
      const [here, there] = sharing.cluster.instances as [string, string];
      const { access_token: credential } = await signInDesktop(sharing.cluster, 'ada');
      const scope = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } as const;
      const ada = RpcClient.bearer(here, credential);
      const statusOf = async (instance: string, bearer: string) =>
        (
          await RpcClient.bearer(instance, bearer).send(
            JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session/get' }),
          )
        ).status;
      const ended = async (bearer: string) => {
        for (const end = performance.now() + 5_000; performance.now() < end;) {
          if ((await statusOf(here, bearer)) === 401 && (await statusOf(there, bearer)) === 401) return true;
          await wait(20);
        }
        return false;
      };
      for (let round = 0; round < 3; round += 1) {
        const { key, credential: first } = await ada.call('apiKey/create', { description: 'two instances', scope });
        expect([await statusOf(here, first), await statusOf(there, first)]).toEqual([200, 200]);
        const { credential: second } = await RpcClient.bearer(there, credential).call('apiKey/rotate', { id: key.id });
        expect(await ended(first)).toBe(true);
        expect([await statusOf(here, second), await statusOf(there, second)]).toEqual([200, 200]);
        await ada.call('apiKey/revoke', { id: key.id });
        expect(await ended(second)).toBe(true);
      }
      const connection = await RpcConnection.open(there, {
        authorization: `Bearer ${credential}`,
        origin: sharing.cluster.origin,
      });
      if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
      await fetch(`${here}/v1/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${credential}` } });
      expect(await Promise.race([connection.closed, wait(5_000, undefined, { ref: false })])).toBe(4001);
      expect(await ended(credential)).toBe(true);
      expect(cuts).toBeGreaterThan(10);
    });
  });
});
