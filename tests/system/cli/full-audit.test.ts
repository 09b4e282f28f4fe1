import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDIT_SECRET } from '../../audit/support/audit-folder.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { countCalls, type CallCounter } from '../../support/call-counter.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { isRoot, SmallDisk } from '../../support/small-disk.ts';
import { Machine } from '../../cli/svc-process.ts';

const SENTENCE =
  'the service cannot record what is done, so it does nothing until it can; if this lasts, tell an administrator of this service\n';

(isRoot ? describe : describe.skip)('while the disk of the audit is full', () => {
  let disk: SmallDisk;
  let app: TestApp;
  let front: CallCounter;
  let machine: Machine;
  beforeAll(async () => {
    disk = new SmallDisk();
    app = await startApp({
      config: (config) => ({
        ...config,
        audit: { path: join(disk.path, 'audit'), instance: 'one', signing_secret: AUDIT_SECRET, required: true },
      }),
    });
    front = await countCalls(app.origin);
    machine = await Machine.make();
    const { access_token: session } = await signInDesktop(app, 'eve');
    Object.assign(machine.env, { SVC_SERVER: front.url, SVC_CREDENTIAL: session });
    await mkdir(join(machine.home, 'up'));
    for (const name of ['a', 'b', 'c']) await writeFile(join(machine.home, 'up', name), name);
    disk.fill();
    // The last block has room for some more lines.
    const rpc = RpcClient.bearer(app.origin, session);
    for (let isFull = false; !isFull;)
      isFull = await rpc.call('object/delete', { provider: 'main', bucket: 'files', key: 'x' }).then(
        () => false,
        () => true,
      );
  }, 900_000);
  afterAll(async () => {
    await machine.remove();
    await front.close();
    await app.close().finally(() => disk.remove());
  }, 900_000);

  it.each([
    ['an upload', ['cp', '-r', '-j', '1', 'up', 'svc:main/files/up'], 'up/a: '],
    ['a download', ['cp', 'svc:main/files/a', '.'], 'main/files/a: '],
    ['a move', ['mv', 'main/files/a', 'main/files/b'], 'main/files/a: '],
    ['a deletion', ['rm', '-r', 'main/files/up'], ''],
    ['a listing', ['ls', 'main/files'], ''],
  ])('%s is refused at once and with one sentence, which is not for operators', async (_what, args, named) => {
    front.reset();
    const { status, stderr } = await machine.svc(...args);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(new RegExp(`^(${named.replace('up/a', 'up/[abc]')})?${SENTENCE}$`)),
    });
    expect(front.calls).toEqual(['POST /rpc']);
  });

  it('a sign-in is told in the terminal, where the person waits for it', async () => {
    const { status, stderr } = await machine.login(app.origin, 'eve');
    expect([status, stderr.split('\n').slice(4).join('\n')]).toEqual([
      1,
      `the sign-in was not completed: ${SENTENCE.trimEnd()}; run \`svc login\` to try again\n`,
    ]);
  });
});
