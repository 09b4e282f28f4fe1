import { setTimeout as wait } from 'node:timers/promises';
import { allOrNone } from './all-or-none.ts';
import { freePort } from './free-port.ts';
import { RedisServer } from './redis-server.ts';

const FORM_MS = 30_000;

/** What docs/operation.md tells operators to give the user of the service; its password is `pass-word`. */
export const SERVICE_USER =
  'ACL SETUSER service on >pass-word ~svc:* &svc:* -@all +@read +@write +@transaction +@pubsub +@connection +wait -@dangerous';

/** Redis servers of which one takes over when another one fails. */
export type RedisGroup = {
  /** The hosts to ask where the server is, with commas between them. */
  readonly hosts: string;
  /** Those that hold the service's keys: the one that takes changes, then its replica. */
  readonly holders: readonly [RedisServer, RedisServer];
  /** None in a Cluster. */
  readonly sentinels: readonly RedisServer[];
  close(): Promise<void>;
};

/** A server, a replica and three Sentinels, which take a silent server for down after one second. */
export function startSentinels(name: string, password: string): Promise<RedisGroup> {
  return allOrNone(async (parts) => {
    const started = async (server: Promise<RedisServer>) => {
      const running = await server;
      parts.defer(() => running.stop());
      return running;
    };
    const primary = await started(RedisServer.start('--repl-diskless-sync-delay', '0'));
    const replica = await started(RedisServer.start('--replicaof', '127.0.0.1', String(primary.port)));
    await until(async () => (await replica.ask('INFO replication')).includes('master_link_status:up'));
    for (const server of [primary, replica]) await server.ask(`${SERVICE_USER} +role`);
    const settings = [
      `sentinel monitor ${name} 127.0.0.1 ${primary.port} 2`,
      `sentinel down-after-milliseconds ${name} 1000`,
      `sentinel failover-timeout ${name} 5000`,
      `requirepass ${password}`,
      `sentinel sentinel-pass ${password}`,
    ];
    const sentinels = await Promise.all([1, 2, 3].map(() => started(RedisServer.startSentinel(...settings))));
    for (const sentinel of sentinels)
      await until(async () =>
        (await sentinel.ask(`AUTH ${password}\r\nINFO sentinel`)).includes(
          `name=${name},status=ok,address=127.0.0.1:${primary.port},slaves=1,sentinels=3`,
        ),
      );
    return {
      hosts: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
      holders: [primary, replica] as const,
      sentinels,
    };
  });
}

const SLOTS = ['0 5460', '5461 10922', '10923 16383'];

/** A Cluster of three, and a replica of the one that holds the keys with the service's tag. */
export function startRedisCluster(): Promise<RedisGroup> {
  return allOrNone(async (parts) => {
    const node = async () => {
      const bus = await freePort();
      const server = await RedisServer.start(
        '--cluster-enabled',
        'yes',
        '--cluster-port',
        String(bus),
        '--cluster-node-timeout',
        '1000',
        '--cluster-announce-ip',
        '127.0.0.1',
        '--repl-diskless-sync-delay',
        '0',
      );
      parts.defer(() => server.stop());
      return { server, bus };
    };
    const nodes = [await node(), await node(), await node()] as const;
    const replica = await node();
    for (const [i, { server }] of nodes.entries()) {
      await server.ask(`CLUSTER SET-CONFIG-EPOCH ${i + 1}`);
      await server.ask(`CLUSTER ADDSLOTSRANGE ${SLOTS[i]!}`);
    }
    for (const { server, bus } of [...nodes.slice(1), replica])
      await nodes[0].server.ask(`CLUSTER MEET 127.0.0.1 ${server.port} ${bus}`);
    const all = [...nodes.map(({ server }) => server), replica.server];
    for (const server of all)
      await until(async () => (await server.ask('CLUSTER INFO')).includes('cluster_known_nodes:4'));
    const slot = Number((await nodes[0].server.ask('CLUSTER KEYSLOT {svc}')).slice(1));
    const owner = nodes[Math.min(2, Math.floor(slot / 5461))]!.server;
    const id = (await owner.ask('CLUSTER MYID')).split('\r\n')[1]!;
    await until(async () => (await replica.server.ask(`CLUSTER REPLICATE ${id}`)).startsWith('+OK'));
    await until(async () => (await replica.server.ask('INFO replication')).includes('master_link_status:up'));
    for (const server of all) await until(async () => (await server.ask('CLUSTER INFO')).includes('cluster_state:ok'));
    for (const server of all)
      await server.ask(`${SERVICE_USER.replaceAll('svc:', '{svc}:')} +cluster|keyslot +cluster|slots`);
    const others = nodes.map(({ server }) => server).filter((server) => server !== owner);
    return {
      hosts: others.map(({ port }) => `127.0.0.1:${port}`).join(','),
      holders: [owner, replica.server] as const,
      sentinels: [],
    };
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + FORM_MS; performance.now() < end;) {
    if (await holds().catch(() => false)) return;
    await wait(50);
  }
  throw new Error(`the servers found no agreement within ${FORM_MS} ms`);
}
