import { afterAll, describe, expect, it } from '@jest/globals';
import type { Settings } from '../../src/config/read/settings.ts';
import { PolicySet } from '../../src/policy/index/policy-set.ts';
import { SECRET, validConfig, WrittenConfig } from './written-config.ts';

const written = new WrittenConfig();
afterAll(() => written.remove());

function settingsOf(
  config: unknown,
  ...more: [Parameters<typeof written.load>[1]?, Parameters<typeof written.load>[2]?]
): Settings {
  const { settings, faults } = written.load(config, ...more);
  if (settings === undefined) throw new Error(JSON.stringify(faults));
  return settings;
}

const withOidc = (oidc: object, more: object = {}) => ({
  auth: { enabled: true, oidc: { issuer: 'https://login.example.com', client_id: 'svc', ...oidc }, ...more },
});
const oidcOf = (config: unknown, ...more: [Parameters<typeof written.load>[1]?, Parameters<typeof written.load>[2]?]) =>
  settingsOf(config, ...more).auth.oidc!;

describe('loadSettings', () => {
  it('fills in the defaults', () => {
    expect(settingsOf({ providers: [{ name: 'main', endpoint: 'https://s3.example.com' }] })).toEqual({
      server: {
        host: '127.0.0.1',
        port: 8080,
        basePath: '',
        trustedProxies: [],
        signInPerMinute: 600,
        workers: 1,
        metrics: undefined,
        reload: 'off',
      },
      auth: {
        enabled: false,
        publicOrigin: 'http://127.0.0.1:8080',
        oidc: undefined,
        localUsers: [],
        session: { type: 'memory', ttlSeconds: 28800, capacity: 4096, perSubject: 64, redis: undefined },
        sessionSecrets: [SECRET.SVC_SESSION_SECRET],
        apiKeys: undefined,
      },
      policy: { policies: [], roles: [], bindings: [], localUsers: [], enabled: true, issuer: '' },
      providers: [
        {
          name: 'main',
          type: 's3',
          endpoint: 'https://s3.example.com',
          region: 'us-east-1',
          pathStyle: true,
          dotSegments: 'refuse',
          publicEndpoint: undefined,
          buckets: undefined,
          credentials: undefined,
          ca: undefined,
          connectTimeoutMs: 5000,
          idleTimeoutMs: 30000,
        },
      ],
      s3: undefined,
      proxy: undefined,
      state: undefined,
      thumbnails: { path: undefined, maxBytes: 268_435_456 },
      ui: { name: 'svc', logo: undefined, accent: undefined, help: undefined, banner: undefined },
      audit: undefined,
      log: { level: 'info', format: 'text' },
    });
  });

  it('keeps the audit in files where a folder is named', () => {
    const audit = { path: 'audit', signing_secret: 'canary-signing-secret-of-enough-bytes' };
    const defaults = {
      path: `${written.directory}/audit`,
      instance: undefined,
      signingSecret: audit.signing_secret,
      formerKeys: [],
      reads: 'all',
      activity: 'changes',
      required: true,
      retentionMs: undefined,
      segmentBytes: 67_108_864,
      sinks: [],
    };
    expect(settingsOf({ providers: [], audit }).audit).toEqual(defaults);
    expect(
      settingsOf({ providers: [], audit: { ...audit, reads: 'none', required: false, retention_days: 2 } }).audit,
    ).toEqual({ ...defaults, reads: 'none', required: false, retentionMs: 172_800_000 });
  });

  it('listens for S3 where a port is named', () => {
    const { s3: given, ...others } = validConfig();
    const secret = 'canary-s3-secret-of-enough-bytes-for-tests';
    const defaults = {
      host: '127.0.0.1',
      port: 8081,
      publicEndpoint: 'https://s3.example.com',
      region: 'svc',
      secrets: [secret],
      keyCapacity: 4096,
      maxLifetimeDays: 365,
      maxDaysSinceSignIn: 0,
      webIdentity: [],
      maxSessionSeconds: 3600,
    };
    expect(settingsOf(validConfig()).s3).toEqual(defaults);
    expect(settingsOf(validConfig(), SECRET, { host: '::1' }).s3?.host).toBe('::1');
    const issuer = 'https://token.example.com';
    const s3 = {
      ...given,
      host: '127.0.0.2',
      port: 8080,
      public_endpoint: 'HTTPS://S3.example.com:443',
      region: 'eu-1',
      key_capacity: 7,
      max_lifetime_days: 30,
      max_days_since_sign_in: 90,
      web_identity: [{ issuer, audience: 'svc', groups_claim: 'repository' }],
      max_session_seconds: 900,
    };
    expect(settingsOf({ ...others, s3 }).s3).toEqual({
      ...defaults,
      host: '127.0.0.2',
      port: 8080,
      region: 'eu-1',
      keyCapacity: 7,
      maxLifetimeDays: 30,
      maxDaysSinceSignIn: 90,
      webIdentity: [{ issuer, audience: 'svc', groupsClaim: 'repository' }],
      maxSessionSeconds: 900,
    });
  });

  it('warns of an S3 endpoint that shows objects on the network, or that boto3 misreads', () => {
    const warned = (s3: object, env: object = {}) =>
      written
        .warnings({ ...validConfig(), s3: { ...validConfig().s3, ...s3 } }, { ...SECRET, ...env })
        .filter((warning) => warning.startsWith('s3.'));
    expect(warned({})).toEqual([]);
    expect(warned({ public_endpoint: 'http://127.0.0.1:8081' })).toEqual([]);
    expect(warned({ public_endpoint: 'http://s3.example.com', region: 'us-east-1' })).toEqual([
      expect.stringContaining('s3.region: `us-east-1` makes boto3'),
      's3.public_endpoint: objects cross the network as they are; use `https`',
    ]);
    expect(warned({}, { NODE_ENV: 'production' })).toEqual([expect.stringContaining('s3.secret: stands in the file')]);
  });

  it('keeps thumbnails beside the state database, or where it is told to, or makes none', () => {
    const thumbnails = (config: object) => settingsOf({ providers: [], ...config }).thumbnails;
    const { directory } = written;
    expect(thumbnails({ state: { path: 'data/state.db' } })?.path).toBe(`${directory}/data/thumbnails`);
    expect(
      thumbnails({ state: { path: 'data/state.db' }, thumbnails: { path: 'small', max_bytes: 2_000_000 } }),
    ).toEqual({ path: `${directory}/small`, maxBytes: 2_000_000 });
    expect(thumbnails({ thumbnails: { enabled: false } })).toBeUndefined();
  });

  it('takes everything that both families can say', () => {
    const { server, auth, state, providers, policy } = settingsOf(validConfig());
    expect(server.metrics).toEqual({ host: '127.0.0.1', port: 9464 });
    expect(auth).toMatchObject({
      publicOrigin: 'https://files.example.com',
      oidc: {
        clientAuth: 'post',
        scopes: ['openid', 'profile', 'groups'],
        subjectClaim: 'sub',
        groupsClaim: 'groups',
        rpInitiatedLogout: true,
        postLogoutRedirectUri: 'https://files.example.com/',
      },
      session: { type: 'redis', redis: { url: 'redis://:canary-redis-password@127.0.0.1:6379' } },
      apiKeys: { capacity: 12, perSubject: 32 },
      localUsers: [{ issuer: 'https://login.example.com/realms/main', subject: 'dev', roles: ['viewer'] }],
    });
    expect(state).toEqual({ type: 'sqlite', path: `${written.directory}/state.db` });
    expect(providers[0]?.credentials).toEqual({
      accessKeyId: 'canary-access-key-id',
      secretAccessKey: 'canary-secret-access-key',
      sessionToken: undefined,
    });
    expect(policy.policies.map(({ name, source }) => `${name} (${source})`)).toEqual([
      'default-viewer (built-in)',
      'default-write (built-in)',
      'default-admin (built-in)',
      'nobody-deletes (config)',
      'photos (config)',
      'inbox (iam)',
    ]);
    expect(policy.bindings).toEqual([
      { groups: ['admins'], role: 'admin' },
      {
        subjects: [
          { issuer: 'https://login.example.com/realms/main', subject: 'petra' },
          { issuer: 'https://other.example.com', subject: 'paul' },
        ],
        policies: ['photos'],
      },
      { groups: ['viewers'], role: 'viewer' },
    ]);
    expect(policy.policies.at(-2)?.rules).toEqual([
      {
        effect: 'allow',
        actions: ['objects:list', 'objects:get'],
        resources: [{ type: 'prefix', provider: 'main', bucket: 'photos', prefix: '2025/' }],
      },
      { effect: 'allow', actions: ['providers:list'], resources: [{ type: 'provider', provider: 'main' }] },
      {
        effect: 'allow',
        actions: ['buckets:list'],
        resources: [{ type: 'bucket', provider: 'main', bucket: 'photos' }],
      },
    ]);
  });

  it('compiles to what a policy set takes, and means', () => {
    const set = new PolicySet(settingsOf(validConfig()).policy);
    const issuer = 'https://login.example.com/realms/main';
    expect(set.grantsFor({ issuer, subject: 'x', groups: ['admins'] }).roles).toEqual(['admin']);
    expect(set.grantsFor({ issuer, subject: 'petra', groups: [] }).policies.map(({ name }) => name)).toEqual([
      'photos',
    ]);
    expect(set.grantsFor({ issuer: 'https://evil.example.com', subject: 'petra', groups: [] }).policies).toEqual([]);
    expect(set.grantsFor({ issuer, subject: 'dev', groups: ['admins'] }).roles).toEqual(['viewer']);
  });

  it('lets the command line choose the address', () => {
    const { server, auth } = settingsOf({}, SECRET, { host: '::1', port: 1234 });
    expect({ host: server.host, port: server.port, origin: auth.publicOrigin }).toEqual({
      host: '::1',
      port: 1234,
      origin: 'http://[::1]:1234',
    });
    expect(settingsOf({}, SECRET, { port: 80 }).auth.publicOrigin).toBe('http://127.0.0.1');
  });

  it.each([
    [
      'from the public origin',
      withOidc({}, { public_origin: 'https://a.example' }),
      'https://a.example/v1/auth/callback',
    ],
    ['from the address listened on', withOidc({}), 'http://127.0.0.1:8080/v1/auth/callback'],
    [
      'as it is given',
      withOidc({ redirect_uri: 'https://a.example/api/auth/callback' }),
      'https://a.example/api/auth/callback',
    ],
  ])('takes one redirect URI: %s', (_, config, uri) => {
    expect(oidcOf(config).redirectUri).toBe(uri);
    expect(written.warnings(config).join()).not.toContain('redirect_uri');
  });

  it('says where the service answers when the redirect URI is another path', () => {
    const config = withOidc({ redirect_uri: 'https://a.example/login/done' });
    const { settings } = written.load(config);
    expect(settings?.auth.oidc?.redirectUri).toBe('https://a.example/login/done');
    expect(settings?.auth.publicOrigin).toBe('https://a.example');
    expect(written.warnings(config).join()).toContain(
      'auth.oidc.redirect_uri: the service answers at `https://a.example/v1/auth/callback`',
    );
  });

  it('puts the base path into what it derives', () => {
    expect(
      oidcOf({ ...withOidc({}, { public_origin: 'https://a.example' }), server: { base_path: '/files' } }),
    ).toMatchObject({
      redirectUri: 'https://a.example/files/v1/auth/callback',
      postLogoutRedirectUri: 'https://a.example/files/',
    });
  });

  it('sends no secret without one, and by Basic unless told otherwise', () => {
    expect(oidcOf(withOidc({}))).toMatchObject({ clientAuth: 'none', clientSecret: undefined });
    expect(oidcOf(withOidc({ client_secret: 'secret' }))).toMatchObject({ clientAuth: 'basic' });
  });

  it('takes the groups claim from either place, or from both alike', () => {
    expect(oidcOf(withOidc({})).groupsClaim).toBe('groups');
    expect(oidcOf(withOidc({ groups_claim: 'a' })).groupsClaim).toBe('a');
    expect(oidcOf({ ...withOidc({}), identity: { groups_claim: 'b' } }).groupsClaim).toBe('b');
    expect(oidcOf({ ...withOidc({ groups_claim: 'c' }), identity: { groups_claim: 'c' } }).groupsClaim).toBe('c');
  });

  it('asks for openid always, and for the scopes once', () => {
    expect(oidcOf(withOidc({ scopes: ['email', 'openid'] })).scopes).toEqual(['openid', 'email']);
    expect(oidcOf(withOidc({ scopes: [] })).scopes).toEqual(['openid']);
  });

  it('reads an IAM document from a file beside the configuration', () => {
    written.write('inbox.json', JSON.stringify(validConfig().policies[1]?.iam));
    const config = {
      providers: [{ name: 'main' }, { name: 'other' }],
      policies: [{ version: 1, name: 'inbox', iam_file: 'inbox.json' }],
    };
    expect(settingsOf(config).policy.policies[0]).toEqual({
      name: 'inbox',
      source: 'iam',
      rules: [
        {
          effect: 'allow',
          actions: ['objects:write'],
          resources: ['main', 'other'].map((provider) => ({ type: 'prefix', provider, bucket: 'inbox', prefix: '' })),
        },
      ],
    });
  });

  it('refuses an IAM file in which a member stands twice', () => {
    written.write(
      'twice.json',
      '{"Version":"2012-10-17","Statement":{"Effect":"Deny","\\u0045ffect":"Allow","Action":"s3:*","Resource":"*"}}',
    );
    expect(written.faults({ policies: [{ version: 1, name: 'a', iam_file: 'twice.json' }] })).toEqual([
      `policies.0.iam_file: the file \`${written.directory}/twice.json\` has the member \`Effect\` twice in one object`,
    ]);
  });

  it('warns in production of what is for development', () => {
    const config = (secret: string) =>
      withOidc(
        { client_secret: secret, redirect_uri: 'https://a.example/v1/auth/callback' },
        { local_users: [{ subject: 'dev', roles: [] }] },
      );
    const warningsOf = (secret: string, more: Record<string, string>) =>
      written
        .warnings(config(secret), { ...SECRET, OIDC: 'from outside', ...more })
        .filter((warning) => /^auth\.(?:local_users|oidc\.client_secret): /.test(warning));
    expect(warningsOf('literal', {})).toEqual([]);
    expect(warningsOf('${OIDC}', { NODE_ENV: 'production' })).toEqual([
      expect.stringContaining('auth.local_users: is for development'),
    ]);
    expect(warningsOf('literal', { NODE_ENV: 'production' })).toEqual([
      expect.stringContaining('auth.local_users'),
      expect.stringContaining('auth.oidc.client_secret: stands in the file itself'),
    ]);
  });

  it('warns in production of secrets that stand in the file, also as fallbacks', () => {
    const config = (secret: string, redis: string) => ({
      ...withOidc(
        { client_secret: secret, redirect_uri: 'https://a.example/v1/auth/callback' },
        { session: { type: 'redis', url: redis } },
      ),
      audit: { path: 'audit', signing_secret: secret },
    });
    const warningsOf = (secret: string, redis: string, more: Record<string, string>) =>
      written.warnings(config(secret, redis), { ...SECRET, ...more }).filter((warning) => /secret|url/.test(warning));
    const production = { NODE_ENV: 'production' };
    const literal = 'a secret that everybody can read here';
    const [own, redis] = [`\${OWN:-${literal}}`, '${REDIS:-redis://127.0.0.1:6379}'];
    expect(warningsOf(own, redis, {})).toEqual([]);
    expect(warningsOf(own, redis, { ...production, OWN: 'a secret that nobody can read here' })).toEqual([]);
    const warned = (what: string) =>
      ['audit.signing_secret', 'auth.oidc.client_secret'].map((path) => expect.stringContaining(`${path}: ${what}`));
    expect(warningsOf(own, redis, production).sort()).toEqual(
      warned('is the fallback that stands in the file itself; set `OWN`'),
    );
    expect(warningsOf(literal, redis, production).sort()).toEqual(warned('stands in the file itself'));
    expect(warningsOf(own, '${REDIS:-redis://:password@127.0.0.1:6379}', production)).toHaveLength(3);
    expect(warningsOf(own, redis, production).join()).not.toContain(literal);
  });

  it('takes folders that follow people, beneath a whole folder alone', () => {
    const selector = (prefix: string, each: string) => ({
      type: 'prefix',
      provider: 'main',
      bucket: 'home',
      prefix,
      each,
    });
    const load = (...resources: object[]) => ({
      providers: [{ name: 'main', endpoint: 'https://s3.example.com' }],
      policies: [{ version: 1, name: 'homes', rules: [{ effect: 'allow', actions: ['objects:get'], resources }] }],
    });
    expect(written.faults(load(selector('users/', 'subject'), selector('', 'group')))).toEqual([]);
    expect(written.faults(load(selector('users', 'subject')))).toEqual([
      expect.stringContaining('policies.0.rules.0.resources.0.prefix: with `each` must be empty or end with a slash'),
    ]);
    expect(written.faults(load(selector('users/', 'name')))).toEqual([
      expect.stringContaining('resources.0.each: must be `subject` or `group`'),
    ]);
    expect(written.faults(load({ type: 'bucket', provider: 'main', bucket: 'home', each: 'subject' }))).toEqual([
      expect.stringContaining('resources.0.each'),
    ]);
  });

  it('warns of the owner of a bucket that `buckets` does not name', () => {
    const warnings = written.warnings({
      ...validConfig(),
      providers: [
        {
          name: 'main',
          endpoint: 'https://s3.example.com',
          buckets: ['media'],
          owner: 'ops',
          owners: { medai: 'ada', media: 'eve' },
        },
      ],
    });
    expect(warnings.filter((one) => one.includes('owners'))).toEqual([
      'providers.0.owners.medai: `buckets` has no `medai`; did you mean `media`?',
    ]);
  });

  it('warns of what is accepted, and hardly meant so', () => {
    const warnings = written.warnings({
      server: { trusted_proxies: ['0.0.0.0/0'] },
      bindings: [{ groups: ['/admins'], policies: ['a'] }],
      policies: [
        {
          version: 1,
          name: 'a',
          rules: [
            {
              effect: 'deny',
              actions: ['buckets:delete'],
              resources: [
                { type: 'prefix', provider: 'main', bucket: 'bucket', prefix: 'x*' },
                { type: 'object', provider: 'main', bucket: 'bucket', key: 'plain' },
              ],
            },
          ],
        },
      ],
    });
    expect(warnings).toEqual([
      'server.trusted_proxies.0: `0.0.0.0/0` trusts every client to say what its address is',
      expect.stringContaining('providers: no storage provider'),
      expect.stringContaining('the `*` in `x*` is an ordinary character'),
      expect.stringContaining('no provider is named `main`'),
      expect.stringContaining('no provider is named `main`'),
      expect.stringContaining('policies.0.rules.0: policy `a`, rule 1: `buckets:delete` applies to a bucket'),
      expect.stringContaining('the prefix `x*` covers no resource'),
      expect.stringContaining('the object `plain` covers no resource'),
      expect.stringContaining('bindings.0.groups.0: `/admins` begins with a slash'),
    ]);
  });
});
