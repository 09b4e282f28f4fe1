import { isIP } from 'node:net';
import { isBucketName, isProviderName } from '../policy/name.ts';
import type { Faults } from './fault.ts';
import { endpointFault } from './origin.ts';
import type { Config } from './schema.ts';
import type { ServerSettings, StorageProviderSettings } from './settings.ts';

/** What the command line says in place of the file. */
export type Overrides = { readonly host?: string | undefined; readonly port?: number | undefined };

export function compileServer(config: Config, overrides: Overrides, faults: Faults): ServerSettings {
  const server = config.server ?? {};
  const basePath = (server.base_path ?? '').replace(/\/$/, '');
  if (basePath !== '' && !/^(?:\/[A-Za-z0-9._~-]+)+$/.test(basePath)) faults.add('server.base_path', 'must be a path such as `/files`');
  if (/^\/(?:api|v1|rpc|assets)(?:\/|$)/.test(basePath)) faults.add('server.base_path', 'must not begin with `/api`, `/v1`, `/rpc` or `/assets`, which are paths of the service itself');
  const trustedProxies = server.trusted_proxies ?? [];
  trustedProxies.forEach((address, i) => {
    if (!isAddressOrCidr(address)) faults.add(`server.trusted_proxies.${i}`, `\`${address}\` is not an address or a CIDR such as \`10.0.0.0/8\``);
  });
  const metrics = server.metrics;
  return {
    host: overrides.host ?? server.host ?? '127.0.0.1',
    port: overrides.port ?? server.port ?? 8080,
    basePath,
    trustedProxies,
    signInPerMinute: server.rate_limit?.sign_in_per_minute ?? 600,
    metrics: metrics === undefined ? undefined : { host: metrics.host ?? '127.0.0.1', port: metrics.port },
  };
}

function isAddressOrCidr(text: string): boolean {
  const [address = '', bits, rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

export function compileProviders(config: Config, faults: Faults): StorageProviderSettings[] {
  const names = new Set<string>();
  return config.providers.map((provider, i) => {
    const path = `providers.${i}`;
    if (!isProviderName(provider.name)) faults.add(`${path}.name`, `\`${provider.name}\` must be letters, digits, \`.\`, \`_\` and \`-\`, at most 63`);
    if (names.has(provider.name)) faults.add(`${path}.name`, `another provider is named \`${provider.name}\` already`);
    names.add(provider.name);
    for (const member of ['endpoint', 'public_endpoint'] as const) {
      const url = provider[member];
      const fault = url === undefined ? undefined : endpointFault(url);
      if (fault !== undefined) faults.add(`${path}.${member}`, fault);
    }
    provider.buckets?.forEach((bucket, j) => {
      if (!isBucketName(bucket)) faults.add(`${path}.buckets.${j}`, `\`${bucket}\` is not a valid bucket name`);
    });
    if (provider.endpoint === undefined) faults.add(`${path}.endpoint`, 'is missing: the URL of the S3 endpoint, such as `https://s3.eu-central-1.amazonaws.com`');
    const credentials = provider.credentials;
    return {
      name: provider.name,
      type: 's3',
      endpoint: provider.endpoint ?? '',
      region: provider.region ?? 'us-east-1',
      pathStyle: provider.path_style ?? false,
      publicEndpoint: provider.public_endpoint,
      buckets: provider.buckets,
      credentials:
        credentials === undefined
          ? undefined
          : { accessKeyId: credentials.access_key_id, secretAccessKey: credentials.secret_access_key, sessionToken: credentials.session_token },
      connectTimeoutMs: (provider.connect_timeout_seconds ?? 5) * 1000,
      idleTimeoutMs: (provider.timeout_seconds ?? 30) * 1000,
    };
  });
}
