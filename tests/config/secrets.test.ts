import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadPolicy } from '../../src/config/load.ts';
import { SECRET, validConfig, WrittenConfig } from './written-config.ts';

const written = new WrittenConfig();
afterAll(() => written.remove());

const LONG = 'x'.repeat(32);

describe('the session secret', () => {
  it('comes from the environment or from a file, and the previous one verifies still', () => {
    const file = written.write('session-secret', `${LONG}f\n`);
    expect(written.load({}, { SVC_SESSION_SECRET: LONG }).settings?.auth.sessionSecrets).toEqual([LONG]);
    expect(
      written.load({}, { SVC_SESSION_SECRET_FILE: file, SVC_SESSION_SECRET_PREVIOUS: `${LONG}p` }).settings?.auth
        .sessionSecrets,
    ).toEqual([`${LONG}f`, `${LONG}p`]);
  });

  it.each([
    [{ SVC_SESSION_SECRET: 'x'.repeat(31) }, 'SVC_SESSION_SECRET: must be 32 bytes or more; it has 31'],
    [{ SVC_SESSION_SECRET: '' }, 'SVC_SESSION_SECRET: must be 32 bytes or more; it has 0'],
    [
      { SVC_SESSION_SECRET: LONG, SVC_SESSION_SECRET_PREVIOUS: 'short' },
      'SVC_SESSION_SECRET_PREVIOUS: must be 32 bytes or more; it has 5',
    ],
    [
      { SVC_SESSION_SECRET: LONG, SVC_SESSION_SECRET_FILE: '/etc/hostname' },
      'SVC_SESSION_SECRET: is set twice: as `SVC_SESSION_SECRET` and as `SVC_SESSION_SECRET_FILE`',
    ],
    [
      { SVC_SESSION_SECRET_FILE: '/dev/zero' },
      'SVC_SESSION_SECRET_FILE: the file `/dev/zero` is neither a regular file nor a link to one',
    ],
    [
      { SVC_SESSION_SECRET_FILE: '/does/not/exist' },
      'SVC_SESSION_SECRET_FILE: the file `/does/not/exist` cannot be read: there is no such file',
    ],
    [
      { NODE_ENV: 'production' },
      'SVC_SESSION_SECRET: is not set; production needs one of 32 bytes or more, such as from `openssl rand -base64 48`',
    ],
  ])('is refused: %j', (env, fault) => {
    expect(written.faults({}, env)).toEqual([fault]);
  });

  it.each([
    [
      { SVC_SESSION_SECRET_FILE: '/does/not/exist' },
      'SVC_SESSION_SECRET_FILE: the file `/does/not/exist` cannot be read: there is no such file',
    ],
    [{ SVC_SESSION_SECRET: 'short' }, 'SVC_SESSION_SECRET: must be 32 bytes or more; it has 5'],
    [
      { SVC_SESSION_SECRET: LONG, SVC_SESSION_SECRET_FILE: '/etc/hostname' },
      'SVC_SESSION_SECRET: is set twice: as `SVC_SESSION_SECRET` and as `SVC_SESSION_SECRET_FILE`',
    ],
  ])('has one fault in production, too: %j', (env, fault) => {
    expect(written.faults({}, { NODE_ENV: 'production', ...env })).toEqual([fault]);
  });

  it('counts bytes, not letters', () => {
    expect(written.faults({}, { SVC_SESSION_SECRET: 'ä'.repeat(16) })).toEqual([]);
  });

  it('is random outside of production, one for each process, with a warning', () => {
    const config = {
      auth: { enabled: true, local_users: [{ subject: 'dev', roles: [] }] },
      providers: [{ name: 'main' }],
    };
    const [first, second] = [written.load(config, {}), written.load(config, {})];
    expect(first.settings?.auth.sessionSecrets[0]).toHaveLength(64);
    expect(second.settings?.auth.sessionSecrets).toEqual(first.settings?.auth.sessionSecrets);
    const script = `console.log(JSON.stringify((await import(${JSON.stringify(new URL('../../src/config/read/secrets.ts', import.meta.url).href)})).sessionSecrets({}, undefined, () => undefined)))`;
    const other = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
    ) as string[];
    expect(other[0]).toHaveLength(64);
    expect(other).not.toEqual(first.settings?.auth.sessionSecrets);
    expect(first.warnings?.[0]?.message).toContain('SVC_SESSION_SECRET is not set');
  });
});

describe('the secret of S3 keys', () => {
  const config = (secret?: string) => {
    const { s3, ...others } = validConfig();
    return { ...others, s3: { ...s3, secret } };
  };
  const secretsOf = (secret: string | undefined, env: Record<string, string>) =>
    written.load(config(secret), { ...SECRET, ...env }).settings?.s3?.secrets;

  it('stands in the configuration, in the environment or in a file, and the previous one verifies still', () => {
    const SVC_S3_SECRET_FILE = written.write('s3-secret', `${LONG}f\n`);
    const SVC_S3_SECRET_PREVIOUS = `${LONG}p`;
    expect(secretsOf(undefined, { SVC_S3_SECRET: LONG })).toEqual([LONG]);
    expect(secretsOf(undefined, { SVC_S3_SECRET_FILE, SVC_S3_SECRET_PREVIOUS })).toEqual([`${LONG}f`, `${LONG}p`]);
    expect(secretsOf(`${LONG}c`, { SVC_S3_SECRET: LONG, SVC_S3_SECRET_PREVIOUS })).toEqual([`${LONG}c`, `${LONG}p`]);
  });

  it.each([
    [
      {},
      's3.secret: is missing: set it, or `SVC_S3_SECRET`, to 32 bytes or more, such as from `openssl rand -base64 48`',
    ],
    [{ SVC_S3_SECRET: 'short' }, 'SVC_S3_SECRET: must be 32 bytes or more; it has 5'],
    [
      { SVC_S3_SECRET: LONG, SVC_S3_SECRET_PREVIOUS: 'short' },
      'SVC_S3_SECRET_PREVIOUS: must be 32 bytes or more; it has 5',
    ],
  ])('is refused: %j', (env, fault) => {
    expect(written.faults(config(), { ...SECRET, ...env })).toEqual([fault]);
  });

  it('counts bytes, not letters, in the configuration too', () => {
    expect(written.faults(config('ä'.repeat(16)))).toEqual([]);
    expect(written.faults(config('canary'))).toEqual(['s3.secret: must be 32 bytes or more; it has 6']);
  });

  it('is not asked for where only policies are read', () => {
    written.load(config('${S3_SECRET}'), SECRET);
    expect(loadPolicy({ file: written.file, env: {} }).faults).toEqual(
      loadPolicy({ file: written.file, env: { S3_SECRET: LONG } }).faults,
    );
  });
});

describe('the messages of loadSettings', () => {
  it('hold no value from outside, wherever it stands', () => {
    const env = { ...SECRET, CANARY: 'canary-from-outside' };
    const config = {
      server: { host: '0.0.0.0', trusted_proxies: ['${CANARY}'] },
      auth: {
        oidc: { issuer: '${CANARY}', client_id: 'svc', groups_claim: '${CANARY}' },
        bindings: [{ groups: ['${CANARY}*'], role: '${CANARY}' }],
        session: { type: '${CANARY}' },
      },
      identity: { groups_claim: 'groups' },
      providers: [{ name: 'main', buckets: ['${CANARY}!'], endpoint: '${CANARY}' }],
      policies: [
        { version: 1, name: '${CANARY}', iam_file: '${CANARY}' },
        {
          version: 1,
          name: '${CANARY}',
          rules: [
            {
              effect: '${CANARY}',
              actions: ['${CANARY}'],
              resources: [{ type: '${CANARY}' }, { type: 'bucket', provider: '${CANARY}', bucket: '${CANARY}*' }],
            },
          ],
        },
      ],
    };
    const faults = written.faults(config, env);
    expect(faults.length).toBeGreaterThan(12);
    expect(faults.join('\n')).not.toContain('canary');
  });

  it('hold no part of a file that is not YAML', () => {
    for (const line of [
      'client_secret: *canary',
      'client_secret: !canary x',
      'client_secret: "canary',
      'client_secret:canary',
      '{client_secret:canary}',
      'client_secret: %canary',
      'client_secret: @canary',
      'client_secret: !<canary> x',
      '- canary: [',
      '\tclient_secret: canary',
    ]) {
      const faults = written.faults(`auth:\n  oidc:\n    issuer: a\n    ${line}\n`);
      expect(faults).not.toEqual([]);
      expect(faults.join()).not.toContain('canary');
    }
  });

  it('hold no secret of the file, even where it stands a second time', () => {
    const config = validConfig();
    config.bindings[1]!.role = 'canary-client-secret';
    config.providers[1]!.buckets = ['canary-secret-access-key!', 'canary-redis-password!'];
    const faults = written.faults(config);
    expect(faults).toHaveLength(3);
    expect(faults.join()).not.toContain('canary');
  });
});
