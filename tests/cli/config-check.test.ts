import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { configCheck } from '../../src/cli/service/config-check.ts';
import { SECRET, validConfig, WrittenConfig } from '../config/written-config.ts';
import { Machine } from './svc-process.ts';

const NO_FILE = 'svc.config.yaml: the file cannot be read: there is no such file';
/** What is to be known about `validConfig`, and is no fault. */
const KEYS_STAY_HERE =
  ':26: auth.api_keys: keys are kept in the state database of this machine; instances elsewhere, which share the sessions in Redis, do not know them; `state.url` names a database for all';

const written = new WrittenConfig();
afterAll(() => written.remove());

function run(config: unknown, env: Record<string, string> = SECRET) {
  const [out, err]: [string[], string[]] = [[], []];
  writeFileSync(written.file, JSON.stringify(config, undefined, 1));
  const status = configCheck(written.file, env, {
    print: (line) => void out.push(line),
    printError: (line) => void err.push(line),
  });
  return { status, out, err };
}

describe('svc config check', () => {
  it('answers 0 and tells what to register', () => {
    expect(run(validConfig())).toEqual({
      status: 0,
      out: [
        `${written.file} is fine, with 3 warnings`,
        'people open https://files.example.com/',
        'register this redirect URI with https://login.example.com/realms/main:',
        '  https://files.example.com/v1/auth/callback',
        'and, for signing out:',
        '  https://files.example.com/',
      ],
      err: [
        KEYS_STAY_HERE,
        ':113: bindings.0.subjects.1: nobody signs in from `https://other.example.com`: `auth.oidc.issuer` is `https://login.example.com/realms/main`',
        ':175: policies.1: no role and no binding gives the policy `inbox`',
      ].map((warning) => `warning: ${written.file}${warning}`),
    });
  });

  it('says what port 0 stands for', () => {
    expect(
      run({ server: { port: 0 }, auth: { enabled: true, local_users: [{ subject: 'dev', roles: [] }] } }).out,
    ).toEqual([
      `${written.file} is fine, with 1 warning`,
      'people open http://127.0.0.1:0/',
      'port 0 stands for the one that `svc serve` gets, and prints',
    ]);
  });

  it('answers 2 with a line for each fault, where an editor can jump to', () => {
    const config = { ...validConfig(), roles: {}, log: { level: 'loud' } };
    expect(run(config)).toEqual({
      status: 2,
      out: [],
      err: [
        expect.stringMatching(
          new RegExp(`^${written.file}:\\d+: auth\\.bindings\\.0\\.role: no role is named \`admin\``),
        ),
        expect.stringMatching(/:\d+: auth\.local_users\.0\.roles\.0: no role is named `viewer`/),
        expect.stringMatching(/:\d+: bindings\.1\.role: no role is named `viewer`/),
        expect.stringMatching(/:\d+: log\.level: must be `error` or `warn` or `info` or `debug`$/),
      ],
    });
  });

  it('says when sign-in is off, and gives warnings', () => {
    expect(run({})).toEqual({
      status: 0,
      out: [`${written.file} is fine, with 1 warning`, 'sign-in is off: everyone who can connect may do everything'],
      err: [`warning: ${written.file}: providers: no storage provider is configured, so there is nothing to browse`],
    });
  });

  it('warns of a binding with which people will not find what they may use', () => {
    const objects = {
      effect: 'allow',
      actions: ['objects:read'],
      resources: [{ type: 'bucket', provider: 'main', bucket: 'media' }],
    };
    const wayThere = [
      { effect: 'allow', actions: ['providers:list'], resources: [{ type: 'provider', provider: 'main' }] },
      {
        effect: 'allow',
        actions: ['buckets:list'],
        resources: [{ type: 'bucket', provider: 'main', bucket: 'media' }],
      },
    ];
    const warnings = (rules: object[]) =>
      run({
        providers: [{ name: 'main', type: 's3', endpoint: 'http://127.0.0.1:1', region: 'us-east-1' }],
        policies: [{ version: 1, name: 'media', rules }],
        bindings: [{ groups: ['g'], policies: ['media'] }],
      }).err.filter((line) => line.includes('find'));
    expect(warnings([objects])).toEqual([
      expect.stringMatching(/only `media`.*`main`.*`providers:list`/),
      expect.stringMatching(/only `media`.*`main\/media`.*`buckets:list`/),
    ]);
    expect(warnings([objects, ...wayThere])).toEqual([]);
  });

  const prefix = (text: string) => ({ type: 'prefix', provider: 'main', bucket: 'photos', prefix: text });
  const get = (effect: string, ...prefixes: string[]) => ({
    effect,
    actions: ['objects:get'],
    resources: prefixes.map(prefix),
  });
  /** What is warned of, without what is said of every configuration here; each with its line. */
  const warned = (config: object, kind: RegExp) =>
    run({
      auth: {
        enabled: true,
        public_origin: 'https://files.example.com',
        oidc: { issuer: 'https://login.example.com', client_id: 'svc' },
      },
      providers: [{ name: 'main', endpoint: 'https://s3.example.com' }],
      ...config,
    })
      .err.filter((line) => kind.test(line))
      .map((line) => {
        expect(line).toMatch(/^warning: .*svc\.config\.yaml:\d+: /);
        return line.replace(/^warning: .*svc\.config\.yaml:\d+: /, '');
      });

  it('warns of rules that others make superfluous, with the rule and its line', () => {
    const policies = [
      {
        version: 1,
        name: 'wide',
        rules: [
          get('allow', 'a/'),
          get('deny', 'a/b/'),
          get('allow', 'a/c/'),
          get('allow', 'a/b/c/'),
          get('deny', 'a/b/c/'),
        ],
      },
      { version: 1, name: 'same', rules: [get('allow', 'a/d/')] },
      { version: 1, name: 'other', rules: [get('allow', 'a/d/')] },
    ];
    const bindings = [
      { groups: ['g'], policies: ['wide', 'same'] },
      { groups: ['h'], policies: ['other'] },
    ];
    expect(warned({ policies, bindings }, /policy `\w+`, rule/)).toEqual([
      'policies.0.rules.2: policy `wide`, rule 3: all that it allows is allowed by `wide` rule 1 (line 21) already',
      'policies.0.rules.3: policy `wide`, rule 4: all that it allows is denied by `wide` rule 2 (line 35)',
      'policies.0.rules.4: policy `wide`, rule 5: all that it denies is denied by `wide` rule 2 (line 35) already',
      'policies.1.rules.0: policy `same`, rule 1: all that it allows is allowed by `wide` rule 1 (line 21) already',
    ]);
  });

  it('warns of policies, roles and bindings that reach nobody', () => {
    const policies = ['given', 'not-given'].map((name) => ({ version: 1, name, rules: [get('allow', 'a/')] }));
    const roles = {
      reader: { policies: ['given'] },
      idle: { policies: [] },
      lonely: { policies: ['given'] },
      admin: { policies: [] },
    };
    const bindings = [
      { groups: ['g'], role: 'reader' },
      { groups: ['g'], role: 'idle' },
      { groups: ['g'], role: 'admin' },
      { subjects: [{ issuer: 'https://other.example.com', subject: 'eve' }, 'ada'], role: 'reader' },
    ];
    const config = { policies, roles, bindings };
    expect(warned(config, /reach|gives|nobody|no binding/)).toEqual([
      'policies.1: no role and no binding gives the policy `not-given`',
      'roles.lonely: no binding and no local user has the role `lonely`',
      'bindings.1: the binding gives nothing: there is no policy in it',
      'bindings.3.subjects.0: nobody signs in from `https://other.example.com`: `auth.oidc.issuer` is `https://login.example.com`',
    ]);
    expect(
      warned(
        { ...config, auth: { enabled: true, local_users: [{ subject: 'ada', roles: ['reader'] }] } },
        /bindings\.\d/,
      ),
    ).toEqual([
      expect.stringContaining('bindings.0: nobody has a group here'),
      expect.stringContaining('bindings.1: the binding gives nothing'),
      expect.stringContaining('bindings.2: nobody has a group here'),
      expect.stringContaining('bindings.3.subjects.0: no local user has the subject `eve`'),
    ]);
  });

  it('warns of prefixes that reach beyond their folder, and of groups in the form of a path', () => {
    const policies = [{ version: 1, name: 'p', rules: [get('allow', 'a', 'b/', '')] }];
    expect(warned({ policies, bindings: [{ groups: ['/team'], policies: ['p'] }] }, /slash/)).toEqual([
      expect.stringContaining('bindings.0.groups.0: `/team` begins with a slash'),
      expect.stringContaining('policies.0.rules.0.resources.0: the prefix `a` covers `a-more/…` too'),
    ]);
  });

  it('warns of keys that begin with a slash', () => {
    const resources = ['/campaigns/', '/', 'campaigns/'].map((prefix) => ({
      type: 'prefix',
      provider: 'main',
      bucket: 'photos',
      prefix,
    }));
    const rules = [
      {
        effect: 'allow',
        actions: ['objects:read'],
        resources: [
          ...resources,
          { type: 'object', provider: 'main', bucket: 'photos', key: '/a.txt' },
          { ...resources[0], each: 'group' },
        ],
      },
    ];
    const warning = (at: number, key: string) =>
      `policies.0.rules.0.resources.${at}: \`${key}\` begins with a slash, and a key does so only if a program put one there; leave the slash out unless the keys have it`;
    expect(
      warned(
        { policies: [{ version: 1, name: 'p', rules }], bindings: [{ groups: ['g'], policies: ['p'] }] },
        /begins with a slash/,
      ),
    ).toEqual([warning(0, '/campaigns/'), warning(1, '/'), warning(3, '/a.txt'), warning(4, '/campaigns/')]);
  });

  it('warns of an object that is a folder, which covers nothing in the folder', () => {
    const of = (key: string) => ({ type: 'object', provider: 'main', bucket: 'photos', key });
    const rules = [{ effect: 'deny', actions: ['objects:read'], resources: ['secret/', 'secret'].map(of) }];
    expect(
      warned(
        { policies: [{ version: 1, name: 'p', rules }], bindings: [{ groups: ['g'], policies: ['p'] }] },
        /one object/,
      ),
    ).toEqual([
      'policies.0.rules.0.resources.0: the key `secret/` ends with a slash, so that it is one object, the mark of a folder; `type: prefix` covers what is in the folder',
    ]);
  });

  it('warns of keys with two slashes in a row', () => {
    const resources = ['a//b/', 'a/b//', 'a/b/', '//a/'].map((prefix) => ({
      type: 'prefix',
      provider: 'main',
      bucket: 'photos',
      prefix,
    }));
    const rules = [{ effect: 'allow', actions: ['objects:read'], resources }];
    const warning = (at: number, key: string) =>
      `policies.0.rules.0.resources.${at}: \`${key}\` has two slashes in a row, and a key has them only if a program put them there; write one unless the keys have both`;
    expect(
      warned(
        { policies: [{ version: 1, name: 'p', rules }], bindings: [{ groups: ['g'], policies: ['p'] }] },
        /in a row/,
      ),
    ).toEqual([warning(0, 'a//b/'), warning(1, 'a/b//')]);
  });

  it('warns of such keys in an IAM document too, where a prefix without a slash at its end is usual', () => {
    const arn = (key: string) => `arn:aws:s3:::photos/${key}`;
    const Statement = [
      { Effect: 'Allow', Action: 's3:GetObject', Resource: ['/campaigns/*', 'campaigns*'].map(arn) },
      {
        Effect: 'Allow',
        Action: 's3:ListBucket',
        Resource: 'arn:aws:s3:::photos',
        Condition: { StringLike: { 's3:prefix': '/campaigns/*' } },
      },
      { Effect: 'Allow', Action: 's3:GetObject', Resource: ['photos/2025/*', 'a//b/*'].map(arn) },
    ];
    const iam = { Version: '2012-10-17', Statement };
    const found = warned(
      {
        policies: [{ version: 1, name: 'p', provider: 'main', iam }],
        bindings: [{ groups: ['g'], policies: ['p'] }],
      },
      /begins with|covers|in a row/,
    );
    expect(found).toEqual([
      expect.stringMatching(/^policies\.0.*: policy `p`: `\/campaigns\/` begins with a slash, /),
      expect.stringMatching(/^policies\.0.*: policy `p`: `photos\/2025\/` begins with the name of its bucket, /),
      expect.stringMatching(/^policies\.0.*: policy `p`: `a\/\/b\/` has two slashes in a row, /),
    ]);
  });

  it('warns of keys that begin with the name of their bucket', () => {
    const of = (prefix: string) => ({ type: 'prefix', provider: 'main', bucket: 'photos', prefix });
    const resources = [
      'photos/2025/',
      'main/photos/2025/',
      's3://photos/2025/',
      'svc:main/photos/2025/',
      'arn:aws:s3:::photos/2025/',
      'photos-2025/',
      'main/2025/',
    ].map(of);
    const rules = [
      {
        effect: 'deny',
        actions: ['objects:read'],
        resources: [...resources, { type: 'object', provider: 'main', bucket: 'photos', key: 'photos/a.txt' }],
      },
    ];
    const warning = (at: number, key: string) =>
      `policies.0.rules.0.resources.${at}: \`${key}\` begins with the name of its bucket, which is no part of a key; leave out what comes before the key unless the keys have it`;
    expect(
      warned(
        { policies: [{ version: 1, name: 'p', rules }], bindings: [{ groups: ['g'], policies: ['p'] }] },
        /the name of its bucket/,
      ),
    ).toEqual([
      warning(0, 'photos/2025/'),
      warning(1, 'main/photos/2025/'),
      warning(2, 's3://photos/2025/'),
      warning(3, 'svc:main/photos/2025/'),
      warning(4, 'arn:aws:s3:::photos/2025/'),
      warning(7, 'photos/a.txt'),
    ]);
  });

  it('warns of an endpoint with a path that could be a bucket', () => {
    const provider = (name: string, endpoint: string, more = {}) => ({ name, endpoint, ...more });
    const providers = [
      provider('a', 'http://127.0.0.1:1/media'),
      provider('b', 'https://s3.example.com/', { public_endpoint: 'https://files.example.com/media/' }),
      provider('c', 'https://s3.example.com/storage/v1/s3'),
      provider('d', 'https://media.s3.eu-west-1.amazonaws.com'),
      provider('e', 'https://s3.eu-west-1.amazonaws.com'),
      provider('f', 'https://bucket.vpce-0a1b2c3d.s3.eu-west-1.vpce.amazonaws.com'),
    ];
    const message =
      'has a path, with which every request begins; if it is the name of a bucket, leave it out and write the bucket into `buckets`';
    expect(warned({ providers }, /has a path/)).toEqual([
      `providers.0.endpoint: ${message}`,
      `providers.1.public_endpoint: ${message}`,
    ]);
    expect(warned({ providers }, /name of a bucket in front/)).toEqual([
      'providers.3.endpoint: has the name of a bucket in front; leave it out and write the bucket into `buckets`',
    ]);
  });

  it('tells the warnings beside cases that do not come out as expected', () => {
    written.write('cases.yaml', '- { subject: dev, issuer: "", action: "providers:list", path: main, expect: allow }');
    const config = {
      auth: { enabled: true, local_users: [{ subject: 'dev', roles: ['none'] }] },
      roles: { none: { policies: [] }, idle: { policies: [] } },
      policy: { tests: ['cases.yaml'] },
    };
    expect(run(config)).toEqual({
      status: 2,
      out: [],
      err: [
        expect.stringMatching(
          /svc\.config\.yaml:\d+: policy\.tests\.0: .*cases\.yaml:1: case 1: `providers:list` on `main` as `dev` is deny, not allow$/,
        ),
        expect.stringMatching(/^warning: .*svc\.config\.yaml: providers: no storage provider is configured/),
        expect.stringMatching(
          /^warning: .*svc\.config\.yaml:\d+: roles\.idle: no binding and no local user has the role `idle`$/,
        ),
      ],
    });
  });

  it('gives the README an example that needs no warning', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const example =
      [...readme.matchAll(/```yaml\n([^]*?)```/g)]
        .map(([, text = '']) => text)
        .find((text) => text.includes('name: campaigns')) ?? '';
    const yaml = example.replaceAll(/\$\{file:[^}]*\}/g, 'x'.repeat(40));
    expect(yaml).toContain('campaigns');
    writeFileSync(written.file, yaml);
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const env = Object.fromEntries([...yaml.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => [name, 'x'.repeat(40)]));
    expect({
      status: configCheck(written.file, { ...SECRET, ...env }, { print, printError: print }),
      warnings: lines.filter((line) => line.startsWith('warning')),
    }).toEqual({ status: 0, warnings: [] });
  });

  it('finds no fault in the example', () => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    expect({
      status: configCheck(new URL('../../svc.config.yaml', import.meta.url).pathname, SECRET, {
        print,
        printError: print,
      }),
      warnings: lines.filter((line) => line.startsWith('warning')),
    }).toEqual({
      status: 0,
      warnings: [],
    });
  });
});

describe('svc config check as a process', () => {
  const check = async (config: unknown, env: Record<string, string> = SECRET) => {
    const machine = await Machine.make();
    writeFileSync(written.file, typeof config === 'string' ? config : JSON.stringify(config, undefined, 1));
    try {
      return await machine.start(['config', 'check', written.file], env).ended;
    } finally {
      await machine.remove();
    }
  };

  it('ends with 0 and what to register', async () => {
    expect(await check(validConfig())).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('register this redirect URI'),
      stderr: expect.stringContaining(`${KEYS_STAY_HERE}\n`),
    });
  });

  it('ends with 2, names every key at fault with its line, and shows no stack and no secret', async () => {
    const config = validConfig();
    const result = await check({
      ...config,
      server: { port: 'eighty' },
      log: { level: 'loud' },
      providers: [{ ...config.providers[0], region: 5 }],
      auth: { ...config.auth, oidc: { ...config.auth.oidc, client_auth: 'none' } },
    });
    expect(result).toMatchObject({ status: 2, stdout: '' });
    for (const key of ['server.port', 'log.level', 'providers.0.region', 'auth.oidc.client_auth'])
      expect(result.stderr).toMatch(new RegExp(`^${written.file}:\\d+: ${key.replaceAll('.', '\\.')}: `, 'm'));
    expect(result.stderr).not.toMatch(/canary|a-session-secret|\n\s+at |node:|Error:/);
  });

  it.each([
    ['no YAML', 'server: {', /^\S+:\d+: /],
    [
      'a reference to a variable that is not set',
      { server: { host: '${SVC_TEST_NOT_SET}' } },
      /server\.host: .*SVC_TEST_NOT_SET/,
    ],
  ])('ends with 2 to %s', async (_what, config, message) => {
    const result = await check(config);
    expect(result).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  it('names `--config` where no file is named and none is there', async () => {
    const machine = await Machine.make();
    const verbs = [['policy', 'list'], ['audit', 'verify'], ['state', 'check'], ['doctor'], ['serve']];
    for (const args of verbs)
      expect([args, await machine.svc(...args)]).toMatchObject([
        args,
        { status: 2, stderr: `${NO_FILE}\nname the configuration with \`--config FILE\`\n` },
      ]);
    expect(await machine.svc('policy', 'list', '--config', 'none.yaml')).toMatchObject({
      status: 2,
      stderr: `${NO_FILE.replace('svc.config', 'none')}\n`,
    });
    expect(await machine.svc('policy', 'diff', 'svc.config.yaml', 'svc.config.yaml')).toMatchObject({
      status: 2,
      stderr: `${NO_FILE}\n`,
    });
    await machine.remove();
  });

  it('takes the file by `--config` too, as the other verbs do, and not twice', async () => {
    const machine = await Machine.make();
    writeFileSync(written.file, JSON.stringify({}));
    for (const args of [[written.file], ['--config', written.file], ['-c', written.file]])
      expect([args, await machine.svc('config', 'check', ...args)]).toMatchObject([
        args,
        { status: 0, stdout: expect.stringContaining(`${written.file} is fine`) },
      ]);
    expect(await machine.svc('config', 'check', written.file, '--config', 'other.yaml')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'the configuration is named twice: give FILE or `--config FILE`\n',
    });
    await machine.remove();
  });

  it('ends with 2 where there is no such file', async () => {
    const machine = await Machine.make();
    expect(await machine.svc('config', 'check', 'none.yaml')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('none.yaml'),
    });
    expect(await machine.svc('config', 'check')).toMatchObject({
      status: 2,
      stderr: `${NO_FILE}\nname the configuration as in \`svc config check FILE\`\n`,
    });
    await machine.remove();
  });
});
