import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { faultLine } from '../../src/config/read/fault.ts';
import { loadSettings, type Loaded, type LoadRequest } from '../../src/config/load.ts';

/** Where writing is quick: one test writes ten thousand files. */
const TEMPORARY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A configuration file in a directory of its own. */
export class WrittenConfig {
  readonly directory = mkdtempSync(join(TEMPORARY, 'svc-config-'));
  readonly file = join(this.directory, 'svc.config.yaml');

  write(name: string, text: string): string {
    writeFileSync(join(this.directory, name), text);
    return join(this.directory, name);
  }

  /** @param config - YAML, or data to be written as YAML. */
  load(
    config: unknown,
    env: LoadRequest['env'] = SECRET,
    overrides: NonNullable<LoadRequest['overrides']> = {},
  ): Loaded {
    writeFileSync(this.file, typeof config === 'string' ? config : dump(config));
    return loadSettings({ file: this.file, env, overrides });
  }

  /** `path: message` of each fault. */
  faults(config: unknown, env?: LoadRequest['env'], overrides?: NonNullable<LoadRequest['overrides']>): string[] {
    return (this.load(config, env, overrides).faults ?? []).map(({ path, message }) => `${path}: ${message}`);
  }

  /** `path: message` of each warning. */
  warnings(config: unknown, env?: LoadRequest['env']): string[] {
    return (this.load(config, env).warnings ?? []).map((warning) =>
      faultLine('', { ...warning, line: undefined }).replace(/^: /, ''),
    );
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}

export const SECRET = { SVC_SESSION_SECRET: 'a-session-secret-of-enough-bytes-for-tests' };

/** Without these people would not find what they may use, which is a warning. */
const wayTo = (provider: string, bucket: string) => [
  { effect: 'allow', actions: ['providers:read'], resources: [{ type: 'provider', provider }] },
  { effect: 'allow', actions: ['buckets:read'], resources: [{ type: 'bucket', provider, bucket }] },
];

/** Everything that a configuration usually holds, and no fault. */
export function validConfig() {
  return {
    server: { host: '127.0.0.1', port: 8080, trusted_proxies: ['10.0.0.0/8', '::1'], metrics: { port: 9464 } },
    auth: {
      enabled: true,
      public_origin: 'https://files.example.com',
      oidc: {
        issuer: 'https://login.example.com/realms/main',
        client_id: 'svc',
        client_secret: 'canary-client-secret',
        client_auth: 'post',
      },
      session: { type: 'redis', url: 'redis://:canary-redis-password@127.0.0.1:6379' },
      api_keys: { capacity: 12 },
      bindings: [{ groups: ['admins'], role: 'admin' }],
      local_users: [{ subject: 'dev', roles: ['viewer'] }],
    },
    identity: { subject_claim: 'sub', groups_claim: 'groups' },
    state: { path: 'state.db' },
    providers: [
      {
        name: 'main',
        endpoint: 'https://s3.example.com',
        credentials: { access_key_id: 'canary-access-key-id', secret_access_key: 'canary-secret-access-key' },
      },
      { name: 'archive', endpoint: 'http://10.0.0.7:9000', buckets: ['backups'] },
    ],
    s3: {
      port: 8081,
      public_endpoint: 'https://s3.example.com',
      secret: 'canary-s3-secret-of-enough-bytes-for-tests',
    },
    policy: {
      defaults: true,
      policies: [
        {
          name: 'nobody-deletes',
          rules: [{ effect: 'deny', actions: ['objects:delete'], resources: [{ type: 'all' }] }],
        },
      ],
    },
    roles: { admin: { policies: ['default-admin', 'nobody-deletes'] }, viewer: { policies: ['default-viewer'] } },
    bindings: [
      { subjects: ['petra', { issuer: 'https://other.example.com', subject: 'paul' }], policies: ['photos'] },
      { groups: ['viewers'], role: 'viewer' },
    ],
    policies: [
      {
        version: 1,
        name: 'photos',
        rules: [
          {
            effect: 'allow',
            actions: ['objects:read'],
            resources: [{ type: 'prefix', provider: 'main', bucket: 'photos', prefix: '2025/' }],
          },
          ...wayTo('main', 'photos'),
        ],
      },
      {
        version: 1,
        name: 'inbox',
        provider: 'main',
        iam: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: 's3:PutObject', Resource: 'arn:aws:s3:::inbox/*' }],
        },
      },
    ],
    log: { level: 'info' },
  };
}

export type ValidConfig = ReturnType<typeof validConfig>;
