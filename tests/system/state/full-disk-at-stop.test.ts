import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { isRoot, SmallDisk } from '../../support/small-disk.ts';

const disk = isRoot ? new SmallDisk() : undefined;
let app: TestApp | undefined;
afterEach(async () => {
  await app?.close().finally(() => disk?.remove());
});

(isRoot ? describe : describe.skip)('a session that ended while the disk of the state database was full', () => {
  it('does not come back when the service stops as soon as there is room', async () => {
    const start = () =>
      startApp({
        config: (config) => ({
          ...config,
          auth: { ...(config['auth'] as object), session: { type: 'database' } },
          state: { path: join(disk!.path, 'state.db') },
        }),
      });
    app = await start();
    const sessions: string[] = [];
    for (let i = 0; i < 6; i += 1) sessions.push((await signInDesktop(app, 'eve')).access_token);
    disk!.fill();
    let ended: string | undefined;
    for (const session of sessions) {
      const { status } = await fetch(`${app.origin}/v1/auth/logout`, {
        method: 'POST',
        headers: { authorization: `Bearer ${session}` },
      });
      if (status === 503) ended = session;
    }
    expect(ended).toBeDefined();
    disk!.empty();
    await app.close();
    app = await start();
    const rpc = RpcClient.bearer(app.origin, ended!);
    expect((await rpc.fails('provider/list', {})).data.code).toBe('session_required');
  });
});
