import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { FolderWatcher } from '../../support/folder-watcher.ts';
import { PostgresServer, urlOf } from '../../support/postgres-server.ts';
import { connectionToEach } from '../../support/worker-connections.ts';
import { startWorkersService, type WorkersService } from '../../support/workers-service.ts';

const FILES = '/api/providers/main/buckets/files';

async function put(origin: string, key: string, credential: string): Promise<void> {
  const headers = { authorization: `Bearer ${credential}` };
  const answer = await fetch(`${origin}${FILES}/object?key=${encodeURIComponent(key)}`, {
    method: 'PUT',
    body: 'x',
    headers,
  });
  expect(answer.status).toBeLessThan(300);
}

function instancesContract(name: string, start: () => Promise<Cluster>): void {
  describe(name, () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await start();
    });
    afterAll(() => cluster.close());

    it('tell the clients of each of a change on either, and only those who may list the key', async () => {
      const credentialOf = async (account: string) => (await signInDesktop(cluster, account)).access_token;
      const [ada, dan] = [await credentialOf('ada'), await credentialOf('dan')];
      const open = (instance: string, credential: string) => FolderWatcher.open(instance, credential, cluster.origin);
      const watchers = await Promise.all(
        cluster.instances.map(async (instance) => ({ ada: await open(instance, ada), dan: await open(instance, dan) })),
      );
      const watches = await Promise.all(
        watchers.map(async (each) => ({ ada: await each.ada.watch(''), dan: await each.dan.watch('') })),
      );
      for (const [i, instance] of cluster.instances.entries()) {
        await put(instance, `secret/${i}`, ada);
        await Promise.all(watchers.map((each, at) => each.ada.hears(watches[at]!.ada, i + 1)));
      }
      for (const each of watchers) await each.dan.connection.call('session/get');
      expect(watchers.flatMap((each) => each.dan.told)).toEqual([]);
      for (const instance of cluster.instances) {
        // Long names, of which one takes six times its bytes as JSON.
        const long = ['\u0001', 'ü'].map((character) => Array<string>(4).fill(character.repeat(100)).join('/'));
        await Promise.all([...long, 'plain'].map((key) => put(instance, key, ada)));
        await Promise.all(watchers.map((each, at) => each.dan.hears(watches[at]!.dan, each.dan.told.length + 1)));
      }
      await Promise.all(watchers.flatMap((each) => [each.ada.close(), each.dan.close()]));
    });
  });
}

instancesContract('two instances with one Redis', () => startCluster());

describePostgres('PostgreSQL', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterAll(() => postgres.stop());

  instancesContract('two instances with one PostgreSQL', async () =>
    startCluster({ shared: { state: { url: urlOf(await postgres.database()) }, session: { type: 'database' } } }),
  );
});

describe('two workers', () => {
  let service: WorkersService;
  beforeAll(async () => {
    service = await startWorkersService(2);
  });
  afterAll(() => service.close());

  it('tell the clients of each of a change on either', async () => {
    const ada = (await signInDesktop(service, 'ada')).access_token;
    // The kernel gives connections to the workers: of so many, usually both get some.
    const watchers = await Promise.all(Array.from({ length: 12 }, () => FolderWatcher.open(service.origin, ada)));
    await Promise.all(watchers.map((watcher) => watcher.watch('watched/')));
    for (const [i, worker] of (await connectionToEach(service)).entries()) {
      expect(await worker.ask(`${FILES}/object?key=watched%2F${i}`, ada, { method: 'PUT', body: {} })).toBeLessThan(
        300,
      );
      await Promise.all(watchers.map((watcher) => watcher.hears('1', i + 1)));
      worker.close();
    }
    await Promise.all(watchers.map((watcher) => watcher.close()));
  });
});
