import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { SECRET, validConfig } from '../config/written-config.ts';
import { Machine } from './svc-process.ts';

let machine: Machine;

beforeAll(async () => {
  machine = await Machine.make();
  Object.assign(machine.env, SECRET);
  await writeFile(join(machine.home, 'svc.config.yaml'), dump(validConfig()));
  await writeFile(join(machine.home, 'broken.yaml'), dump({ ...validConfig(), roles: {} }));
});
afterAll(() => machine.remove());

const explain = (...args: string[]) => machine.svc('policy', 'explain', ...args);

describe('svc policy explain', () => {
  it('answers 0 with the rule that allows', async () => {
    expect(await explain('--subject', 'petra', 'objects:get', 'main/photos/2025/sea.jpg')).toEqual({
      status: 0,
      stdout:
        'roles: none; policies: photos\nobjects:get on main/photos/2025/sea.jpg: allowed\n  allow by photos rule 1 (svc.config.yaml:81), on main/photos/2025/…\n',
      stderr: '',
    });
  });

  it('answers 3 where no rule allows, and where one denies', async () => {
    expect(await explain('--subject', 'petra', 'objects:get', 'main/photos/2024/sea.jpg')).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('objects:get on main/photos/2024/sea.jpg: denied: no rule allows it'),
    });
    expect(await explain('--subject', 'ada', '--group', 'admins', 'objects:delete', 'main/photos/a')).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(
        /^roles: admin; policies: default-admin, nobody-deletes\nobjects:delete on main\/photos\/a: denied by a rule\n(?: {2}.+\n)*? {2}deny by nobody-deletes rule 1 \(svc\.config\.yaml:54\), on everything\n/,
      ),
    });
  });

  it('warns of a provider that the configuration does not have, as `who` does', async () => {
    const stderr = 'warning: no provider is named `mian`; did you mean `main`?\n';
    expect(await explain('-s', 'petra', 'objects:get', 'mian/photos/2025/a')).toMatchObject({ status: 3, stderr });
    expect(await machine.svc('policy', 'who', 'objects:read', 'mian/photos/2025/a')).toMatchObject({
      status: 0,
      stderr,
    });
  });

  it('counts groups as often as they are given, and a subject of the named issuer alone', async () => {
    expect(await explain('-s', 'x', '-g', 'unknown', '-g', 'viewers', 'objects:get', 'main/photos/a')).toMatchObject({
      status: 0,
    });
    expect(await explain('-s', 'paul', 'objects:get', 'main/photos/2025/a')).toMatchObject({ status: 3 });
    expect(
      await explain('-s', 'paul', '-i', 'https://other.example.com', 'objects:get', 'main/photos/2025/a'),
    ).toMatchObject({ status: 0 });
  });

  it('explains each action of a name that includes several', async () => {
    const { status, stdout } = await explain('-s', 'petra', '--json', 'objects:read', 'main/photos/2025/a');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      allowed: true,
      identity: { subject: 'petra', groups: [] },
      policies: ['photos'],
      answers: [
        { action: 'objects:list', decision: { allowed: true }, matches: [{ rule: { policy: 'photos', rule: 0 } }] },
        { action: 'objects:get', decision: { allowed: true } },
      ],
    });
  });

  it('answers 2 to an unknown action, with the nearest one, to a path that does not fit, to no subject and to a broken configuration', async () => {
    expect(await explain('-s', 'petra', 'objects:gett', 'main/photos/a')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('`objects:get`'),
    });
    expect(await explain('-s', 'petra', 'objects:get', 'main/photos')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('write `PROVIDER/BUCKET/KEY` in place of `main/photos`'),
    });
    expect(await explain('objects:get', 'main/photos/a')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--subject'),
    });
    expect(await explain('-s', 'petra', '-c', 'broken.yaml', 'objects:get', 'main/photos/a')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^broken\.yaml:\d+: .*no role is named `admin`/),
    });
    expect(await explain('-s', 'petra', '-c', 'none.yaml', 'objects:get', 'main/photos/a')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('none.yaml'),
    });
  });
});

describe('the policies of a configuration whose secrets are elsewhere', () => {
  const withoutSecrets = (args: readonly string[], env: Record<string, string> = {}) =>
    machine.start(args, { NODE_ENV: 'production', SVC_SESSION_SECRET: '', ...env }).ended;
  const write = (change: (config: ReturnType<typeof validConfig>) => object) =>
    writeFile(join(machine.home, 'no-secrets.yaml'), dump(change(validConfig())));
  const unset = (config: ReturnType<typeof validConfig>) => ({
    ...config,
    auth: {
      ...config.auth,
      oidc: { ...config.auth.oidc, client_secret: '${OIDC_SECRET}' },
      session: { type: 'redis', url: '${REDIS_URL}' },
    },
    server: { port: '${PORT}', base_path: '${BASE_PATH}' },
    audit: { path: 'audit', instance: '${INSTANCE}', signing_secret: '${AUDIT_SECRET}' },
    providers: config.providers.map((provider) => ({
      ...provider,
      credentials: { access_key_id: '${KEY_ID}', secret_access_key: '${file:/run/secrets/nowhere}' },
    })),
  });

  it('are explained, listed and tested, while `config check` names each', async () => {
    await write(unset);
    await writeFile(
      join(machine.home, 'one.yaml'),
      dump([{ subject: 'petra', action: 'objects:get', path: 'main/photos/2025/a', expect: 'allow' }]),
    );
    expect(
      await withoutSecrets([
        'policy',
        'explain',
        '-c',
        'no-secrets.yaml',
        '-s',
        'petra',
        'objects:get',
        'main/photos/2025/a',
      ]),
    ).toMatchObject({ status: 0, stdout: expect.stringContaining('allow by photos rule 1'), stderr: '' });
    expect(await withoutSecrets(['policy', 'list', '-c', 'no-secrets.yaml'])).toMatchObject({ status: 0, stderr: '' });
    expect(await withoutSecrets(['policy', 'test', '-c', 'no-secrets.yaml', 'one.yaml'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('\n1 case as expected\n'),
      stderr: '',
    });
    const checked = await withoutSecrets(['config', 'check', 'no-secrets.yaml']);
    expect(checked.status).toBe(2);
    for (const part of [
      '`OIDC_SECRET` is not set',
      '`REDIS_URL` is not set',
      '`PORT` is not set',
      '`BASE_PATH` is not set',
      '`AUDIT_SECRET` is not set',
      '`INSTANCE` is not set',
      '`KEY_ID` is not set',
      '`/run/secrets/nowhere` cannot be read',
      'SVC_SESSION_SECRET',
    ])
      expect(checked.stderr).toContain(part);
  });

  it('are refused where they themselves, or the issuer of their subjects, are elsewhere, and where the file is wrong', async () => {
    const list = () => withoutSecrets(['policy', 'list', '-c', 'no-secrets.yaml']);
    await write((config) => ({ ...unset(config), bindings: [{ groups: ['${GROUP}'], role: 'admin' }] }));
    expect(await list()).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^no-secrets\.yaml:\d+: bindings\.0\.groups\.0: .*`GROUP` is not set.*\n$/),
    });
    await write((config) => ({
      ...unset(config),
      auth: { ...config.auth, oidc: { ...config.auth.oidc, issuer: '${ISSUER}' } },
    }));
    expect(await list()).toMatchObject({ status: 2, stderr: expect.stringContaining('`ISSUER` is not set') });
    await write((config) => ({ ...unset(config), bindngs: [] }));
    expect(await list()).toMatchObject({ status: 2, stderr: expect.stringContaining('bindngs') });
  });
});

describe('svc policy list', () => {
  it('shows built-in, configured and imported policies as their rules, and the roles', async () => {
    const { status, stdout } = await machine.svc('policy', 'list');
    expect(status).toBe(0);
    expect(stdout).toContain('default-admin (built-in)\n');
    expect(stdout).toContain('nobody-deletes (config)\n  1 deny objects:delete on everything\n');
    expect(stdout).toContain('photos (config)\n  1 allow objects:list, objects:get on main/photos/2025/…\n');
    expect(stdout).toContain('inbox (iam)\n  1 allow objects:write on main/inbox/…\n');
    expect(stdout).toContain('role admin: default-admin, nobody-deletes\n');
  });

  it('gives scripts the same with --json', async () => {
    const { policies, roles, bindings } = JSON.parse(
      (await machine.svc('policy', 'list', '--json', '-c', join(machine.home, 'svc.config.yaml'))).stdout,
    ) as Record<string, { name: string }[]>;
    expect(policies?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['default-viewer', 'nobody-deletes', 'photos', 'inbox']),
    );
    expect({ roles: roles?.map(({ name }) => name), bindings: bindings?.length }).toEqual({
      roles: ['admin', 'viewer'],
      bindings: 3,
    });
  });
});

describe('svc policy test', () => {
  const test = async (cases: unknown, ...options: string[]) => {
    await writeFile(join(machine.home, 'cases.yaml'), typeof cases === 'string' ? cases : dump(cases));
    return machine.svc('policy', 'test', ...options, 'cases.yaml');
  };
  const petra = { subject: 'petra', action: 'objects:get', path: 'main/photos/2025/a', expect: 'allow' };

  it('answers 0 when all come out as expected', async () => {
    expect(
      await test([
        petra,
        { ...petra, path: 'main/photos/2024/a', expect: 'deny' },
        { ...petra, subject: 'x', groups: ['admins'], action: 'buckets:create', path: 'main/new-one' },
      ]),
    ).toEqual({
      status: 0,
      stdout: [
        'ok  petra       objects:get     main/photos/2025/a  allow  by photos rule 1 (svc.config.yaml:81)',
        'ok  petra       objects:get     main/photos/2024/a  deny   no rule allows it',
        'ok  x (admins)  buckets:create  main/new-one        allow  by default-admin rule 1',
        '3 cases as expected',
        '1 of 5 rules decided a case: 20 %',
        '  no case is decided by nobody-deletes rule 1 (svc.config.yaml:54)',
        '  no case is decided by photos rule 2 (svc.config.yaml:89)',
        '  no case is decided by photos rule 3 (svc.config.yaml:95)',
        '  no case is decided by inbox rule 1 (svc.config.yaml:102)',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('rounds the percentage of rules that decided a case down', async () => {
    const admin = { subject: 'x', groups: ['admins'], action: 'objects:delete', path: 'main/photos/a', expect: 'deny' };
    const way = [
      { ...petra, action: 'providers:read', path: 'main' },
      { ...petra, action: 'buckets:read', path: 'main/photos' },
    ];
    expect((await test([petra, ...way, admin])).stdout).toContain(
      '\n4 of 5 rules decided a case: 80 %\n  no case is decided by inbox rule 1',
    );
    expect(JSON.parse((await test([petra, ...way, admin], '--json')).stdout)).toMatchObject({
      passed: 4,
      coverage: { rules: 5, decided: 4, percent: 80, undecided: [{ policy: 'inbox', rule: 0 }] },
    });
  });

  it('asks the files that the configuration names', async () => {
    await writeFile(join(machine.home, 'cases.yaml'), dump([petra]));
    await writeFile(
      join(machine.home, 'tested.yaml'),
      dump({ ...validConfig(), policy: { ...validConfig().policy, tests: ['cases.yaml'] } }),
    );
    expect(await machine.svc('policy', 'test', '-c', 'tested.yaml')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('\n1 case as expected\n'),
    });
    expect(await machine.svc('policy', 'test')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('`policy.tests`'),
    });
  });

  it('answers 1 and names each that does not', async () => {
    const result = await test([petra, { ...petra, expect: 'deny', because: 'petra left' }, { ...petra, path: 'main' }]);
    expect(result).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(
        '\nFAILED  petra  objects:get  main/photos/2025/a  allow, not deny  by photos rule 1 (svc.config.yaml:81)\nFAILED  petra  objects:get  main                cannot be asked\n1 case as expected, 2 not\n',
      ),
    });
    expect(result.stderr).toContain(
      'cases.yaml:5: case 2: `objects:get` on `main/photos/2025/a` as `petra` is allow, not deny (petra left)\n',
    );
    expect(result.stderr).toContain('cases.yaml:10: case 3: `objects:get` applies to an object');
    expect(JSON.parse((await test([{ ...petra, expect: 'deny' }], '--json')).stdout)).toMatchObject({
      passed: 0,
      failed: [{ at: 1 }],
    });
  });

  it.each([
    ['no list', 'subject: petra', 'is not a list of cases'],
    [
      'a member that is not known',
      [{ subject: 'petra', acton: 'x' }],
      'cases.yaml:1: case 1: there is no member `acton`',
    ],
    [
      'no expectation',
      [{ subject: 'petra', action: 'objects:get', path: 'main/photos/a' }],
      '`expect` has to be `allow` or `deny`',
    ],
    ['no YAML', '- {', 'cases.yaml:'],
  ])('answers 2 to %s', async (_what, cases, message) => {
    expect(await test(cases)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });
});
