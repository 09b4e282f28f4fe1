import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { PrivateAuthority } from '../../support/private-authority.ts';
import { SECRET, WrittenConfig } from '../../config/written-config.ts';

const written = new WrittenConfig();
const authority = new PrivateAuthority();
afterAll(() => {
  written.remove();
  authority.remove();
});

const SIGNING = 'canary-signing-secret-of-enough-bytes';
const withSinks = (...sinks: readonly object[]) => ({
  auth: { enabled: true, local_users: [{ subject: 'dev', roles: [] }] },
  providers: [{ name: 'main' }],
  audit: { path: 'audit', signing_secret: SIGNING, sinks },
});

describe('audit.sinks', () => {
  it('are reached by HTTP or syslog, with what is usual there', () => {
    const file = written.write('token', 'canary-token\n');
    writeFileSync(join(written.directory, 'ca.pem'), authority.certificate);
    const { settings, warnings } = written.load(
      withSinks(
        {
          name: 'siem',
          url: 'https://siem.example.com/ingest',
          headers: [{ name: 'Authorization', value: `Bearer \${file:${file}}` }],
          tls: { ca_file: 'ca.pem' },
        },
        { name: 'logs', url: 'syslog+tls://logs.example.com' },
        {
          name: 'near',
          url: 'syslog+tcp://[::1]:5514/',
          facility: 'local3',
          timeout_seconds: 2.5,
          spool_bytes: 100_000,
        },
      ),
      SECRET,
    );
    const tls = { ca: undefined, cert: undefined, key: undefined };
    expect(settings?.audit?.sinks).toMatchObject([
      {
        name: 'siem',
        target: {
          type: 'http',
          url: 'https://siem.example.com/ingest',
          headers: { authorization: 'Bearer canary-token' },
          proxy: undefined,
        },
        timeoutMs: 30_000,
        spoolBytes: 1_073_741_824,
      },
      { name: 'logs', target: { type: 'syslog', host: 'logs.example.com', port: 6514, tls, facility: 13 } },
      {
        name: 'near',
        target: { type: 'syslog', host: '::1', port: 5514, tls: undefined, facility: 19 },
        timeoutMs: 2_500,
        spoolBytes: 100_000,
      },
    ]);
    expect((settings!.audit!.sinks[0]!.target as { tls: { ca: readonly string[] } }).tls.ca).toContain(
      authority.certificate.trim(),
    );
    expect(warnings).toEqual([]);
  });

  it('may have any path', () => {
    const url = 'https://siem.example.com//ingest';
    expect(written.load(withSinks({ name: 'siem', url }), SECRET).settings?.audit?.sinks[0]?.target).toMatchObject({
      url,
    });
  });

  it('go through the proxy of the environment', () => {
    const { settings } = written.load(withSinks({ name: 'siem', url: 'https://siem.example.com/' }), {
      ...SECRET,
      HTTPS_PROXY: 'http://proxy.example.com:3128',
    });
    expect(settings?.audit?.sinks[0]?.target).toMatchObject({ proxy: { https: 'http://proxy.example.com:3128/' } });
  });

  it.each([
    [{ name: 'a', url: 'ftp://logs.example.com' }, 'audit.sinks.0.url: must be a URL such as'],
    [
      { name: 'a', url: 'https://user:canary-password@siem.example.com/' },
      'audit.sinks.0.url: must not hold credentials',
    ],
    [{ name: 'a', url: 'https://siem.example.com/?token=canary-token' }, 'audit.sinks.0.url: must have no query'],
    [{ name: 'a', url: 'syslog+udp://logs.example.com:514' }, 'audit.sinks.0.url: must be a URL such as `syslog+tls:'],
    [
      { name: 'a', url: 'syslog+tls://logs.example.com:70000' },
      'audit.sinks.0.url: must be a URL such as `syslog+tls:',
    ],
    [
      { name: 'a', url: 'syslog+tls://logs.example.com', headers: [{ name: 'x', value: 'canary-value' }] },
      'audit.sinks.0.headers: go with a `url` of `https`',
    ],
    [{ name: 'a', url: 'syslog+tcp://127.0.0.1', tls: {} }, 'audit.sinks.0.tls: goes with `syslog+tls`'],
    [
      { name: 'a', url: 'https://siem.example.com/', headers: [{ name: 'Bad Name', value: 'canary-value' }] },
      'audit.sinks.0.headers.0.name: is not the name of a header',
    ],
    [
      { name: 'a', url: 'https://siem.example.com/', headers: [{ name: 'Content-Length', value: '1' }] },
      'audit.sinks.0.headers.0.name: is a header that the service sets itself',
    ],
    [
      { name: 'a', url: 'https://siem.example.com/', headers: [{ name: 'x', value: 'canary-value\nfurther: 1' }] },
      'audit.sinks.0.headers.0.value: holds a character',
    ],
    [{ name: 'A', url: 'https://siem.example.com/' }, 'audit.sinks.0.name: '],
    [
      { name: 'a', url: 'https://siem.example.com/', tls: { ca_file: 'missing.pem' } },
      'audit.sinks.0.tls.ca_file: the file',
    ],
  ])('are refused: %j', (sink, fault) => {
    const faults = written.faults(withSinks(sink), SECRET);
    expect(faults).toEqual([expect.stringContaining(fault)]);
    expect(faults.join()).not.toContain('canary-');
  });

  it('have names of their own, and a warning where they are reached without TLS', () => {
    const twice = [
      { name: 'a', url: 'http://siem.example.com/' },
      { name: 'a', url: 'syslog+tcp://logs.example.com' },
    ];
    expect(written.faults(withSinks(...twice), SECRET)).toEqual([
      'audit.sinks.1.name: another sink is named `a` already',
    ]);
    const { warnings } = written.load(withSinks(twice[0]!, { ...twice[1], name: 'b' }), SECRET);
    expect(warnings?.map(({ path }) => path)).toEqual(['audit.sinks.0.url', 'audit.sinks.1.url']);
  });
});
