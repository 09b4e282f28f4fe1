import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { RedisSessionStore } from '../../../src/session/redis-store.ts';
import { Sessions } from '../../../src/session/sessions.ts';
import type { RedisConnection } from '../../../src/state/redis-connection.ts';
import { openedRedis } from '../../support/opened-redis.ts';
import { RedisServer } from '../../support/redis-server.ts';

const ADA = {
  kind: 'web',
  identity: { issuer: 'https://id.example', subject: 'ada', groups: [] },
  name: 'Ada',
  idToken: 'h.p.s',
  address: '127.0.0.1',
} as const;

type Instance = { readonly connection: RedisConnection; readonly sessions: Sessions };

let redis: RedisServer;
const instances: Instance[] = [];

async function openInstance(): Promise<Instance> {
  const { connection } = await openedRedis({ url: redis.url });
  const store = new RedisSessionStore({ connection, perSubject: 64, now: Date.now });
  const instance = {
    connection,
    sessions: new Sessions({ store, ttlSeconds: 600, isAdmin: () => false, now: Date.now }),
  };
  instances.push(instance);
  return instance;
}

beforeEach(async () => {
  redis = await RedisServer.start();
});

afterEach(async () => {
  redis.thaw();
  await Promise.all(instances.splice(0).map(({ connection }) => connection.close()));
  await redis.stop();
});

/** How the question ended, and how long it took. */
async function timed(question: () => Promise<unknown>): Promise<{ outcome: unknown; ms: number }> {
  const start = performance.now();
  const outcome = await question().catch((error: unknown) => error);
  return { outcome, ms: performance.now() - start };
}

/** Milliseconds until `question` is answered, each attempt counted. */
async function timeUntilAnswered(question: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < 10_000) {
    const { outcome } = await timed(question);
    if (!(outcome instanceof Error)) return performance.now() - start;
    expect(outcome).toMatchObject({ code: 'session_store_unavailable' });
    await wait(20);
  }
  throw new Error('not answered within 10 s');
}

describe('Sessions in a Redis that is killed', () => {
  it('are unavailable at once, never signed out, and there again soon after its return', async () => {
    const { sessions } = await openInstance();
    const { credential, session } = await sessions.start(ADA);
    await redis.kill();
    for (const question of [
      () => sessions.find(credential),
      () => sessions.start(ADA),
      () => sessions.end(credential),
      () => sessions.list(),
      () => sessions.check(),
    ]) {
      const { outcome, ms } = await timed(question);
      expect(outcome).toMatchObject({ code: 'session_store_unavailable' });
      expect(ms).toBeLessThan(1_900);
    }
    await wait(1_500);
    await redis.restart();
    expect(await timeUntilAnswered(() => sessions.check())).toBeLessThan(20_000);
    expect(await sessions.find(credential)).toEqual(session);
  });

  it('fails the questions that were under way', async () => {
    const { sessions } = await openInstance();
    const { credential } = await sessions.start(ADA);
    redis.freeze();
    const asked = timed(() => sessions.find(credential));
    await wait(100);
    await redis.kill();
    const { outcome, ms } = await asked;
    expect(outcome).toMatchObject({ code: 'session_store_unavailable' });
    expect(ms).toBeLessThan(1_900);
  });
});

describe('Sessions in a Redis that is frozen', () => {
  it('are unavailable soon, never signed out, and there again soon after the thaw', async () => {
    const { sessions } = await openInstance();
    const { credential, session } = await sessions.start(ADA);
    redis.freeze();
    for (let i = 0; i < 3; i++) {
      const { outcome, ms } = await timed(() => sessions.find(credential));
      expect(outcome).toMatchObject({ code: 'session_store_unavailable' });
      expect(ms).toBeLessThan(20_000);
      await wait(500);
    }
    // By now the connection was given up, and nobody waits for a Redis that is known to stand still.
    expect((await timed(() => sessions.find(credential))).ms).toBeLessThan(1_900);
    redis.thaw();
    expect(await timeUntilAnswered(() => sessions.check())).toBeLessThan(20_000);
    expect(await sessions.find(credential)).toEqual(session);
  });
});

describe('Sessions without a Redis at the start', () => {
  it('are unavailable until it is there', async () => {
    await redis.kill();
    const { sessions } = await openInstance();
    expect((await timed(() => sessions.find('x'))).outcome).toMatchObject({ code: 'session_store_unavailable' });
    await redis.restart();
    expect(await timeUntilAnswered(() => sessions.check())).toBeLessThan(20_000);
    expect((await sessions.start(ADA)).session.name).toBe('Ada');
  });
});

describe('Sessions on two instances', () => {
  it("are one another's: found, listed and ended on either, and told of on both", async () => {
    const [here, there] = [await openInstance(), await openInstance()];
    const told: string[] = [];
    here.sessions.onEnded((id) => told.push(`here ${id}`));
    there.sessions.onEnded((id) => told.push(`there ${id}`));
    const { credential, session } = await here.sessions.start(ADA);
    expect(await there.sessions.find(credential)).toEqual(session);
    expect(await there.sessions.list()).toEqual([session]);
    expect((await there.sessions.end(credential))?.idToken).toBe('h.p.s');
    expect(await here.sessions.find(credential)).toBeUndefined();
    while (told.length < 2) await wait(20);
    expect(told.sort()).toEqual([`here ${session.id}`, `there ${session.id}`]);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'messages about ends may have been lost',
      async () => {
        await redis.kill();
        await redis.restart();
      },
    ],
    [
      'another server may be asked, and the one before may have lacked ends',
      () => redis.ask('CLIENT KILL TYPE normal SKIPME yes'),
    ],
  ])('are told to look again when %s', async (_why, interrupt) => {
    const { sessions } = await openInstance();
    const { credential } = await sessions.start(ADA);
    const missed = new EventTarget();
    sessions.onEndsMissed(() => missed.dispatchEvent(new Event('missed')));
    const looksAgain = once(missed, 'missed', { signal: AbortSignal.timeout(20_000) });
    await interrupt();
    await looksAgain;
    expect(await timeUntilAnswered(() => sessions.find(credential))).toBeLessThan(20_000);
  });
});
