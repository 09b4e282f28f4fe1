import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { startForwardProxy, type ForwardProxy } from '../../support/forward-proxy.ts';
import { PrivateAuthority, startTlsFront, type TlsFront } from '../../support/private-authority.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { startS3rver, type S3Emulator } from '../../support/s3-server.ts';

let authority: PrivateAuthority;
let redis: RedisServer;
let s3: S3Emulator;
let proxy: ForwardProxy;
let fronts: { readonly redis: TlsFront; readonly s3: TlsFront };
let app: TestApp;

// This address is not excepted from proxies, as 127.0.0.1 is.
const STORAGE_HOST = '127.0.0.2';

beforeAll(async () => {
  authority = new PrivateAuthority();
  redis = await RedisServer.start();
  s3 = await startS3rver({ buckets: ['behind'] });
  proxy = await startForwardProxy();
  fronts = {
    redis: await startTlsFront(redis.url, authority.issue()),
    s3: await startTlsFront(s3.url, authority.issue(), STORAGE_HOST),
  };
  const tls = { ca_file: authority.file };
  app = await startApp({
    env: { HTTPS_PROXY: proxy.url },
    config: (config) => ({
      ...config,
      auth: {
        ...(config['auth'] as object),
        session: { type: 'redis', url: `rediss://127.0.0.1:${fronts.redis.port}`, tls },
      },
      providers: [
        {
          name: 'main',
          type: 's3',
          endpoint: `https://${STORAGE_HOST}:${fronts.s3.port}`,
          path_style: true,
          tls,
          credentials: { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey },
        },
      ],
    }),
  });
});
afterAll(async () => {
  await app.close();
  await fronts.redis.close();
  await fronts.s3.close();
  await proxy.close();
  await s3.close();
  await redis.stop();
  authority.remove();
});

it('a service keeps sessions and asks storage by the authorities and the proxy that it was told', async () => {
  const visitor = await app.signIn('ada');
  const answer = await visitor.request(`${app.origin}/api/providers/main/buckets`);
  expect([answer.status, await answer.json()]).toMatchObject([200, { buckets: [{ name: 'behind' }] }]);
  expect(proxy.passed).toContain(`CONNECT ${STORAGE_HOST}:${fronts.s3.port}`);
});
