import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { RpcClient } from '../../support/rpc-client.ts';

describeRadosGateway('the administration of Ceph, with credentials of the service that may administer', () => {
  const USER = 'metadata/user:victim';
  let ceph: RadosGateway;
  let app: TestApp;
  let eve: RpcClient;

  beforeAll(async () => {
    ceph = await startRadosGateway();
    await ceph.administer('caps', 'add', '--uid=svc', '--caps=users=*;metadata=*');
    await ceph.administer('user', 'create', '--uid=victim', '--display-name=victim', '--secret-key=of-the-victim');
    app = await startApp({ config: (given) => ({ ...given, providers: [ceph.provider] }) });
    eve = RpcClient.bearer(app.origin, (await signInDesktop(app, 'eve')).access_token);
  });
  afterAll(async () => {
    await app.close();
    await ceph.close();
  });

  const transfer = async (direction: 'download' | 'upload', key: string, body?: string) => {
    const { url } = await eve.call('transfer/create', { provider: 'main', bucket: 'admin', key, direction });
    const answer = await fetch(url, body === undefined ? {} : { method: 'PUT', body });
    return [answer.status, await answer.text()] as const;
  };
  const notFound = [404, expect.stringContaining('there is no such bucket')];

  it('is read by nobody who may read all buckets', async () => {
    expect(await transfer('download', 'metadata/user')).toEqual(notFound);
    const place = { provider: 'main', bucket: 'admin', key: 'metadata/user' };
    expect(await eve.fails('object/presign', { ...place, method: 'GET', expiresIn: 60 })).toMatchObject({
      data: { code: 'not_found' },
    });
  });

  it('gives nobody who may write all buckets the keys of its users', async () => {
    const stolen = (await ceph.administer('metadata', 'get', 'user:victim'))
      .replace('of-the-victim', 'stolen')
      .replace('"ver": 1', '"ver": 2');
    expect(await transfer('upload', USER, stolen)).toEqual(notFound);
    const user = { provider: 'main', bucket: 'admin', key: USER };
    expect(await eve.fails('object/delete', user)).toMatchObject({ data: { code: 'not_found' } });
    expect(await ceph.administer('metadata', 'get', 'user:victim')).toContain('of-the-victim');
  });
});
