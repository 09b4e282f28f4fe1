import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { StorageProviderOptions } from '../../src/storage/provider.ts';
import { freePorts } from './free-port.ts';
import { missingPrograms, Programs } from './programs.ts';

/** OpenStack Swift with its S3 face. */
export type Swift = { readonly options: StorageProviderOptions; close(): Promise<void> };

const SERVERS = ['account', 'container', 'object', 'proxy'] as const;
type Ports = Readonly<Record<(typeof SERVERS)[number], number>>;

export const missingForSwift = missingPrograms(
  'memcached',
  ...SERVERS.map((server) => `swift-${server}-server`),
  '/usr/lib/python3/dist-packages/swift/common/middleware/s3api',
);

/** Starts Debian's Swift on loopback: one node, one replica. */
export async function startSwift(): Promise<Swift> {
  const programs = await Programs.open('swift');
  try {
    const { directory } = programs;
    const [account = 0, container = 0, object = 0, proxy = 0, log = 0, cache = 0] = await freePorts(6);
    const ports: Ports = { account, container, object, proxy };
    const secret = randomBytes(16).toString('hex');
    for (const folder of ['etc', 'run', 'srv', 'srv/d1']) await mkdir(join(directory, folder));
    await writeFile(
      join(directory, 'etc/swift.conf'),
      '[swift-hash]\nswift_hash_path_suffix = tests\n[storage-policy:0]\nname = Policy-0\ndefault = yes\n',
    );
    for (const server of SERVERS) {
      const rest = server === 'proxy' ? proxyPipeline(secret, cache) : storePipeline(server, directory);
      await writeFile(join(directory, `etc/${server}.conf`), head(directory, ports[server], log) + rest);
    }
    makeRings(directory, ports);
    programs.start('memcached', 'memcached', [
      '-u',
      userInfo().username,
      '-l',
      '127.0.0.1',
      '-p',
      String(cache),
      '-m',
      '16',
    ]);
    for (const server of SERVERS)
      programs.start(server, `swift-${server}-server`, [join(directory, `etc/${server}.conf`), '-v']);
    const url = `http://127.0.0.1:${proxy}`;
    for (const port of [account, container, object])
      await programs.until(
        'a server of swift',
        async () => (await fetch(`http://127.0.0.1:${port}/recon/version`)).status > 0,
      );
    await programs.until('swift', async () => (await fetch(`${url}/healthcheck`)).ok);
    return {
      options: {
        name: 'swift',
        type: 's3',
        endpoint: url,
        region: 'us-east-1',
        pathStyle: true,
        credentials: { accessKeyId: 'svc:storage', secretAccessKey: secret },
        connectTimeoutMs: 1000,
        idleTimeoutMs: 10_000,
      },
      close: () => programs.stop(),
    };
  } catch (error) {
    await programs.stop();
    throw error;
  }
}

/** Its log goes to the console, and, in place of syslog, to a port where nobody listens. */
function head(directory: string, port: number, logPort: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${directory}/etc
log_udp_host = 127.0.0.1
log_udp_port = ${logPort}
`;
}

function storePipeline(server: string, directory: string): string {
  return `devices = ${directory}/srv
mount_check = false
recon_cache_path = ${directory}/run
recon_lock_path = ${directory}/run
[pipeline:main]
pipeline = ${server}-server
[app:${server}-server]
use = egg:swift#${server}
`;
}

function proxyPipeline(secret: string, cachePort: number): string {
  const plain = [
    'catch_errors',
    'gatekeeper',
    'healthcheck',
    'listing_formats',
    'bulk',
    'copy',
    'slo',
    'dlo',
    'symlink',
    'versioned_writes',
  ];
  return `[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
[filter:tempauth]
use = egg:swift#tempauth
user_svc_storage = ${secret} .admin
${plain.map((filter) => `[filter:${filter}]\nuse = egg:swift#${filter}\n`).join('')}`;
}

function makeRings(directory: string, { account, container, object }: Ports): void {
  const program = `
import json, sys
from swift.common.ring import RingBuilder
for name, port in json.loads(sys.argv[2]).items():
    ring = RingBuilder(4, 1, 0)
    ring.add_dev({'id': 0, 'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'd1', 'weight': 1.0, 'meta': '',
                  'replication_ip': '127.0.0.1', 'replication_port': port})
    ring.rebalance()
    ring.get_ring().save('%s/etc/%s.ring.gz' % (sys.argv[1], name))
`;
  const { status, stderr } = spawnSync(
    '/usr/bin/python3',
    ['-c', program, directory, JSON.stringify({ account, container, object })],
    { encoding: 'utf8', cwd: directory },
  );
  if (status !== 0) throw new Error(`the rings of swift could not be made: ${stderr}`);
}
