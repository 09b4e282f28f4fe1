import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { RpcResponse } from '../../src/rpc/dispatch.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { needsOneProcess } from '../support/one-process.ts';
import { RpcClient, RpcConnection } from '../support/rpc-client.ts';

let app: TestApp;
let offset = 0;

beforeAll(async () => {
  app = await startApp({ now: () => Date.now() + offset });
});
afterEach(() => {
  offset = 0;
  app.storageCalls.spoil = undefined;
});
afterAll(() => app.close());

const place = { provider: 'main', bucket: 'files' };
const BATCH = JSON.stringify([
  { jsonrpc: '2.0', id: 1, method: 'object/delete', params: { ...place, key: 'first' } },
  { jsonrpc: '2.0', id: 2, method: 'object/delete', params: { ...place, key: 'second' } },
]);
const codes = (answers: RpcResponse[]) =>
  answers.map((answer) => ('error' in answer ? answer.error.data.code : 'done'));

async function desktop() {
  const { access_token: credential } = await signInDesktop(app, 'eve');
  const headers = { authorization: `Bearer ${credential}`, origin: app.origin };
  return {
    headers,
    rpc: RpcClient.bearer(app.origin, credential),
    signOut: () => fetch(`${app.origin}/v1/auth/logout`, { method: 'POST', headers }),
  };
}

/** Resolves when storage is asked for the first time; it never answers. */
function storageHolds(): Promise<void> {
  app.storageCalls.reset();
  return new Promise((resolve) => {
    app.storageCalls.spoil = () => {
      resolve();
      return 'hold';
    };
  });
}

describe('a batch whose session is signed out while storage works', () => {
  it('is answered at once by POST: what was under way is aborted, what comes later is not begun', async () => {
    const { rpc, signOut } = await desktop();
    const held = storageHolds();
    const answer = rpc.send(BATCH);
    await held;
    await signOut();
    expect(codes((await (await answer).json()) as RpcResponse[])).toEqual(['session_required', 'session_required']);
    expect(app.storageCalls.calls.join()).not.toContain('second');
  });

  it('ends at once on a socket, though the client takes its time to leave', async () => {
    const { headers, signOut } = await desktop();
    const connection = (await RpcConnection.open(app.origin, headers)) as RpcConnection;
    const held = storageHolds();
    connection.socket.send(BATCH);
    await held;
    // It reads nothing any more, so it does not see that it is sent away either.
    connection.socket.pause();
    const line = lineWith('"why":"session_ended"');
    await signOut();
    expect(await line).toContain('"operation":"object/delete"');
    connection.socket.resume();
    if (connection.socket.readyState !== connection.socket.CLOSED) await once(connection.socket, 'close');
    expect(await connection.closed).toBe(4001);
    expect(app.storageCalls.calls.join()).not.toContain('second');
  });
});

describe('each item of a batch', () => {
  it('is for the caller as they are then: a session that expired meanwhile does nothing more', async () => {
    needsOneProcess('the test moves the clock');
    const { rpc } = await desktop();
    app.storageCalls.reset();
    app.storageCalls.spoil = () => {
      // The clock jumps, so no timer tells of it: only who asks again can know.
      offset = 365 * 86_400_000;
      return undefined;
    };
    expect(codes((await (await rpc.send(BATCH)).json()) as RpcResponse[])).toEqual(['done', 'session_required']);
    expect(app.storageCalls.calls.join()).not.toContain('second');
  });
});

describe('a message on a socket', () => {
  it('is for the caller as they are then: where the session expired meanwhile, nothing is done and the socket is closed', async () => {
    needsOneProcess('the test moves the clock');
    const { headers } = await desktop();
    const connection = (await RpcConnection.open(app.origin, headers)) as RpcConnection;
    app.storageCalls.reset();
    offset = 365 * 86_400_000;
    connection.socket.send(BATCH);
    expect(await connection.closed).toBe(4001);
    expect(app.storageCalls.calls).toEqual([]);
  });
});

/** The next line of the log that holds a text. */
async function lineWith(text: string): Promise<string> {
  const seen = app.logged().length;
  for (;;) {
    const found = app
      .logged()
      .slice(seen)
      .split('\n')
      .find((line) => line.includes(text));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
