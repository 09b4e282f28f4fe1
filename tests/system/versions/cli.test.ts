import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Storage } from '../../../src/storage/storage.ts';
import { Machine } from '../../cli/svc-process.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { setVersioning } from '../../support/versioning.ts';

describeRadosGateway('svc versions and svc undelete', () => {
  let ceph: RadosGateway;
  let app: TestApp;
  let admin: Machine;
  let denied: Machine;

  beforeAll(async () => {
    ceph = await startRadosGateway();
    const { endpoint, region, credentials } = ceph.options;
    const { accessKeyId, secretAccessKey } = credentials as { accessKeyId: string; secretAccessKey: string };
    app = await startApp({
      config: (config) => ({
        ...config,
        providers: [
          {
            name: 'main',
            type: 's3',
            endpoint,
            region,
            path_style: true,
            credentials: { access_key_id: accessKeyId, secret_access_key: secretAccessKey },
          },
        ],
      }),
    });
    [admin, denied] = [await Machine.make(), await Machine.make()];
    await admin.login(app.origin, 'ada');
    await denied.login(app.origin, 'dan');
    await admin.svc('mb', 'main/files');
    const storage = new Storage([ceph.options]);
    await setVersioning(storage.providers.provider('ceph'), 'files', 'Enabled');
    storage.close();
    for (const content of ['one', 'second']) {
      await writeFile(join(admin.home, 'a.txt'), content);
      for (const key of ['team/a', 'team/b c%20', 'team/kept'])
        await admin.svc('cp', join(admin.home, 'a.txt'), `svc:main/files/${key}`);
    }
    await admin.svc('rm', 'main/files/team/a', 'main/files/team/b c%20');
  }, 180_000);
  afterAll(async () => {
    await Promise.all([admin.remove(), denied.remove()]);
    await app.close();
    await ceph.close();
  });

  it('lists the versions, brings back what was deleted, once, and leaves the rest', async () => {
    const listed = await admin.svc('versions', '--json', 'main/files/team/a');
    const versions = JSON.parse(listed.stdout) as { isDeleteMarker: boolean; size: number }[];
    expect(versions.map(({ isDeleteMarker, size }) => [isDeleteMarker, size])).toEqual([
      [true, 0],
      [false, 6],
      [false, 3],
    ]);
    const { stdout } = await admin.svc('versions', '-r', 'main/files/team');
    expect(stdout.trim().split('\n')).toHaveLength(8);
    expect(await admin.svc('undelete', '-r', '-n', 'main/files/team')).toMatchObject({
      status: 0,
      stdout: 'team/a\nteam/b c%20\n',
    });
    expect(await admin.svc('undelete', '-r', 'main/files/team')).toMatchObject({
      status: 0,
      stdout: 'brought back 2 objects\n',
    });
    expect((await admin.svc('ls', 'main/files/team/')).stdout).toBe('team/a\nteam/b c%20\nteam/kept\n');
    expect(await admin.svc('undelete', '-r', 'main/files/team')).toMatchObject({ status: 1 });
    const after = JSON.parse((await admin.svc('versions', '--json', 'main/files/team/a')).stdout) as { size: number }[];
    expect(after.map(({ size }) => size)).toEqual([6, 0, 6, 3]);
  }, 60_000);

  it('shows nothing to whom policy allows no versions', async () => {
    expect(await denied.svc('versions', 'main/files/team/a')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('`objects:versions`'),
    });
    expect(await denied.svc('versions', '-r', 'main/files/team')).toMatchObject({ status: 1, stdout: '' });
    expect(await denied.svc('undelete', '-r', 'main/files/team')).toMatchObject({ status: 1 });
  }, 60_000);
});
