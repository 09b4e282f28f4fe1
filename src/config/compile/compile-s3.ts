import type { Faults, Warn } from '../read/fault.ts';
import { s3Secrets } from '../read/secrets.ts';
import type { S3Settings, ServerSettings } from '../read/settings.ts';
import type { Environment } from '../read/substitute.ts';
import type { Config } from '../schema/schema.ts';
import { isLoopbackHost, issuerFault, originFault } from './origin.ts';

export type S3Context = {
  readonly env: Environment;
  readonly server: ServerSettings;
  readonly faults: Faults;
  readonly warn: Warn;
  /** Paths of values that came from the environment or a file. */ readonly substituted: ReadonlySet<string>;
};

type S3 = NonNullable<Config['s3']>;

export function compileS3({ s3, state, auth }: Config, context: S3Context): S3Settings | undefined {
  if (s3 === undefined) return undefined;
  const { env, server, faults, warn, substituted } = context;
  const host = s3.host ?? server.host;
  if (state === undefined) faults.add('state.path', 'is missing: `s3` keeps keys in the state database');
  if (!auth.enabled) faults.add('s3', 'needs sign-in: S3 keys belong to people', 'auth.enabled');
  checkPort({ host, port: s3.port }, context);
  if (s3.region === 'us-east-1')
    warn('s3.region', '`us-east-1` makes boto3 sign links with version 2, which is refused; choose another name');
  if (s3.secret !== undefined && env['NODE_ENV'] === 'production' && !substituted.has('s3.secret'))
    warn(
      's3.secret',
      'stands in the file itself; take it from the environment (`SVC_S3_SECRET`) or from a file (`${file:/run/secrets/s3}`)',
    );
  return {
    host,
    port: s3.port,
    publicEndpoint: publicEndpointOf(s3, faults, warn),
    region: s3.region,
    secrets: s3Secrets(s3.secret, env, faults),
    keyCapacity: s3.key_capacity,
    maxLifetimeDays: s3.max_lifetime_days,
    maxDaysSinceSignIn: s3.max_days_since_sign_in,
    webIdentity: webIdentityOf(s3, faults),
    maxSessionSeconds: s3.max_session_seconds,
  };
}

type Address = { readonly host: string; readonly port: number };

function checkPort({ host, port }: Address, { server, faults }: S3Context): void {
  const isSame = (other: Address) => port !== 0 && other.port === port && other.host === host;
  if (isSame(server))
    faults.add('s3.port', `the service itself listens on ${port}; S3 needs another port or address`, 'server.port');
  if (server.metrics !== undefined && isSame(server.metrics))
    faults.add('s3.port', `metrics listen on ${port}; S3 needs another port or address`, 'server.metrics.port');
}

function publicEndpointOf({ public_endpoint: endpoint }: S3, faults: Faults, warn: Warn): string {
  const fault = originFault(endpoint);
  if (fault !== undefined) {
    faults.add('s3.public_endpoint', fault);
    return endpoint;
  }
  const { origin, protocol, hostname } = new URL(endpoint);
  if (protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, '')))
    warn('s3.public_endpoint', 'objects cross the network as they are; use `https`');
  return origin;
}

function webIdentityOf({ web_identity: trusted }: S3, faults: Faults): S3Settings['webIdentity'] {
  const seen = new Set<string>();
  return trusted.map(({ issuer, audience, groups_claim: groupsClaim }, i) => {
    const path = `s3.web_identity.${i}.issuer`;
    const fault = issuerFault(issuer);
    if (fault !== undefined) faults.add(path, fault);
    const pair = JSON.stringify([issuer, audience]);
    if (seen.has(pair)) faults.add(path, 'is trusted by an earlier entry for this audience already');
    seen.add(pair);
    return { issuer, audience, groupsClaim };
  });
}
