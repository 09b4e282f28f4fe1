import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest } from '../support/raw-request.ts';

const FILES = '/api/providers/main/buckets/files';

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await startApp();
  cookie = `svc_session=${(await app.signIn('dan')).cookie(app.origin, 'svc_session')!}`;
});
afterAll(() => app.close());
beforeEach(async () => {
  for (const key of ['open/a', 'open/b'])
    await rawRequest(app.origin, `${FILES}/object?key=${key}`, { method: 'PUT', body: 'x', headers: { cookie } });
});

/** Sends a request, and leaves when storage has done the first thing that it was asked for, before it says so. */
async function leaveInTheMiddle(method: string, path: string, body = ''): Promise<void> {
  const { store } = app.s3.server;
  const remove = store.deleteObject.bind(store);
  const req = http.request(`${app.origin}${path}`, {
    method,
    headers: { cookie, origin: app.origin, 'content-type': 'application/json', 'content-length': body.length },
  });
  req.on('error', () => undefined);
  const left = new Promise<void>((resolve) => void req.once('close', resolve));
  store.deleteObject = async (bucket, key) => {
    await remove(bucket, key);
    req.destroy();
    await left;
    await wait(200);
  };
  req.end(body);
  await left;
  for (let i = 0; lines().length === 0 && i < 50; i += 1) await wait(100);
  store.deleteObject = remove;
}

let seen = 0;
const lines = () =>
  app
    .logged()
    .slice(seen)
    .split('\n')
    .filter((line) => line.includes('"operation":"object/delete"'))
    .map((line) => JSON.parse(line) as { outcome: string; resources: unknown[] });

describe('whoever leaves before the answer', () => {
  it.each([
    ['one object', 'DELETE', `${FILES}/object?key=open/a`, ''],
    ['several', 'POST', `${FILES}/objects/delete`, '{"keys":["open/a","open/b"]}'],
    [
      'one by RPC',
      'POST',
      '/rpc',
      '{"jsonrpc":"2.0","id":1,"method":"object/delete","params":{"provider":"main","bucket":"files","key":"open/a"}}',
    ],
  ])('has deleted %s all the same, and the audit says so', async (_what, method, path, body) => {
    seen = app.logged().length;
    await leaveInTheMiddle(method, path, body);
    expect((await rawRequest(app.origin, `${FILES}/object?key=open/a`, { headers: { cookie } })).status).toBe(404);
    expect(lines()).toMatchObject([
      {
        outcome: 'done',
        resources: expect.arrayContaining([
          expect.objectContaining({ provider: 'main', bucket: 'files', key: 'open/a', outcome: 'done' }),
        ]),
      },
    ]);
  });

  it('is no fault in the log', async () => {
    seen = app.logged().length;
    const body = '{"jsonrpc":"2.0","id":1,"method":"object/list","params":{"provider":"main","bucket":"files"}}';
    const left = new AbortController();
    app.storageCalls.spoil = () => {
      left.abort();
      return 'hold';
    };
    await expect(
      fetch(`${app.origin}/rpc`, {
        method: 'POST',
        body,
        headers: { cookie, origin: app.origin, 'content-type': 'application/json' },
        signal: left.signal,
      }),
    ).rejects.toThrow();
    app.storageCalls.spoil = undefined;
    const logged = () => app.logged().slice(seen);
    for (let i = 0; !logged().includes('"why":"client_gone"') && i < 50; i += 1) await wait(100);
    expect(logged()).toContain('"why":"client_gone"');
    await wait(50);
    expect(logged()).not.toContain('"level":"error"');
  });
});
