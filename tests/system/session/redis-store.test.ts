import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { digestOf } from '../../../src/secret/secret.ts';
import { RedisSessionStore } from '../../../src/session/redis-store.ts';
import type { ProviderLogin } from '../../../src/session/session.ts';
import type { RedisConnection } from '../../../src/state/redis-connection.ts';
import { Clock } from '../../support/clock.ts';
import { openedRedis } from '../../support/opened-redis.ts';
import { RedisServer } from '../../support/redis-server.ts';

const HOUR_MS = 3_600_000;
const MORE_THAN_A_CHUNK = 1_001;

let redis: RedisServer;
let connection: RedisConnection;
let clock: Clock;
let store: RedisSessionStore;

beforeAll(async () => {
  redis = await RedisServer.start();
  ({ connection } = await openedRedis({ url: redis.url }));
});
afterAll(async () => {
  await connection.close();
  await redis.stop();
});
// Before, because the connection wrote something too: it tried whether Redis keeps it.
beforeEach(async () => {
  await redis.empty();
  clock = new Clock();
  store = new RedisSessionStore({ connection, perSubject: 4, now: clock.now });
});

const insert = (id: string, { subject = id, ttlMs = HOUR_MS, login = undefined as ProviderLogin | undefined } = {}) =>
  store.insert(
    digestOf(id),
    {
      id,
      kind: 'web',
      identity: { issuer: 'https://id.example', subject, groups: [] },
      name: id,
      idToken: `token of ${id}`,
      startedAt: clock.now(),
      expiresAt: clock.now() + ttlMs,
      login,
    },
    { isAdmin: false },
  );
const keys = async () => (await connection.run((client) => client.keys('*'))).sort();

it('leaves nothing in Redis of a session that was removed', async () => {
  await insert('a');
  await store.remove(digestOf('a'));
  await insert('b');
  await store.removeById('b');
  expect(await keys()).toEqual([]);
});

it('gives what it writes of a session the end of the session', async () => {
  await insert('a');
  const ofSession = (await keys()).filter((key) => key !== 'svc:sessions');
  expect(ofSession).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/^svc:/)));
  for (const key of ofSession) {
    const left = await connection.run((client) => client.pTTL(key));
    expect(left).toBeGreaterThan(HOUR_MS - 60_000);
    expect(left).toBeLessThanOrEqual(HOUR_MS);
  }
});

it('keeps no place in the list for what has expired', async () => {
  const places = () => connection.run((client) => client.zCard('svc:sessions'));
  await insert('a', { ttlMs: 60_000 });
  clock.advance(60_000);
  await insert('b', { ttlMs: 60_000 });
  expect(await places()).toBe(1);
  clock.advance(60_000);
  expect(await store.list()).toEqual([]);
  expect(await places()).toBe(0);
});

it('lists more sessions than it reads at once', async () => {
  for (let i = 0; i < MORE_THAN_A_CHUNK; i += 1) await insert(`s${i}`);
  expect(new Set((await store.list()).map(({ id }) => id)).size).toBe(MORE_THAN_A_CHUNK);
});

it('ends a session whose ID Token is gone, without one', async () => {
  await insert('a');
  await connection.run((client) => client.del(`svc:id-token:${digestOf('a')}`));
  expect(await store.remove(digestOf('a'))).toMatchObject({ id: 'a', idToken: '' });
});

it('does not count what Redis has dropped among the sessions of a person', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await insert(id, { subject: 'ada' });
  await connection.run((client) => client.del([`svc:session:${digestOf('c')}`, `svc:session:${digestOf('d')}`]));
  await insert('e', { subject: 'ada' });
  await insert('f', { subject: 'ada' });
  expect((await store.list()).map(({ id }) => id).sort()).toEqual(['a', 'b', 'e', 'f']);
  clock.advance(1);
  await insert('g', { subject: 'ada' });
  expect(await store.list()).toHaveLength(4);
});

it('finds a session for its provider and its person until it expires, when later ones live shorter', async () => {
  const login = { sub: 'ada', sid: 'one' };
  await insert('long', { subject: 'ada', login });
  await insert('short', { subject: 'ada', login, ttlMs: 50 });
  await wait(100);
  clock.advance(100);
  const issuer = 'https://id.example';
  expect(await store.ofLogin({ issuer, sid: 'one' })).toEqual([{ id: 'long', sub: 'ada' }]);
  expect(await store.ofLogin({ issuer, sub: 'ada' })).toEqual([{ id: 'long', sub: 'ada' }]);
  for (let i = 0; i < 4; i += 1) await insert(`more ${i}`, { subject: 'ada' });
  expect(await store.find(digestOf('long'))).toBeUndefined();
});
