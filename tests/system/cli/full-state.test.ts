import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { isRoot, SmallDisk } from '../../support/small-disk.ts';
import { Machine } from '../../cli/svc-process.ts';

const DETAIL =
  'the state database gave no answer; try again in a moment, and if this lasts, tell an administrator of this service';
const SCOPE = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } as const;

(isRoot ? describe : describe.skip)('while the disk of the state database is full', () => {
  let disk: SmallDisk;
  let app: TestApp;
  let machine: Machine;
  beforeAll(async () => {
    disk = new SmallDisk();
    app = await startApp({ config: (config) => ({ ...config, state: { path: join(disk.path, 'state.db') } }) });
    machine = await Machine.make();
    const { access_token: session } = await signInDesktop(app, 'eve');
    Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: session });
    disk.fill();
    // The last pages have room for some more keys.
    const rpc = RpcClient.bearer(app.origin, session);
    for (let isFull = false; !isFull;)
      isFull = await rpc.call('apiKey/create', { description: 'd', scope: SCOPE }).then(
        async ({ key }) =>
          rpc.call('apiKey/revoke', { id: key.id }).then(
            () => false,
            () => true,
          ),
        (error: unknown) => (expect(String(error)).toContain('state_unavailable'), true),
      );
  }, 900_000);
  afterAll(async () => {
    await machine.remove();
    await app.close().finally(() => disk.remove());
  }, 900_000);

  it('a person reads what to do, and the log says why', async () => {
    const { status, stderr } = await machine.svc('key', 'create', 'd', '--allow', 'objects:read=main');
    expect({ status, stderr }).toEqual({ status: 1, stderr: `the state database cannot be used: ${DETAIL}\n` });
    expect(app.logged()).toContain('the state database is full; make room on its disk');
  });
});
