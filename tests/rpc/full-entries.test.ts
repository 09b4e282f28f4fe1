import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { desktopCode, signInDesktop } from '../support/desktop-client.ts';
import { RpcClient } from '../support/rpc-client.ts';

const CAPACITY = 10;
const ERRAND = { direction: 'download', provider: 'main', bucket: 'files', key: 'a.txt' } as const;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ entriesCapacity: CAPACITY });
});
afterAll(() => app.close());

it('transfer/create gives as many tickets as there may be beside codes and used logins, and people sign in when these are full', async () => {
  await desktopCode(app.origin, 'eve');
  const client = RpcClient.bearer(app.origin, (await signInDesktop(app, 'vic')).access_token);
  for (let i = 0; i < CAPACITY; i += 1) expect((await client.call('transfer/create', ERRAND)).method).toBe('GET');
  expect((await client.fails('transfer/create', ERRAND)).data.code).toBe('rate_limited');
  expect((await signInDesktop(app, 'dan')).token_type).toBe('Bearer');
});
