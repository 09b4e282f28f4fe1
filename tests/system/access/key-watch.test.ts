import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CredentialWatch, type Ending } from '../../../src/access/credential-watch.ts';
import { Identify } from '../../../src/access/identify.ts';
import type { KeyScope } from '../../../src/policy/model/key-scope.ts';
import type { KeyActor } from '../../../src/key/keys.ts';
import type { ApiKeys } from '../../../src/apikey/api-keys.ts';
import { LivePolicies } from '../../../src/access/live-policies.ts';
import { MemorySessionStore } from '../../../src/session/memory-store.ts';
import { Sessions } from '../../../src/session/sessions.ts';
import { openKeys, type OpenKeys } from '../../apikey/open-keys.ts';

const ADA: KeyActor = { identity: { issuer: 'i', subject: 'ada', groups: [] }, name: 'Ada', isAdmin: false };
const scopeOf = (action: 'objects:read' | 'objects:write'): KeyScope => ({
  rules: [{ actions: [action], resources: [{ type: 'all' }] }],
});
/** After the first look. */
const LATER_MS = 700;

let open: OpenKeys;
let told: Ending[];
beforeEach(async () => {
  open = await openKeys();
  told = [];
});
afterEach(async () => {
  jest.useRealTimers();
  await open.close();
});

/** Holds something open for a new key; `leave` lets go of it. */
async function watchKey(expiresAt: number | null = null) {
  const { keys, clock } = open;
  const sessions = new Sessions({
    store: new MemorySessionStore({ capacity: 1, perSubject: 1, now: clock.now }),
    ttlSeconds: 60,
    isAdmin: () => false,
    now: clock.now,
  });
  const policies = new LivePolicies({ enabled: true, policies: [], roles: [], bindings: [], localUsers: [] });
  const identify = new Identify({ authEnabled: true, sessions, policies, apiKeys: keys, cookieSecrets: [] });
  const watch = new CredentialWatch({ identify, sessions, apiKeys: keys, now: clock.now });
  const { key, credential } = await keys.create({ description: 'k', scope: scopeOf('objects:read'), expiresAt }, ADA);
  const caller = (await identify.byCredentials({ bearer: credential }))!;
  const leave = watch.watch(caller, (why) => void told.push(why));
  return { id: key.id, leave };
}

const CHANGES: Readonly<Record<string, (keys: ApiKeys, id: string) => Promise<unknown>>> = {
  revoked: (keys, id) => keys.revoke(id, ADA),
  rotated: (keys, id) => keys.rotate(id, ADA),
  'given another scope': (keys, id) => keys.replaceScope(id, scopeOf('objects:write'), ADA),
};

describe.each(Object.entries(CHANGES))('whoever holds something open for a key that is %s', (_name, change) => {
  it('is told before the change is answered', async () => {
    const { id } = await watchKey();
    await change(open.keys, id);
    expect(told).toEqual(['ended']);
  });

  it('is told where another process did it', async () => {
    const { id } = await watchKey();
    const elsewhere = await open.elsewhere();
    await wait(LATER_MS);
    expect(told).toEqual([]);
    await change(elsewhere, id);
    while (told.length === 0) await wait(20);
    expect(told).toEqual(['ended']);
  });
});

it('whoever holds something open for a key hears nothing of other keys, and nothing after leaving', async () => {
  const [{ leave, id }, other] = [
    await watchKey(),
    await open.keys.create({ description: 'other', scope: scopeOf('objects:read'), expiresAt: null }, ADA),
  ];
  await open.keys.revoke(other.key.id, ADA);
  await wait(LATER_MS);
  leave();
  await open.keys.revoke(id, ADA);
  expect(told).toEqual([]);
});

it('whoever holds something open for a key is told when it expires, not before, and once', async () => {
  jest.useFakeTimers();
  const { clock } = open;
  const { id } = await watchKey(clock.now() + 400);
  await jest.advanceTimersByTimeAsync(399);
  expect(told).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(told).toEqual(['expired']);
  await open.keys.revoke(id, ADA);
  expect(told).toEqual(['expired']);
});
