import { afterAll, describe, expect, it } from '@jest/globals';
import { PrivateAuthority } from '../../support/private-authority.ts';
import { WrittenConfig } from '../../config/written-config.ts';

const written = new WrittenConfig();
const authority = new PrivateAuthority();
afterAll(() => {
  written.remove();
  authority.remove();
});

const withState = (state: object) => ({ providers: [{ name: 'main', endpoint: 'https://s3.example.com' }], state });
const stateOf = (state: object) => written.load(withState(state)).settings?.state;
const PLACE = {
  type: 'postgres',
  user: 'svc',
  database: 'db',
  password: undefined,
  passwordFile: undefined,
  tls: undefined,
  poolSize: 10,
  connectTimeoutMs: 2000,
  statementTimeoutMs: 2000,
};

describe('`state.url`', () => {
  it('names a database on one server or several, with what is percent-encoded', () => {
    expect(stateOf({ url: 'postgres://svc@127.0.0.1/db' })).toEqual({
      ...PLACE,
      servers: [{ host: '127.0.0.1', port: 5432 }],
    });
    expect(
      stateOf({
        url: 'postgresql://s%40c:p%3A%2F%40%25@a.example:5433,[::1]:7/d%20b?target_session_attrs=primary&sslmode=disable',
        pool_size: 3,
        connect_timeout_seconds: 0.5,
      }),
    ).toEqual({
      ...PLACE,
      user: 's@c',
      password: 'p:/@%',
      database: 'd b',
      servers: [
        { host: 'a.example', port: 5433 },
        { host: '::1', port: 7 },
      ],
      poolSize: 3,
      connectTimeoutMs: 500,
    });
  });

  it('takes a password from a file, and a client certificate', () => {
    const { key, cert } = authority.issue();
    const [passwordFile] = [
      written.write('password', 'secret\n'),
      written.write('client.crt', cert),
      written.write('client.key', key),
    ];
    const state = stateOf({
      url: 'postgresql://svc@db.example/db',
      password_file: 'password',
      tls: { ca_file: authority.file, cert_file: 'client.crt', key_file: 'client.key' },
    });
    expect(state).toMatchObject({ passwordFile, password: undefined, tls: { cert, key } });
    expect(state?.type === 'postgres' && state.tls?.ca?.includes(authority.certificate.trim())).toBe(true);
  });

  it.each([
    [{}, /^state: needs `path`/],
    [{ path: 'a', url: 'postgres://svc@a/db' }, /^state.url: goes without `state.path`/],
    [{ path: 'a', password_file: 'b' }, /^state.password_file: goes with `state.url`/],
    ...[
      'mysql://a@b/c',
      'postgres://a@b',
      'postgres://b/c',
      'postgres://a@b:99999/c',
      'postgres://a@b,/c',
      'postgres://a@/c',
      'postgres://a:%@b/c',
    ].map((url) => [{ url }, /^state.url: must be a URL such as/] as const),
    [{ url: 'postgres://svc@a/db?sslmode=prefer' }, /^state.url: `sslmode=prefer` is not known here/],
    [
      { url: 'postgres://svc:secret-of-db@a/db', password_file: 'password' },
      /^state.password_file: goes with a `state.url` that holds no password/,
    ],
    [{ url: 'postgres://svc@a/db', password_file: 'missing' }, /^state.password_file: the file .* cannot be read/],
    [
      { url: 'postgres://svc@a/db', tls: { cert_file: 'password', key_file: 'password' } },
      /^state.tls.cert_file: the file .* holds nothing in PEM form/,
    ],
    [{ url: 'postgres://svc@a/db', tls: { cert_file: 'client.crt' } }, /^state.tls: needs both/],
  ])('%j is a fault', (state, fault) => {
    const faults = written.faults(withState(state));
    expect(faults.join('\n')).toMatch(new RegExp(fault.source, 'm'));
    expect(faults.join('\n')).not.toContain('secret-of-db');
  });

  it('warns where passwords cross a network as they are', () => {
    const warned = (url: string) =>
      written.warnings(withState({ url })).some((warning) => warning.startsWith('state.url: passwords'));
    expect([
      warned('postgres://svc@127.0.0.1/db'),
      warned('postgres://svc@db.example/db'),
      warned('postgres://svc@db.example/db?sslmode=verify-full'),
    ]).toEqual([false, true, false]);
  });
});
