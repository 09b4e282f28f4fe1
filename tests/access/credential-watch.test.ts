import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CredentialWatch, type Ending } from '../../src/access/credential-watch.ts';
import { Identify } from '../../src/access/identify.ts';
import { digestOf } from '../../src/secret/secret.ts';
import { MemorySessionStore } from '../../src/session/memory-store.ts';
import type { Session } from '../../src/session/session.ts';
import { Sessions } from '../../src/session/sessions.ts';
import { LivePolicies } from '../../src/access/live-policies.ts';

/** A store of which other instances remove without a word, and that can fail: as Redis does when a connection is lost. */
class DistantStore extends MemorySessionStore {
  readonly gone = new Set<string>();
  isDown = false;
  tellMissed: () => void = () => undefined;

  override find(digest: string): Session | undefined {
    if (this.isDown) throw new Error('down');
    return this.gone.has(digest) ? undefined : super.find(digest);
  }

  override onRemovalsMissed(listener: () => void): void {
    this.tellMissed = listener;
  }
}

const now = () => Date.now();
const DAY_MS = 86_400_000;

async function watched(ttlSeconds = 3_600) {
  const store = new DistantStore({ capacity: 8, perSubject: 8, now });
  const sessions = new Sessions({ store, ttlSeconds, isAdmin: () => false, now });
  const policies = new LivePolicies({ enabled: true, policies: [], roles: [], bindings: [], localUsers: [] });
  const identify = new Identify({ authEnabled: true, sessions, policies, apiKeys: undefined, cookieSecrets: [] });
  const watch = new CredentialWatch({ identify, sessions, apiKeys: undefined, now });
  const { credential } = await sessions.start({
    kind: 'desktop',
    identity: { issuer: 'i', subject: 's', groups: [] },
    name: 's',
    idToken: '',
    address: '127.0.0.1',
  });
  const caller = (await identify.byCredentials({ bearer: credential }))!;
  const told: Ending[] = [];
  const leave = watch.watch(caller, (why) => void told.push(why));
  return { store, told, leave, watch, caller, digest: digestOf(credential) };
}

afterEach(() => void jest.useRealTimers());

/** Collects the young objects, or all. */
function collect(type: 'minor' | 'major'): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as NodeJS.GCFunction)({ type, execution: 'sync' });
}

describe('a watch that has ended', () => {
  it('keeps nothing of its request in memory until all objects are collected, which would make each collection before longer', async () => {
    const { watch, caller } = await watched();
    const open: (() => void)[] = [];
    const watchMany = (times: number): void => {
      for (let i = 0; i < times; i += 1) {
        const request = Array.from({ length: 1_000 }, () => i);
        open[i % 64]?.();
        open[i % 64] = watch.watch(caller, () => void request.pop());
        if (i % 100 === 0) collect('minor');
      }
    };
    watchMany(200);
    // From here on, the tables in which the open watches are stand among the old objects.
    collect('major');
    const before = process.memoryUsage().heapUsed;
    watchMany(5_000);
    for (let i = 0; i < 3; i += 1) collect('minor');
    // All of them together take 48 MiB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(24 * 2 ** 20);
  });
});

describe('whoever holds something open for a session', () => {
  it('is told at once where ends were missed and this was one of them', async () => {
    const { store, told, digest } = await watched();
    await wait(700);
    store.tellMissed();
    await wait(50);
    expect(told).toEqual([]);
    store.gone.add(digest);
    store.tellMissed();
    await wait(50);
    expect(told).toEqual(['ended']);
  });

  it('is told once, however often it was looked up, and not after leaving', async () => {
    const [ended, left] = [await watched(), await watched()];
    for (const { store, digest } of [ended, left]) {
      store.gone.add(digest);
      store.tellMissed();
      store.tellMissed();
    }
    // The session is being looked up.
    left.leave();
    await wait(50);
    expect([ended.told, left.told]).toEqual([['ended'], []]);
  });

  it('is told within a second when the session ended just before, and nobody said so', async () => {
    const { store, told, digest } = await watched();
    store.gone.add(digest);
    await wait(1_000);
    expect(told).toEqual(['ended']);
  });

  it('is not told that it ended while the store cannot say, and is told when it can', async () => {
    const { store, told, digest } = await watched();
    store.isDown = true;
    store.gone.add(digest);
    await wait(1_300);
    expect(told).toEqual([]);
    store.isDown = false;
    await wait(1_000);
    expect(told).toEqual(['ended']);
  });

  it('is told of an expiry that is further away than a timer reaches, then and not before', async () => {
    jest.useFakeTimers();
    const { told } = await watched((60 * DAY_MS) / 1000);
    for (let day = 1; day < 60; day += 1) await jest.advanceTimersByTimeAsync(DAY_MS);
    expect(told).toEqual([]);
    await jest.advanceTimersByTimeAsync(DAY_MS);
    expect(told).toEqual(['expired']);
  });
});
