import { isIP } from 'node:net';
import { bucketFault } from '../../policy/model/name.ts';
import { compileTls } from './compile-tls.ts';
import type { Faults, Warn } from '../read/fault.ts';
import { endpointFault } from './origin.ts';
import type { Config } from '../schema/schema.ts';
import type { ServerSettings, StorageProviderSettings } from '../read/settings.ts';

/** Options of the command line that override values of the file. */
export type Overrides = {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly workers?: number | 'auto' | undefined;
};

export function compileServer({ server }: Config, overrides: Overrides, faults: Faults, warn: Warn): ServerSettings {
  const host = overrides.host ?? server.host;
  const port = overrides.port ?? server.port;
  const { base_path: basePath, trusted_proxies: trustedProxies, metrics } = server;
  if (/^\/(?:api|v1|rpc|assets)(?:\/|$)/.test(basePath))
    faults.add(
      'server.base_path',
      'must not begin with `/api`, `/v1`, `/rpc` or `/assets`, which are paths of the service itself',
    );
  trustedProxies.forEach((address, i) => {
    const path = `server.trusted_proxies.${i}`;
    if (!isAddressOrCidr(address))
      faults.add(path, `\`${address}\` is not an address or a CIDR such as \`10.0.0.0/8\``);
    else if (/\/0+$/.test(address)) warn(path, `\`${address}\` trusts every client to say what its address is`);
  });
  if (metrics !== undefined && metrics.port !== 0 && metrics.port === port && metrics.host === host) {
    faults.add('server.metrics.port', `the service itself listens on ${port}; metrics need another port or address`);
  }
  return {
    host,
    port,
    basePath,
    trustedProxies,
    signInPerMinute: server.rate_limit.sign_in_per_minute,
    metrics,
    workers: overrides.workers ?? (typeof server.workers === 'number' ? server.workers : 'auto'),
    reload: server.reload,
  };
}

function isAddressOrCidr(text: string): boolean {
  const [address = '', bits, rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** An address whose path could be the name of a bucket. Addresses of gateways, such as `/storage/v1/s3`, have more segments. */
const ONE_SEGMENT = /^https?:\/\/[^/]+\/[^/]+\/?$/i;
/** Of Amazon, except the endpoints in a private network, which begin with another name. */
const BUCKET_IN_FRONT = /^https?:\/\/(?![^/]*\.vpce-)[^/]+\.s3(?:\.|-\w+-\w+-\d\.)[^/]*amazonaws\.com/i;

export function compileProviders(
  config: Config,
  directory: string,
  faults: Faults,
  warn: Warn,
): StorageProviderSettings[] {
  const names = new Set<string>();
  if (config.providers.length === 0)
    warn('providers', 'no storage provider is configured, so there is nothing to browse');
  return config.providers.map((provider, i) => {
    const path = `providers.${i}`;
    if (names.has(provider.name)) faults.add(`${path}.name`, `another provider is named \`${provider.name}\` already`);
    names.add(provider.name);
    for (const member of ['endpoint', 'public_endpoint'] as const) {
      const url = provider[member];
      const fault = url === undefined ? undefined : endpointFault(url);
      if (fault !== undefined) faults.add(`${path}.${member}`, fault);
      else if (url !== undefined && ONE_SEGMENT.test(url))
        warn(
          `${path}.${member}`,
          'has a path, with which every request begins; if it is the name of a bucket, leave it out and write the bucket into `buckets`',
        );
      else if (url !== undefined && BUCKET_IN_FRONT.test(url))
        warn(
          `${path}.${member}`,
          'has the name of a bucket in front; leave it out and write the bucket into `buckets`',
        );
    }
    provider.buckets?.forEach((bucket, j) => {
      const fault = bucketFault(bucket);
      if (fault !== undefined) faults.add(`${path}.buckets.${j}`, `\`${bucket}\`: ${fault}`);
    });
    return settingsOf(provider, compileTls(provider.tls, `${path}.tls`, directory, faults));
  });
}

function settingsOf(provider: Config['providers'][number], ca: StorageProviderSettings['ca']): StorageProviderSettings {
  const { credentials } = provider;
  return {
    name: provider.name,
    type: provider.type,
    endpoint: provider.endpoint ?? `https://s3.${provider.region}.amazonaws.com`,
    region: provider.region,
    pathStyle: provider.path_style,
    dotSegments: provider.dot_segments,
    publicEndpoint: provider.public_endpoint,
    buckets: provider.buckets,
    credentials:
      credentials === undefined
        ? undefined
        : {
            accessKeyId: credentials.access_key_id,
            secretAccessKey: credentials.secret_access_key,
            sessionToken: credentials.session_token,
          },
    ca,
    connectTimeoutMs: provider.connect_timeout_seconds * 1000,
    idleTimeoutMs: provider.timeout_seconds * 1000,
  };
}
