import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { getCACertificates } from 'node:tls';
import { codeOf } from '../../../src/errors/svc-error.ts';
import { listBuckets } from '../../../src/storage/buckets.ts';
import type { StorageProvider, StorageProviderOptions } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { startForwardProxy, type ForwardProxy } from '../../support/forward-proxy.ts';
import { PrivateAuthority, startTlsFront, type TlsFront } from '../../support/private-authority.ts';
import { startStorage, type TestStorage } from '../../support/s3-server.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

let s3: TestStorage;
let authority: PrivateAuthority;
let proxy: ForwardProxy;
const opened: (Storage | TlsFront)[] = [];

beforeAll(async () => {
  s3 = await startStorage();
  authority = new PrivateAuthority();
  proxy = await startForwardProxy();
});
afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close();
});
afterAll(async () => {
  authority.remove();
  await proxy.close();
  await s3.close();
});

function providerAt(endpoint: string, more: Partial<StorageProviderOptions> = {}): StorageProvider {
  const storage = new Storage([{ ...s3.options, endpoint, ...more }]);
  opened.push(storage);
  return storage.providers.provider('test');
}

async function behindTls(credentials = authority.issue(), host = '127.0.0.1'): Promise<string> {
  const front = await startTlsFront(s3.options.endpoint, credentials, host);
  opened.push(front);
  return `https://${host}:${front.port}`;
}

const trusted = (): readonly string[] => [...getCACertificates('default'), authority.certificate];

describe('storage with a certificate of a private authority', () => {
  it('is refused, and the fault says what is not trusted and what to set', async () => {
    await expect(listBuckets(withoutPolicy({ provider: providerAt(await behindTls()) }))).rejects.toMatchObject({
      code: 'storage_unavailable',
      detail:
        "storage provider `test` shows a certificate of an authority that is not trusted here (UNABLE_TO_VERIFY_LEAF_SIGNATURE); set the provider's `tls.ca_file` to a file with that authority's certificate",
    });
  });

  it('is asked when the authority is trusted', async () => {
    expect(await listBuckets(withoutPolicy({ provider: providerAt(await behindTls(), { ca: trusted() }) }))).toEqual(
      [],
    );
  });

  it('is refused all the same when the certificate is for another name, or has expired', async () => {
    const another = await behindTls(authority.issue({ names: 'DNS:other.example.com' }));
    await expect(
      listBuckets(withoutPolicy({ provider: providerAt(another, { ca: trusted() }) })),
    ).rejects.toMatchObject({ detail: expect.stringMatching(/another name.*`endpoint`/) });
    const expired = await behindTls(authority.issue({ days: -1 }));
    await expect(
      listBuckets(withoutPolicy({ provider: providerAt(expired, { ca: trusted() }) })),
    ).rejects.toMatchObject({ detail: expect.stringMatching(/has expired/) });
  });
});

describe('storage behind a proxy', () => {
  const by = (except = ''): Partial<StorageProviderOptions> => ({
    proxy: { http: proxy.url, https: proxy.url, except },
  });

  it('is asked through it, by HTTPS', async () => {
    const endpoint = await behindTls();
    expect(await listBuckets(withoutPolicy({ provider: providerAt(endpoint, { ...by(), ca: trusted() }) }))).toEqual(
      [],
    );
    expect(proxy.passed).toContain(`CONNECT ${new URL(endpoint).host}`);
  });

  it('is asked through it, by HTTP', async () => {
    expect(await listBuckets(withoutPolicy({ provider: providerAt(s3.options.endpoint, by()) }))).toEqual([]);
    expect(proxy.passed).toContain(`GET ${s3.options.endpoint}`);
  });

  it('is asked directly when it is excepted', async () => {
    const before = proxy.passed.length;
    expect(
      await listBuckets(withoutPolicy({ provider: providerAt(s3.options.endpoint, by('10.0.0.1,127.0.0.1')) })),
    ).toEqual([]);
    expect(proxy.passed).toHaveLength(before);
  });

  it('is asked again as soon as the proxy answers, however many connections it left unanswered', async () => {
    const endpoint = await behindTls();
    let isMute = true;
    const unanswered = new Set<Socket>();
    const moody = createServer((socket) => {
      if (isMute) unanswered.add(socket.resume().on('close', () => unanswered.delete(socket)));
      else socket.pipe(connect(Number(new URL(proxy.url).port), '127.0.0.1').on('error', () => undefined)).pipe(socket);
      socket.on('error', () => undefined);
    });
    moody.listen(0, '127.0.0.1');
    await once(moody, 'listening');
    const https = `http://127.0.0.1:${(moody.address() as AddressInfo).port}`;
    const provider = providerAt(endpoint, {
      proxy: { http: undefined, https, except: '' },
      ca: trusted(),
      connectTimeoutMs: 2_000,
      idleTimeoutMs: 2_000,
    });
    const ask = () => listBuckets(withoutPolicy({ provider })).catch(codeOf);
    const codes = await Promise.all(Array.from({ length: 300 }, ask));
    expect(new Set(codes)).toEqual(new Set(['storage_timeout']));
    isMute = false;
    expect(await ask()).toEqual([]);
    for (const socket of unanswered) await once(socket, 'close');
    moody.close();
  });
});
