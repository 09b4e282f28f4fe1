import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { heldBytes } from '../../support/held-bytes.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { RpcClient } from '../../support/rpc-client.ts';

const KEYS = 100;
const REQUESTS = 60;
const MOST_BYTES = 150e6;

let app: TestApp;
let authorization: string;

beforeAll(async () => {
  app = await startApp({
    config: (config) => ({
      ...config,
      auth: { ...(config['auth'] as object), api_keys: { capacity: KEYS, per_subject: KEYS } },
    }),
  });
  const { access_token: bearer } = await signInDesktop(app, 'ada');
  authorization = `Bearer ${bearer}`;
  const resources = Array.from({ length: 48 }, (_, i) => ({
    type: 'prefix' as const,
    provider: 'main',
    bucket: 'files',
    prefix: `${String(i).padEnd(1_000, 'k')}/`,
  }));
  for (let i = 0; i < KEYS; i += 1)
    await RpcClient.bearer(app.origin, bearer).call('apiKey/create', {
      description: `key ${i}`,
      scope: { rules: [{ actions: ['objects:get'], resources }] },
    });
});
afterAll(() => app.close());

it('lists of long keys that a person asks for at once are built a few at a time', async () => {
  needsOneProcess('the memory is that of this process');
  const before = heldBytes();
  const all = Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      const { status, body } = await fetch(`${app.origin}/rpc`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'apiKey/list' }),
      });
      await body!.pipeTo(new WritableStream());
      return status;
    }),
  );
  const held: number[] = [];
  let statuses: readonly number[] | undefined;
  while (statuses === undefined) {
    held.push(heldBytes() - before);
    statuses = await Promise.race([all, wait(100, undefined)]);
  }
  expect(statuses).toContain(200);
  expect(Math.max(...held)).toBeLessThan(MOST_BYTES);
});
