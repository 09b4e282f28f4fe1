import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PrivateAuthority } from '../../support/private-authority.ts';
import { SECRET, WrittenConfig } from '../../config/written-config.ts';

const written = new WrittenConfig();
let authority: PrivateAuthority;
beforeAll(() => {
  authority = new PrivateAuthority();
});
afterAll(() => {
  authority.remove();
  written.remove();
});

const PROVIDER = { name: 'main', endpoint: 'https://s3.example.com' };

describe('tls.ca_file', () => {
  it('is trusted besides what Node trusts, for storage, the identity provider and Redis', () => {
    written.write('ca.pem', `# our own\n${authority.certificate}`);
    const tls = { ca_file: 'ca.pem' };
    const { settings, faults } = written.load(
      JSON.stringify({
        auth: {
          enabled: true,
          public_origin: 'https://files.example.com',
          oidc: { issuer: 'https://login.example.com', client_id: 'svc', tls },
          session: { type: 'redis', url: 'rediss://redis.example.com', tls },
        },
        providers: [
          { ...PROVIDER, tls },
          { ...PROVIDER, name: 'other' },
        ],
      }),
    );
    expect(faults).toBeUndefined();
    for (const ca of [settings?.providers[0]?.ca, settings?.auth.oidc?.ca, settings?.auth.session.redis?.ca]) {
      expect(ca?.at(-1)).toBe(authority.certificate.trim());
      expect(ca?.length).toBeGreaterThan(20);
    }
    expect(settings?.providers[1]?.ca).toBeUndefined();
  });

  it('is a fault when it is not there or holds no certificate', () => {
    written.write('empty.pem', 'nothing');
    written.write('broken.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const faults = written.faults({
      providers: ['none.pem', 'empty.pem', 'broken.pem'].map((ca_file, i) => ({
        ...PROVIDER,
        name: `p${i}`,
        tls: { ca_file },
      })),
    });
    expect(faults).toEqual([
      `providers.0.tls.ca_file: the file \`${written.directory}/none.pem\` cannot be read: there is no such file`,
      `providers.1.tls.ca_file: the file \`${written.directory}/empty.pem\` holds no certificate in PEM form that can be read`,
      `providers.2.tls.ca_file: the file \`${written.directory}/broken.pem\` holds no certificate in PEM form that can be read`,
    ]);
  });

  it('is a fault beside a Redis that is not reached by TLS', () => {
    const session = { type: 'redis', url: 'redis://redis.example.com', tls: {} };
    expect(written.faults({ auth: { session } })).toContain('auth.session.tls: goes with a `rediss://` URL');
  });
});

describe('HTTPS_PROXY, HTTP_PROXY and NO_PROXY', () => {
  const proxyOf = (env: Record<string, string>) =>
    written.load({ providers: [PROVIDER] }, { ...SECRET, ...env }).settings?.proxy;

  it('are taken in either case, with this machine always excepted', () => {
    expect(proxyOf({})).toBeUndefined();
    expect(proxyOf({ NO_PROXY: 'example.com', HTTPS_PROXY: '' })).toBeUndefined();
    expect(proxyOf({ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '.corp,10.0.0.1' })).toEqual({
      http: undefined,
      https: 'http://proxy:3128/',
      except: '.corp,10.0.0.1,localhost,127.0.0.1,[::1]',
    });
    expect(proxyOf({ http_proxy: 'proxy:3128' })).toEqual({
      http: 'http://proxy:3128/',
      https: undefined,
      except: 'localhost,127.0.0.1,[::1]',
    });
  });

  it('are a fault when they are not the URL of an HTTP proxy, without being shown', () => {
    expect(written.faults({ providers: [PROVIDER] }, { ...SECRET, HTTPS_PROXY: 'socks5://canary@proxy' })).toEqual([
      'HTTPS_PROXY: in the environment must be the URL of an HTTP proxy, such as `http://proxy.example.com:3128`',
    ]);
  });
});

describe('sessions in Redis beside API keys', () => {
  it('are warned of: other machines do not know the keys', () => {
    const load = (auth: object) =>
      written.warnings({
        auth: { session: { type: 'redis', url: 'redis://redis.example.com' }, ...auth },
        state: { path: 'state.db' },
        providers: [PROVIDER],
      });
    expect(
      load({
        enabled: true,
        public_origin: 'https://files.example.com',
        oidc: { issuer: 'https://login.example.com', client_id: 'svc' },
        api_keys: {},
      }).join(),
    ).toContain('auth.api_keys: keys are kept in the state database of this machine');
    expect(load({}).join()).not.toContain('auth.api_keys');
  });
});
