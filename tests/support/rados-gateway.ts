import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StorageProviderOptions } from '../../src/storage/provider.ts';
import { freePorts } from './free-port.ts';
import { missingPrograms, Programs } from './programs.ts';

const run = promisify(execFile);

/** The S3 face of Ceph, which reads requests otherwise than Amazon in several places. */
export type RadosGateway = {
  readonly options: StorageProviderOptions & { readonly credentials: Credentials };
  /** The same as a provider of the configuration, named `main`. */
  readonly provider: ReturnType<typeof providerAt>;
  /** A bucket, as rclone takes it on its command line. */
  rclone(bucket: string): string;
  /** Runs `radosgw-admin`; returns what it prints. */
  administer(...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
};

export const missingForRadosGateway = missingPrograms(
  'radosgw',
  'radosgw-admin',
  'ceph-mon',
  'ceph-osd',
  'ceph',
  'ceph-authtool',
  'monmaptool',
);

/** Starts Debian's Ceph on loopback, in about 15 seconds: one monitor, one store that keeps everything in memory, and the gateway. */
export async function startRadosGateway(): Promise<RadosGateway> {
  const programs = await Programs.open('rgw');
  try {
    const { directory } = programs;
    const [port = 0, monitor = 0, oldMonitor = 0] = await freePorts(3);
    for (const folder of ['mon', 'osd', 'run', 'log', 'rgw']) await mkdir(join(directory, folder));
    const [cluster, store] = [randomUUID(), randomUUID()];
    const addresses = `[v2:127.0.0.1:${monitor},v1:127.0.0.1:${oldMonitor}]`;
    await writeFile(join(directory, 'ceph.conf'), configuration({ directory, cluster, addresses, port }));
    const keyring = join(directory, 'keyring');
    const config = ['-c', join(directory, 'ceph.conf')];
    const call = (program: string, ...args: readonly string[]) =>
      run(program, args, { cwd: directory, env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` } });

    await call('monmaptool', '--create', '--fsid', cluster, '--addv', 'a', addresses, 'monmap');
    await call('ceph-authtool', '--create-keyring', keyring, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *');
    await call(
      'ceph-authtool',
      keyring,
      '--gen-key',
      '-n',
      'client.admin',
      '--cap',
      'mon',
      'allow *',
      '--cap',
      'osd',
      'allow *',
      '--cap',
      'mgr',
      'allow *',
    );
    await call('ceph-mon', ...config, '--mkfs', '-i', 'a', '--monmap', 'monmap', '--keyring', keyring);
    programs.start('the monitor', 'ceph-mon', [...config, '-f', '-i', 'a']);
    await programs.until(
      'the monitor',
      async () => (await call('ceph', ...config, '--connect-timeout', '2', 'osd', 'new', store)).stdout.trim() === '0',
    );
    const { stdout: key } = await call(
      'ceph',
      ...config,
      'auth',
      'get-or-create',
      'osd.0',
      'mon',
      'allow profile osd',
      'mgr',
      'allow profile osd',
      'osd',
      'allow *',
    );
    await appendFile(keyring, key);
    await call('ceph-osd', ...config, '-i', '0', '--mkfs', '--osd-uuid', store);
    programs.start('the store', 'ceph-osd', [...config, '-f', '-i', '0']);
    await programs.until('the store', async () =>
      (await call('ceph', ...config, 'osd', 'stat')).stdout.includes('1 up'),
    );
    const credentials = { accessKeyId: 'SVCTESTS', secretAccessKey: randomBytes(16).toString('hex') };
    await call(
      'radosgw-admin',
      ...config,
      'user',
      'create',
      '--uid=svc',
      '--display-name=svc',
      `--access-key=${credentials.accessKeyId}`,
      `--secret-key=${credentials.secretAccessKey}`,
    );
    // A class other than the default, which a write can lose.
    const ofClass = ['--placement-id=default-placement', '--storage-class=STANDARD_IA'];
    await call('radosgw-admin', ...config, 'zonegroup', 'placement', 'add', '--rgw-zonegroup=default', ...ofClass);
    const pool = '--data-pool=default.rgw.infrequent.data';
    await call('radosgw-admin', ...config, 'zone', 'placement', 'add', '--rgw-zone=default', ...ofClass, pool);
    programs.start('the gateway', 'radosgw', [...config, '-f', '-n', 'client.admin']);
    const url = `http://127.0.0.1:${port}`;
    await programs.until('the gateway', async () => (await fetch(url)).ok);
    const region = 'us-east-1';
    return {
      provider: providerAt(url, region, credentials),
      rclone: (bucket) =>
        `:s3,provider=Ceph,list_version=2,access_key_id=${credentials.accessKeyId},secret_access_key=${credentials.secretAccessKey},endpoint='${url}':${bucket}`,
      administer: async (...args) => (await call('radosgw-admin', ...config, ...args)).stdout,
      options: {
        name: 'ceph',
        type: 's3',
        endpoint: url,
        region,
        pathStyle: true,
        dotSegments: 'keep',
        credentials,
        connectTimeoutMs: 5_000,
        idleTimeoutMs: 30_000,
      },
      close: () => programs.stop(),
    };
  } catch (error) {
    await programs.stop();
    throw error;
  }
}

type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };

function providerAt(endpoint: string, region: string, { accessKeyId, secretAccessKey }: Credentials) {
  const credentials = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
  return { name: 'main', type: 's3', endpoint, region, path_style: true, credentials };
}

type Setup = {
  readonly directory: string;
  readonly cluster: string;
  readonly addresses: string;
  readonly port: number;
};

function configuration({ directory, cluster, addresses, port }: Setup): string {
  return `[global]
fsid = ${cluster}
mon host = ${addresses}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
osd objectstore = memstore
memstore device bytes = 2147483648
run dir = ${directory}/run
admin socket = ${directory}/run/$name.asok
pid file = ${directory}/run/$name.pid
log file = ${directory}/log/$name.log
mon data = ${directory}/mon
osd data = ${directory}/osd
rgw data = ${directory}/rgw
keyring = ${directory}/keyring
[client.admin]
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw enable usage log = false
rgw enable gc threads = false
rgw dns name = localhost
`;
}
