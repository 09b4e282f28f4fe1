import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProviderHealth } from '../../../src/wire/http.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { Clock } from '../../support/clock.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { rawRequest } from '../../support/raw-request.ts';

const clock = new Clock();
let app: TestApp;
let silent: Server;
let isSilent = true;
const cookies = new Map<string, string>();

beforeAll(async () => {
  needsOneProcess('the test moves the clock');
  silent = createServer((socket) => {
    if (!isSilent) socket.destroy();
  });
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const provider = (name: string, changes: object) => ({
    name,
    type: 's3',
    path_style: true,
    credentials: { access_key_id: 'AKIDOFTESTS', secret_access_key: 'a-secret-of-tests' },
    ...changes,
  });
  app = await startApp({
    now: clock.now,
    config: (config) => {
      const [main] = config['providers'] as { endpoint: string }[];
      return {
        ...config,
        providers: [
          main,
          provider('refused', { endpoint: main!.endpoint }),
          provider('down', { endpoint: 'http://127.0.0.1:1' }),
          provider('silent', { endpoint: `http://127.0.0.1:${port}` }),
          { ...main, name: 'lacking', buckets: ['not-there'] },
        ],
      };
    },
  });
  for (const account of ['ada', 'dan'])
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
});
afterAll(async () => {
  await app.close();
  silent.close();
});
beforeEach(() => clock.advance(60_000));

async function health(account = 'ada') {
  const answer = await rawRequest(app.origin, '/api/admin/providers', {
    headers: { cookie: `svc_session=${cookies.get(account)!}` },
  });
  return {
    status: answer.status,
    text: answer.text(),
    providers: (answer.json() as { providers: ProviderHealth[] }).providers,
  };
}

describe('GET /api/admin/providers', () => {
  it('says which providers answer, and what is wrong with the others, within the deadline', async () => {
    const begun = performance.now();
    const { status, text, providers } = await health();
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect([status, providers.map(({ name, reachable, reason }) => [name, reachable, reason === null])]).toEqual([
      200,
      [
        ['main', true, true],
        ['refused', true, false],
        ['down', false, false],
        ['silent', false, false],
        ['lacking', true, false],
      ],
    ]);
    expect(providers.at(-1)!.reason).toBe('the bucket `not-there`, which the configuration names, does not exist');
    expect(providers.map(({ checked_at: at }) => at)).toEqual(providers.map(() => new Date(clock.now()).toISOString()));
    expect(providers.find(({ name }) => name === 'silent')!.took_ms).toBeGreaterThan(3_000);
    for (const secret of ['127.0.0.1', 'AKIDOFTESTS', 'a-secret-of-tests']) expect(text).not.toContain(secret);
  });

  it('asks each provider once, however many look, and again some seconds later', async () => {
    // Nobody has to wait here.
    isSilent = false;
    await health();
    app.storageCalls.reset();
    clock.advance(5_000);
    await Promise.all(Array.from({ length: 20 }, () => health()));
    await health();
    // `main`, `refused` and `lacking` lead to the same storage.
    expect(app.storageCalls.calls).toHaveLength(3);
    clock.advance(5_000);
    await health();
    expect(app.storageCalls.calls).toHaveLength(6);
  });

  it('is for the admin role', async () => {
    expect((await health('dan')).status).toBe(403);
  });
});
