import type { Faults, Warn } from '../read/fault.ts';
import type { AuthSettings, RedisSettings } from '../read/settings.ts';
import type { Config } from '../schema/schema.ts';
import { compileClientTls } from './compile-tls.ts';

/** `directory` is the base of relative paths. */
type SessionContext = { readonly directory: string; readonly faults: Faults; readonly warn: Warn };

export function compileSession(config: Config, context: SessionContext): AuthSettings['session'] {
  const { faults, warn } = context;
  const { type, ttl_seconds: ttlSeconds, capacity, per_subject: perSubject } = config.auth.session;
  if (type === 'database' && config.state === undefined)
    faults.add('state.path', 'is missing: `auth.session.type: database` keeps sessions in the state database');
  if (type === 'redis' && config.auth.api_keys !== undefined && config.state?.url === undefined) {
    warn(
      'auth.api_keys',
      'keys are kept in the state database of this machine; instances elsewhere, which share the sessions in Redis, do not know them; `state.url` names a database for all',
    );
  }
  if (config.auth.enabled && type === 'memory' && config.state !== undefined)
    warn(
      'auth.session.type',
      '`memory` signs everybody out at each restart, although there is a state database; set `database`',
    );
  if (!config.auth.enabled && type !== 'memory')
    warn('auth.session', 'without `auth.enabled: true` there are no sessions');
  return { type, ttlSeconds, capacity, perSubject, redis: compileRedis(config.auth.session, context) };
}

function compileRedis(
  { type, url, tls, sentinel, cluster }: Config['auth']['session'],
  { directory, faults }: SessionContext,
): RedisSettings | undefined {
  const path = 'auth.session.url';
  if (type === 'redis' && url === undefined)
    faults.add(path, 'is missing: `redis` needs the URL of its server', 'auth.session.type');
  if (type !== 'redis' && url !== undefined)
    faults.add(path, `belongs to \`auth.session.type: redis\`; the type is \`${type}\``, 'auth.session.type');
  if (sentinel !== undefined && cluster)
    faults.add(
      'auth.session.cluster',
      'goes without `auth.session.sentinel`: a Cluster has no Sentinels',
      'auth.session.sentinel',
    );
  if (url === undefined) {
    for (const [member, given] of [
      ['sentinel', sentinel !== undefined],
      ['cluster', cluster],
    ] as const)
      if (given) faults.add(`auth.session.${member}`, 'goes with `auth.session.url`', path);
  }
  const hosts =
    url === undefined ? undefined : /^rediss?:\/\/(?:[^@/?#\s]*@)?([^@/?#\s]+)(?:\/\d*)?$/.exec(url)?.[1]?.split(',');
  const isWhole =
    hosts?.every((host) => URL.canParse(`redis://${host}`)) === true &&
    URL.canParse(url!.replace(hosts.join(','), hosts[0]!)) &&
    isDecodable(url!);
  if (type === 'redis' && url !== undefined && !isWhole)
    faults.add(path, 'must be a `redis://` or `rediss://` URL', 'auth.session.type');
  else if (hosts !== undefined && hosts.length > 1 && sentinel === undefined && !cluster)
    faults.add(path, 'names several hosts; say what they are with `auth.session.sentinel` or `auth.session.cluster`');
  else if (cluster && /\/[1-9]\d*$/.test(url ?? ''))
    faults.add(path, 'names a database; a Cluster has only the database 0');
  if (tls !== undefined && !/^rediss:/.test(url ?? ''))
    faults.add('auth.session.tls', 'goes with a `rediss://` URL', path);
  const certificates = compileClientTls(tls, 'auth.session.tls', directory, faults);
  if (type !== 'redis' || url === undefined) return undefined;
  return {
    url,
    ...certificates,
    cluster,
    sentinel:
      sentinel === undefined
        ? undefined
        : { name: sentinel.name, username: sentinel.username, password: sentinel.password },
  };
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}
