import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ANONYMOUS } from '../../src/access/caller.ts';
import { Identify } from '../../src/access/identify.ts';
import { Tickets } from '../../src/access/ticket.ts';
import { SvcError } from '../../src/errors/svc-error.ts';
import { MemoryEntries } from '../../src/state/memory-entries.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { Clock } from '../support/clock.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { RpcClient } from '../support/rpc-client.ts';

let app: TestApp;
let ada: RpcClient;
beforeAll(async () => {
  app = await startApp();
  ada = RpcClient.bearer(app.origin, (await signInDesktop(app, 'ada')).access_token);
  for (const key of ['2025/mine', '2024/other'])
    await fetch((await ada.call('transfer/create', { ...PHOTOS, key, direction: 'upload' })).url, {
      method: 'PUT',
      body: key,
    });
});
afterAll(() => app.close());

const PHOTOS = { provider: 'main', bucket: 'photos' };
const scope = (prefix: string) => ({
  rules: [
    {
      actions: ['objects:read', 'objects:write'] as const,
      resources: [{ type: 'prefix' as const, ...PHOTOS, prefix }],
    },
  ],
});

async function newKey(prefix = '2025/') {
  const { key, credential } = await ada.call('apiKey/create', {
    description: 'k',
    scope: scope(prefix),
    expiresAt: null,
  });
  const rpc = RpcClient.bearer(app.origin, credential);
  return {
    id: key.id,
    rpc,
    ticket: async (direction: 'download' | 'upload') =>
      (await rpc.call('transfer/create', { ...PHOTOS, key: '2025/mine', direction })).url,
  };
}

describe('an API key with less than its creator', () => {
  it('lists what its scope holds, and no more', async () => {
    const { rpc } = await newKey();
    expect((await rpc.call('object/list', PHOTOS)).objects.map(({ key }) => key)).toEqual(['2025/mine']);
    expect((await rpc.call('object/list', { ...PHOTOS, prefix: '2024/' })).objects).toEqual([]);
    expect(await rpc.call('permission/list', { ...PHOTOS, prefix: '2024/' })).toEqual({ actions: [], here: [] });
    expect(await rpc.call('permission/list', { ...PHOTOS, prefix: '2025/' })).toMatchObject({
      here: ['objects:read', 'objects:list', 'objects:get', 'objects:write'],
    });
  });
});

const PURPOSE = { direction: 'download', target: { kind: 'object', ...PHOTOS, key: 'k' } } as const;

/** A ticket of somebody who did not sign in, and the tickets that are kept while the service is started anew, with sign-in or without. */
function keptTickets() {
  const clock = new Clock();
  const entries = new MemoryEntries({ now: clock.now });
  const identify = (authEnabled: boolean) => new Identify({ authEnabled, apiKeys: undefined } as never);
  const tickets = (authEnabled: boolean) => new Tickets({ entries, identify: identify(authEnabled), now: clock.now });
  const issue = async () => tickets(false).issue((await identify(false).byCredentials({}))!, PURPOSE);
  return { issue, tickets, clock };
}

describe('a transfer ticket', () => {
  it('asks policy again when it is used: what its key has lost since is denied', async () => {
    const { id, ticket } = await newKey();
    const [download, upload] = [await ticket('download'), await ticket('upload')];
    await ada.call('apiKey/replaceScope', { id, scope: scope('elsewhere/') });
    const answers = [await fetch(download), await fetch(upload, { method: 'PUT', body: 'x' })];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  });

  it('is given to nobody when it could not be kept', async () => {
    const down = new SvcError('session_store_unavailable');
    const tickets = new Tickets({
      entries: { put: () => Promise.reject(down), get: async () => undefined, take: async () => undefined },
      identify: {} as never,
      now: Date.now,
    });
    await expect(
      tickets.issue(ANONYMOUS, { direction: 'download', target: { kind: 'object', ...PHOTOS, key: 'k' } }),
    ).rejects.toBe(down);
  });

  it('begins a transfer within 60 seconds, and not later', async () => {
    const { issue, tickets, clock } = keptTickets();
    const { ticket, expiresAt } = await issue();
    expect(expiresAt - clock.now()).toBe(60_000);
    clock.advance(59_999);
    expect(await tickets(false).redeem(ticket, 'download')).toMatchObject({
      ...PURPOSE,
      caller: { kind: 'anonymous' },
    });
    clock.advance(1);
    await expect(tickets(false).redeem(ticket, 'download')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that was made without sign-in is not valid once people have to sign in', async () => {
    const { issue, tickets } = keptTickets();
    const { ticket } = await issue();
    await expect(tickets(true).redeem(ticket, 'download')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('dies with the secret of the key that made it', async () => {
    const { id, ticket } = await newKey();
    const [download, upload] = [await ticket('download'), await ticket('upload')];
    await ada.call('apiKey/rotate', { id });
    expect((await fetch(download)).status).toBe(404);
    expect((await fetch(upload, { method: 'PUT', body: 'x' })).status).toBe(404);
  });

  it('for a download is still good after somebody tried to upload with it', async () => {
    const download = await (await newKey()).ticket('download');
    expect((await fetch(download, { method: 'PUT', body: 'x' })).status).toBe(404);
    expect(await (await fetch(download)).text()).toBe('2025/mine');
  });

  it('for an upload counts once, however many use it at once', async () => {
    const upload = await (await newKey()).ticket('upload');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => fetch(upload, { method: 'PUT', body: '2025/mine' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
  });
});
