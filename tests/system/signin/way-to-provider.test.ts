import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import type { SignInOptions } from '../../../src/signin/options.ts';
import { startForwardProxy, type ForwardProxy } from '../../support/forward-proxy.ts';
import { HostileProvider } from '../../support/hostile-provider.ts';
import { PrivateAuthority, startTlsFront, type TlsFront } from '../../support/private-authority.ts';
import { signInWith } from '../../signin/sign-in-with.ts';

let provider: HostileProvider;
let authority: PrivateAuthority;
let certificate: ReturnType<PrivateAuthority['issue']>;
let front: TlsFront;
let issuer: string;
let proxy: ForwardProxy;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  provider = await HostileProvider.start();
  authority = new PrivateAuthority();
  certificate = authority.issue();
  front = await startTlsFront(provider.issuer, certificate);
  issuer = `https://127.0.0.1:${front.port}`;
  provider.behave({
    metadata: (metadata) =>
      Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [
          name,
          typeof value === 'string' ? value.replace(provider.issuer, issuer) : value,
        ]),
      ),
  });
  proxy = await startForwardProxy();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  authority.remove();
  await proxy.close();
  await front.close();
  await provider.close();
});

async function beginWith(options: Partial<SignInOptions>): Promise<string> {
  const { signIn } = signInWith({ issuer, ...options });
  closers.push(() => signIn.close());
  return (await signIn.begin({})).url;
}

const trusted = (): readonly string[] => [...getCACertificates('default'), authority.certificate];

describe('a provider with a certificate of a private authority', () => {
  it('is refused, and the fault says what is not trusted and what to set', async () => {
    await expect(beginWith({})).rejects.toMatchObject({
      code: 'identity_provider_unavailable',
      detail: expect.stringMatching(
        /authority that is not trusted here \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\); set `auth\.oidc\.tls\.ca_file` to a file/,
      ),
    });
  });

  it('is asked when the authority is trusted', async () => {
    expect(await beginWith({ ca: trusted() })).toContain(`${issuer}/authorize`);
  });

  it('tells when its certificate ends, once it was asked', async () => {
    const { signIn } = signInWith({ issuer, ca: trusted() });
    closers.push(() => signIn.close());
    expect(signIn.certificateEndsAt).toBeUndefined();
    await signIn.begin({});
    const { validTo } = new X509Certificate(certificate.cert);
    expect(signIn.certificateEndsAt).toBe(Date.parse(validTo));
  });
});

describe('a provider behind a proxy', () => {
  it('is asked through it, by HTTPS', async () => {
    expect(await beginWith({ ca: trusted(), proxy: { https: proxy.url, except: '' } })).toContain(issuer);
    expect(proxy.passed).toContain(`CONNECT 127.0.0.1:${front.port}`);
  });

  it('is asked directly when it is excepted, or no proxy is for HTTPS', async () => {
    const before = proxy.passed.length;
    expect(await beginWith({ ca: trusted(), proxy: { https: proxy.url, except: '127.0.0.1' } })).toContain(issuer);
    expect(await beginWith({ ca: trusted(), proxy: { https: undefined, except: '' } })).toContain(issuer);
    expect(proxy.passed).toHaveLength(before);
  });
});
