import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadSettings } from '../../src/config/load.ts';
import { SECRET, validConfig, WrittenConfig, type ValidConfig } from './written-config.ts';

const written = new WrittenConfig();
afterAll(() => written.remove());

const NO_CLAIM = 'must not hold U+0000 or half of a surrogate pair, which no sign-in has';

type Loose = Record<string, never>;

/** The valid configuration, with one thing changed. */
function changed(change: (config: ValidConfig & Loose) => void): unknown {
  const config = validConfig() as ValidConfig & Loose;
  change(config);
  return config;
}

const set = (path: string, value: unknown) =>
  changed((config) => {
    const names = path.split('.');
    const last = names.pop()!;
    let at = config as unknown as Record<string, unknown>;
    for (const name of names) at = (at[name] ??= {}) as Record<string, unknown>;
    if (value === undefined) Reflect.deleteProperty(at, last);
    else at[last] = value;
  });

describe('loadSettings', () => {
  it('finds no fault in a valid configuration', () => {
    expect(written.faults(validConfig())).toEqual([]);
  });

  it.each([
    ['server.prot', 1, 'server.prot: this key is not known here; did you mean `port`?'],
    ['servers', {}, 'servers: this key is not known here; did you mean `server`?'],
    [
      'auth.oidc.client_secrte',
      'x',
      'auth.oidc.client_secrte: this key is not known here; did you mean `client_secret`?',
    ],
    ['log.colour', 'red', 'log.colour: this key is not known here; known are `level` and `format`'],
    ['server.port', 'http', 'server.port: must be a whole number'],
    ['server.port', 70000, 'server.port: must be 65535 or less'],
    [
      'server.base_path',
      'files/',
      'server.base_path: must be empty or a path such as `/storage`: it begins with a slash, has none at its end, and consists of letters, digits, `.`, `_`, `~` and `-`',
    ],
    [
      'server.base_path',
      '/api',
      'server.base_path: must not begin with `/api`, `/v1`, `/rpc` or `/assets`, which are paths of the service itself',
    ],
    [
      'server.trusted_proxies',
      ['10.0.0.0/33'],
      'server.trusted_proxies.0: `10.0.0.0/33` is not an address or a CIDR such as `10.0.0.0/8`',
    ],
    [
      'server.metrics.port',
      8080,
      'server.metrics.port: the service itself listens on 8080; metrics need another port or address',
    ],
    ['auth', [], 'auth: must be a mapping'],
    [
      'auth.session.type',
      'reddis',
      'auth.session.type: must be `memory` or `database` or `redis`; did you mean `redis`?',
    ],
    ['auth.session.url', undefined, 'auth.session.url: is missing: `redis` needs the URL of its server'],
    ['auth.session.url', 'http://127.0.0.1', 'auth.session.url: must be a `redis://` or `rediss://` URL'],
    ['auth.session.type', 'memory', 'auth.session.url: belongs to `auth.session.type: redis`; the type is `memory`'],
    ['auth.session.ttl_seconds', 0, 'auth.session.ttl_seconds: must be 1 or more'],
    ['auth.oidc.issuer', undefined, 'auth.oidc.issuer: is missing'],
    [
      'auth.oidc.issuer',
      'http://login.example.com',
      'auth.oidc.issuer: must be HTTPS; plain HTTP is for loopback alone',
    ],
    [
      'auth.oidc.client_secret',
      undefined,
      'auth.oidc.client_auth: needs `auth.oidc.client_secret`; a public client sends no secret',
    ],
    ['auth.oidc.client_auth', 'private_key_jwt', 'auth.oidc.client_auth: must be `basic` or `post`'],
    [
      'auth.oidc.scopes',
      ['a b'],
      'auth.oidc.scopes.0: must be one scope: printable ASCII characters without a space, `"` and `\\`',
    ],
    [
      'auth.oidc.groups_claim',
      'roles',
      'auth.oidc.groups_claim: differs from `identity.groups_claim` (`roles`, `groups`); set one of them',
    ],
    [
      'auth.oidc.redirect_uri',
      'http://localhost/api/auth/callback',
      'auth.oidc.redirect_uri: must be HTTPS; plain HTTP is for a numeric loopback address such as `http://127.0.0.1:8080`',
    ],
    [
      'auth.oidc.post_logout_redirect_uri',
      'https://a.example/?x',
      'auth.oidc.post_logout_redirect_uri: must have no query and no fragment',
    ],
    [
      'providers.0.owners',
      { 'media*': 'ada' },
      'providers.0.owners.media*: `media*`: a bucket name holds only a-z, 0-9, `-` and `.`; there are no wildcards, and `owner` is for all others',
    ],
    ['providers.0.owners', { media: '' }, 'providers.0.owners.media: must not be empty'],
    ['state', undefined, 'state.path: is missing: `auth.api_keys` keeps keys in the state database'],
    ['s3.port', 8080, 's3.port: the service itself listens on 8080; S3 needs another port or address'],
    ['s3.port', 9464, 's3.port: metrics listen on 9464; S3 needs another port or address'],
    ['s3.port', undefined, 's3.port: is missing'],
    [
      's3.public_endpoint',
      'https://s3.example.com/',
      's3.public_endpoint: must be scheme, host and port alone: no path, and no slash at the end',
    ],
    ['s3.public_endpoint', 's3.example.com', 's3.public_endpoint: must be a URL such as `https://files.example.com`'],
    [
      's3.region',
      'EU',
      's3.region: must be at most 64 lower-case letters, digits and hyphens, such as `svc` or `eu-1`',
    ],
    [
      's3.web_identity',
      [{ issuer: 'http://token.example.com', audience: 'svc' }],
      's3.web_identity.0.issuer: must be HTTPS; plain HTTP is for loopback alone',
    ],
    [
      's3.web_identity',
      [1, 2].map(() => ({ issuer: 'https://token.example.com', audience: 'svc' })),
      's3.web_identity.1.issuer: is trusted by an earlier entry for this audience already',
    ],
    [
      'state',
      { url: 'postgres://svc:secret@localhost/svc', password_file: 'password' },
      'state.password_file: goes with a `state.url` that holds no password',
    ],
    ['state', {}, 'state: needs `path`, a file for SQLite, or `url`, a PostgreSQL database'],
    [
      'auth.local_users.0.roles',
      ['viewr'],
      'auth.local_users.0.roles.0: no role is named `viewr`; did you mean `viewer`?',
    ],
    [
      'auth.local_users.1',
      { subject: 'dev', roles: [] },
      'auth.local_users.1.subject: `dev` is listed already; give all roles in one entry',
    ],
    ['auth.local_users.0.subject', 'de\0v', `auth.local_users.0.subject: ${NO_CLAIM}`],
    ['auth.local_users.0.subject', 'dev\ud83d', `auth.local_users.0.subject: ${NO_CLAIM}`],
    ['bindings.0.subjects.1', 'a\0', `bindings.0.subjects.1: ${NO_CLAIM}`],
    ['bindings.0.subjects.1', { issuer: 'https://a', subject: 'a\0' }, `bindings.0.subjects.1.subject: ${NO_CLAIM}`],
    ['bindings.1.groups', ['a\0'], `bindings.1.groups.0: ${NO_CLAIM}`],
    ['bindings.1.role', 'viewers', 'bindings.1.role: no role is named `viewers`; did you mean `viewer`?'],
    [
      'bindings.1.role',
      'photos',
      'bindings.1.role: no role is named `photos`; a policy has this name: give it in `policies`, or put it into a role',
    ],
    ['bindings.1.policies', ['photos'], 'bindings.1: needs either `role` or `policies`'],
    ['bindings.1.groups', undefined, 'bindings.1: needs either `groups` or `subjects`'],
    ['bindings.1.groups', ['*'], 'bindings.1.groups.0: `*`: there are no wildcards; name each group'],
    ['bindings.0.policies.0', 'fotos', 'bindings.0.policies.0: no policy is named `fotos`; did you mean `photos`?'],
    ['bindings.0.subjects.1', { subject: 'paul' }, 'bindings.0.subjects.1.issuer: is missing'],
    ['bindings.0.subjects.1', 7, 'bindings.0.subjects.1: must be a text or a mapping'],
    [
      'roles.viewer.policies.0',
      'default-viewers',
      'roles.viewer.policies.0: no policy is named `default-viewers`; did you mean `default-viewer`?',
    ],
    ['policies.0.version', undefined, 'policies.0.version: is missing'],
    ['policies.0.version', 2, 'policies.0.version: must be `1`'],
    ['policies.1.name', 'default-admin', 'policies.1.name: `default-admin` is the name of a built-in policy already'],
    [
      'policies.1.name',
      'nobody-deletes',
      'policies.1.name: `nobody-deletes` is the name of `policy.policies.0` already',
    ],
    ['policies.1.rules', [], 'policies.1: needs exactly one of `rules`, `iam` and `iam_file`'],
    [
      'policies.0.provider',
      'main',
      'policies.0.provider: goes with `iam` or `iam_file`; in `rules` each selector names its provider',
    ],
    ['policies.1.provider', 'mian', 'policies.1.provider: no provider is named `mian`; did you mean `main`?'],
    [
      'policies.0.rules.0.actions.0',
      'objects:raed',
      'policies.0.rules.0.actions.0: no action is named `objects:raed`; did you mean `objects:read`?',
    ],
    [
      'policies.0.rules.0.actions.0',
      'objects:*',
      'policies.0.rules.0.actions.0: there are no wildcards; name each action',
    ],
    ['policies.0.rules.0.actions', [], 'policies.0.rules.0.actions: must not be empty'],
    [
      'policies.0.rules.0.effect',
      'Allow',
      'policies.0.rules.0.effect: must be `allow` or `deny`; did you mean `allow`?',
    ],
    [
      'policies.0.rules.0.resources.0.type',
      'folder',
      'policies.0.rules.0.resources.0.type: must be `all` or `provider` or `bucket` or `prefix` or `object`',
    ],
    ['policies.0.rules.0.resources.0.type', undefined, 'policies.0.rules.0.resources.0.type: is missing'],
    [
      'policies.0.rules.0.resources.0.type',
      'bucket',
      'policies.0.rules.0.resources.0.prefix: this key is not known here; known are `type`, `provider` and `bucket`',
    ],
    ['policies.0.rules.0.resources.0.prefix', undefined, 'policies.0.rules.0.resources.0.prefix: is missing'],
    [
      'policies.0.rules.0.resources.0.bucket',
      '*',
      'policies.0.rules.0.resources.0.bucket: `*`: there are no wildcards; use a wider selector, such as `type: all` or `type: provider`',
    ],
    [
      'policies.1.iam.Statement.0.Condition',
      {},
      'policies.1.iam.Statement.0.Condition: conditions are not supported, except `StringEquals` or `StringLike` on `s3:prefix` in a statement that allows only `s3:ListBucket`; without its condition, the statement would have another meaning (statement 0, condition; the document is refused)',
    ],
    [
      'policies.1.iam.Statement.0.Resource',
      'arn:aws:s3:::${aws:username}/*',
      'policies.1.iam.Statement.0.Resource: `arn:aws:s3:::${aws:username}/*` contains a policy variable; only the form `arn:aws:s3:::bucket/folder/${aws:username}/*` is supported (statement 0, variable; the document is refused)',
    ],
    ...['session', 'apiKey', 's3Key', 'person', 'main/files', 'main%2Ffiles'].map((name): [string, unknown, string] => [
      'providers.1.name',
      name,
      'providers.1.name: must be a letter or digit, and at most 62 more letters, digits, dots, hyphens and underscores; it cannot be `session`, `apiKey`, `s3Key` or `person`',
    ]),
    [
      'policies.0.rules.0.resources.0.prefix',
      'a\ud83d',
      'policies.0: `a\ufffd` has half a character (a UTF-16 surrogate without its other half), which no key can have; write the whole character',
    ],
    [
      'policies.1.iam.Statement.0.Resource',
      'arn:aws:s3:::bucket/a\udfff*',
      'policies.1: `a\ufffd` has half a character (a UTF-16 surrogate without its other half), which no key can have; write the whole character',
    ],
    ['providers.1.name', 'main', 'providers.1.name: another provider is named `main` already'],
    ['providers.1.endpoint', 'ftp://x', 'providers.1.endpoint: must be a URL such as `https://files.example.com`'],
    ['providers.1.buckets', ['A'], 'providers.1.buckets.0: `A`: a bucket name has 3 to 63 characters'],
    [
      'providers.1.buckets',
      ['a'.repeat(64)],
      `providers.1.buckets.0: \`${'a'.repeat(64)}\`: a bucket name has 3 to 63 characters`,
    ],
    [
      'providers.1.buckets',
      ['Media_1'],
      'providers.1.buckets.0: `Media_1`: a bucket name holds only a-z, 0-9, `-` and `.`',
    ],
    [
      'providers.1.buckets',
      ['-media'],
      'providers.1.buckets.0: `-media`: a bucket name begins and ends with a letter or digit',
    ],
    ['providers.1.buckets', ['me..dia'], 'providers.1.buckets.0: `me..dia`: a bucket name has no two dots in a row'],
    ['providers.1.buckets', ['10.0.0.1'], 'providers.1.buckets.0: `10.0.0.1`: a bucket name is no IP address'],
    ['providers.0.credentials.secret_access_key', undefined, 'providers.0.credentials.secret_access_key: is missing'],
    [
      'providers.0.credentials.secret_access_key:canary',
      null,
      'providers.0.credentials.secret_access_key…: this key is not known here; a colon needs a space behind it',
    ],
    ['providers.0.timeout_seconds', 0, 'providers.0.timeout_seconds: must be more than 0'],
    ['ui.accent', 'blue', 'ui.accent: must be a colour as `#` and six hexadecimal digits, such as `"#1d4ed8"`'],
    ['ui.name', ' ', 'ui.name: must not be blank'],
    ['audit', { path: 'a', signing_secret: 'short' }, 'audit.signing_secret: must have 32 characters or more'],
    [
      'audit',
      {
        path: 'a',
        signing_secret: 's'.repeat(32),
        sinks: Array.from({ length: 17 }, (_, i) => ({ name: `s${i}`, url: 'https://siem.example.com' })),
      },
      'audit.sinks: must have 16 entries or fewer',
    ],
    [
      'audit',
      {
        path: 'a',
        signing_secret: 's'.repeat(32),
        sinks: [
          {
            name: 's',
            url: 'https://siem.example.com',
            only: { outcomes: ['partly'], places: ['main', 'main/media/in', '/main/media/'] },
          },
        ],
      },
      'audit.sinks.0.only.places.2: `/main/media/` begins with a slash; write `PROVIDER/BUCKET/KEY` without one',
    ],
    ['ui.help', { url: 'javascript:alert(1)' }, 'ui.help.url: must begin with `https:`, `http:` or `mailto:`'],
    ['ui.banner.text', 'x'.repeat(301), 'ui.banner.text: must have 300 characters or fewer'],
    ['ui.logo', '/dev/zero', 'ui.logo: the file `/dev/zero` is neither a regular file nor a link to one'],
    [
      'ui.logo',
      'none.svg',
      `ui.logo: the file \`${written.directory}/none.svg\` cannot be read: there is no such file`,
    ],
    [
      'ui.logo',
      'svc.config.yaml',
      `ui.logo: the file \`${written.directory}/svc.config.yaml\` is neither an SVG nor a PNG`,
    ],
    [
      'policy.defaults',
      false,
      'roles.admin.policies.0: no policy is named `default-admin`; it is a built-in policy: set `policy.defaults: true`',
    ],
  ])('names the fault when %s is %j', (path, value, fault) => {
    expect(written.faults(set(path, value))).toContain(fault);
  });

  it.each([
    ['auth.oidc.client_id', '${file:pipe}'],
    ['auth.oidc.tls', { ca_file: 'pipe' }, 'auth.oidc.tls.ca_file'],
    ['policies.1.iam_file', 'pipe'],
    ['ui.logo', 'pipe'],
  ])('waits for no writer when %s is a pipe', (path, value, at = path) => {
    const pipe = join(written.directory, 'pipe');
    if (!existsSync(pipe)) execFileSync('mkfifo', [pipe]);
    const { iam: _, ...imported } = validConfig().policies[1] as Record<string, unknown>;
    const config = path.startsWith('policies') ? set('policies.1', { ...imported, iam_file: value }) : set(path, value);
    expect(written.faults(config)).toContainEqual(
      expect.stringMatching(new RegExp(`^${at}: the file \`.*pipe\` is neither a regular file nor a link to one$`)),
    );
  });

  it.each([
    ['server.prot', 1],
    ['auth.oidc.issuer', undefined],
    ['auth.session.type', 'reddis'],
    ['auth.session.ttl_seconds', 'long'],
    ['bindings.1.groups', [7]],
    ['bindings.1.groups', undefined],
    ['policies.0.name', undefined],
    ['policies.0.rules.0.resources.0.type', 'folder'],
    ['policies.1.iam.Statement.0.Condition', {}],
    ['providers.0.name', 'a b'],
    ['state', {}],
  ])('reports nothing beside the fault itself when %s is %j', (path, value) => {
    // Whatever refers to the name that is gone is wrong as well.
    expect(written.faults(set(path, value)).filter((fault) => !/no provider is named/.test(fault))).toHaveLength(1);
  });

  it.each([
    ['policies_dir', 'none'],
    ['policies_dir', 'broken-team'],
    ['policies', 'p'],
    ['policies.0', 7],
    ['policies.0.name', '${NOT_SET}'],
    ['policy.policies', {}],
    ['roles', []],
  ])('says nothing of names that something unread may hold when %s is %j', (path, value) => {
    mkdirSync(join(written.directory, 'broken-team'), { recursive: true });
    written.write('broken-team/a.yaml', 'owner: [');
    const faults = written.faults({
      ...(set(path, value) as object),
      bindings: [
        { groups: ['g'], policies: ['gone'] },
        { groups: ['g'], role: 'admin' },
      ],
    });
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.filter((fault) => fault.includes(' is named '))).toEqual(
      path === 'roles' ? ['bindings.0.policies.0: no policy is named `gone`'] : [],
    );
  });

  it('names a policy that is not there beside faults in others, and a built-in one without the files of teams', () => {
    const config = set('policies.0.rules.0.effect', 'Allow') as ValidConfig;
    expect(written.faults({ ...config, bindings: [{ groups: ['g'], policies: ['gone'] }] })).toContain(
      'bindings.0.policies.0: no policy is named `gone`',
    );
    expect(written.faults({ ...validConfig(), policies_dir: 'none', policy: { defaults: false } })).toContain(
      'roles.admin.policies.0: no policy is named `default-admin`; it is a built-in policy: set `policy.defaults: true`',
    );
  });

  it('reports the faults of shape, of meaning and of the environment together, in the order of the file, with their lines', () => {
    const { faults } = written.load(`# comment
server:
  prot: 8080
auth:
  enabled: true
  public_origin: "http://files.example.com"
  oidc:
    issuer: \${ISSUER}
    client_id: svc
    client_auth: post
providers:
  - { name: main, endpoint: https://s3.example.com }
  - name: main
    endpoint: https://s3.example.com
bindings:
  - groups: [admins]
    role: admn
roles:
  admin: { policies: [] }
policies:
  - version: 1
    name: a
    rules:
      - effect: alow
        actions: [objects:get,
          objects:reed]
        resources: []
`);
    expect((faults ?? []).map(({ line, path }) => `${line ?? '?'} ${path}`)).toEqual([
      '3 server.prot',
      '6 auth.public_origin',
      '8 auth.oidc.issuer',
      '10 auth.oidc.client_auth',
      '13 providers.1.name',
      '17 bindings.0.role',
      '24 policies.0.rules.0.effect',
      '26 policies.0.rules.0.actions.1',
      '27 policies.0.rules.0.resources',
    ]);
  });

  it('gives a missing key the line of what it is missing from', () => {
    expect(written.load('providers:\n  - name: a\n  - region: b\n').faults).toMatchObject([
      { path: 'providers.1.name', line: 3 },
    ]);
  });

  it.each([
    ['', ': the file is empty'],
    ['just a text', ': the file holds no configuration: it must be a mapping with keys such as `providers`'],
    ['[]', ': the file holds no configuration: it must be a mapping with keys such as `providers`'],
    ['a: 1\n---\nb: 1', ': the file holds more than one document'],
    ['server: {}\nserver: {}', ': is not valid YAML: the key is used twice in the same mapping'],
    [
      'log: &l {}\nserver: *l',
      ': is not valid YAML: aliases (`*name`) are not taken; write the value out, and put a text that begins with `*` in quotes',
    ],
    ['roles: {<<: {a: 1}}', 'roles.<<.a: this key is not known here; known are `policies`'],
    ['server: !!js/function x', ': is not valid YAML: unknown scalar tag'],
    ['server: [', ': is not valid YAML: unexpected end of the stream within a flow collection'],
    [
      '__proto__: {}',
      '__proto__: this key is not known here; known are `server`, `auth`, `identity`, `state`, `providers`, `s3`, `thumbnails`, `policy`, `policies`, `policies_dir`, `team_files`, `roles`, `bindings`, `ui`, `audit` and `log`',
    ],
    [`log: ${'['.repeat(60)}`, ': is not valid YAML: nesting exceeded maxDepth (50)'],
  ])('refuses the file %j', (text, fault) => {
    expect(written.faults(text)).toContain(fault);
  });

  it('says when a file cannot be read', () => {
    expect(loadSettings({ file: `${written.directory}/missing.yaml`, env: {} }).faults).toEqual([
      { path: '', message: 'the file cannot be read: there is no such file' },
    ]);
    expect(written.faults({ policies: [{ version: 1, name: 'a', iam_file: 'missing.json' }] })).toEqual([
      `policies.0.iam_file: the file \`${written.directory}/missing.json\` cannot be read: there is no such file`,
    ]);
  });

  it('refuses to be open to the network without sign-in, unless told to', () => {
    const open = (auth: object, host: string) => written.faults({ auth }, SECRET, { host });
    expect(open({}, '0.0.0.0')).toEqual([
      expect.stringMatching(/^auth\.enabled: is false while the service listens on `0\.0\.0\.0`/),
    ]);
    expect(open({}, '::')).toHaveLength(1);
    expect(open({}, '127.0.0.1')).toEqual([]);
    expect(open({ allow_open_network: true }, '0.0.0.0')).toEqual([]);
  });

  it('takes local users without an identity provider on loopback only', () => {
    const config = { auth: { enabled: true, local_users: [{ subject: 'dev', roles: [] }] } };
    expect(written.faults(config)).toEqual([]);
    expect(written.faults(config, SECRET, { host: '192.168.0.1' })).toContain(
      'auth.local_users: without `auth.oidc` anyone may choose any of them, so the service must listen on loopback, not on `192.168.0.1`',
    );
  });

  it('refuses sign-in with nobody to sign in with, and a public origin that nobody can know', () => {
    expect(written.faults({ auth: { enabled: true } }, SECRET, { host: '0.0.0.0' })).toEqual([
      'auth.public_origin: is missing: the address that people type, such as `https://files.example.com`',
      'auth.oidc: is missing: sign-in needs an identity provider (or `auth.local_users`, for development)',
    ]);
  });
});
