import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpTarget } from '../../../src/audit/sink/http-target.ts';
import { ProviderFetch } from '../../../src/signin/provider-fetch.ts';
import { S3Client } from '../../../src/storage/s3/client.ts';
import { startForwardProxy, type ForwardProxy } from '../../support/forward-proxy.ts';
import { PrivateAuthority, startTlsFront, type TlsFront } from '../../support/private-authority.ts';

/** Servers that speak HTTP/2 with each client that offers it. */
const ALPNProtocols = ['h2', 'http/1.1'];
const LIMIT_MS = 10_000;

const trustedBefore = getCACertificates('default');
let authority: PrivateAuthority;
let server: Server;
let forward: ForwardProxy;
let origin: TlsFront;
let proxy: TlsFront;

beforeAll(async () => {
  authority = new PrivateAuthority();
  setDefaultCACertificates([...trustedBefore, authority.certificate]);
  server = createServer((_req, res) => void res.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  forward = await startForwardProxy();
  const tls = { ...authority.issue(), ALPNProtocols };
  origin = await startTlsFront(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, tls);
  proxy = await startTlsFront(forward.url, tls);
});
afterAll(async () => {
  setDefaultCACertificates(trustedBefore);
  await proxy.close();
  await origin.close();
  await forward.close();
  server.close();
  authority.remove();
});

const proxyOf = (isBehind: boolean) =>
  isBehind ? { http: undefined, https: `https://localhost:${proxy.port}`, except: '' } : undefined;

/** Each way of the service to another one, by which a request is sent; `true`: through the proxy. */
const WAYS: Readonly<Record<string, (url: string, isBehind: boolean) => Promise<unknown>>> = {
  storage: async (endpoint, isBehind) => {
    const client = new S3Client({
      name: 'main',
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      proxy: proxyOf(isBehind),
      connectTimeoutMs: LIMIT_MS,
      idleTimeoutMs: LIMIT_MS,
    });
    await client.send({ method: 'GET', bucket: 'files', key: 'k' }).finally(() => client.close());
  },
  'the identity provider': async (url, isBehind) => {
    const http = new ProviderFetch(
      { connectMs: LIMIT_MS, totalMs: LIMIT_MS, maxBytes: 1_024 },
      { proxy: proxyOf(isBehind) },
    );
    await http.fetch(url, { method: 'GET', headers: {} }).finally(() => void http.close());
  },
  'a sink of the audit': async (url, isBehind) => {
    const tls = { ca: undefined, cert: undefined, key: undefined };
    const target = new HttpTarget({ type: 'http', url, headers: {}, tls, proxy: proxyOf(isBehind) }, LIMIT_MS);
    await target.send([Buffer.from('{}')], { instance: 'i', first: 1, last: 1 }).finally(() => void target.close());
  },
};

describe.each(Object.keys(WAYS))('%s that can speak HTTP/2', (name) => {
  it.each([
    ['is asked', false],
    ['is asked through a proxy that can', true],
  ])('%s by HTTP/1.1', async (_how, isBehind) => {
    forward.passed.length = 0;
    await WAYS[name]!(`https://localhost:${origin.port}`, isBehind);
    expect(forward.passed).toEqual(isBehind ? [`CONNECT localhost:${origin.port}`] : []);
  });
});
