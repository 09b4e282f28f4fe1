import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { RedisSessionStore } from '../../src/session/redis-store.ts';
import { Sessions } from '../../src/session/sessions.ts';
import { RedisConnection } from '../../src/state/redis-connection.ts';
import { RedisEntries } from '../../src/state/redis-entries.ts';
import type { RedisServerOptions } from '../../src/state/redis-servers.ts';
import { startRedisCluster, startSentinels, type RedisGroup } from '../support/redis-group.ts';

const NAME = 'main';
const PASSWORD = 'of-the-sentinels';
const PERSON = { kind: 'web', name: 'Ada', idToken: 'h.p.s', address: '127.0.0.1' } as const;
/** Redis needs two to four seconds for this; the rest is for a busy machine. */
const FAILOVER_MS = 15_000;

type Making = { readonly name: string; readonly start: () => Promise<RedisGroup>; readonly optionsOf: (group: RedisGroup) => RedisServerOptions };

const MAKINGS: readonly Making[] = [
  {
    name: 'Sentinels',
    start: () => startSentinels(NAME, PASSWORD),
    optionsOf: ({ hosts }) => ({ url: `redis://service:pass-word@${hosts}`, sentinel: { name: NAME, username: undefined, password: PASSWORD } }),
  },
  { name: 'a Cluster', start: startRedisCluster, optionsOf: ({ hosts }) => ({ url: `redis://service:pass-word@${hosts}`, cluster: true }) },
];

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
}, 30_000);

async function openInstance(options: RedisServerOptions) {
  const said: string[] = [];
  const connection = await RedisConnection.open({ ...options, warn: (message) => void said.push(message) });
  closers.push(() => connection.close());
  const store = new RedisSessionStore({ connection, perSubject: 64, now: Date.now });
  return { said, connection, sessions: new Sessions({ store, ttlSeconds: 600, isAdmin: () => false, now: Date.now }), entries: new RedisEntries({ connection, now: Date.now }) };
}

describe.each(MAKINGS)('Sessions in Redis with $name', ({ start, optionsOf }) => {
  it.each([
    ['is killed', 'kill'],
    ['stands still', 'freeze'],
  ] as const)('are there again when the server %s: requests fail meanwhile, nobody is signed out, and nothing is lost that was acknowledged', async (_what, fail) => {
    const group = await start();
    closers.push(() => group.close());
    closers.push(async () => group.holders[0].thaw());
    const [here, there] = [await openInstance(optionsOf(group)), await openInstance(optionsOf(group))];
    expect(here.said).toEqual([]);
    const started: string[] = [];
    const ended: string[] = [];
    const used: string[] = [];
    const first = await here.sessions.start({ ...PERSON, identity: { issuer: 'https://id.example', subject: 'first', groups: [] } });
    let isRunning = true;
    let failures = 0;
    let lastFailure = 0;
    /** What the question gave; undefined when the store was not there. */
    const ask = async <T>(question: () => Promise<T>): Promise<{ readonly answer: T } | undefined> => {
      try {
        return { answer: await question() };
      } catch (error) {
        expect(error).toMatchObject({ code: 'session_store_unavailable' });
        failures += 1;
        lastFailure = performance.now();
        return undefined;
      }
    };
    const work = async ({ sessions, entries }: typeof here, of: string) => {
      for (let i = 0; isRunning; i += 1) {
        const found = await ask(() => sessions.find(first.credential));
        if (found !== undefined) expect(found.answer).toEqual(first.session);
        const made = await ask(() => sessions.start({ ...PERSON, identity: { issuer: 'https://id.example', subject: `${of} ${i}`, groups: [] } }));
        if (made !== undefined && i % 2 === 0) started.push(made.answer.credential);
        if (made !== undefined && i % 2 === 1 && (await ask(() => sessions.end(made.answer.credential))) !== undefined) ended.push(made.answer.credential);
        if ((await ask(() => entries.consume(`${of} ${i}`, Date.now() + 600_000)))?.answer === 'first') used.push(`${of} ${i}`);
        await wait(5);
      }
    };
    const working = [work(here, 'here'), work(there, 'there')];
    await wait(500);
    const since = performance.now();
    await group.holders[0][fail]();
    while (failures === 0) await wait(10);
    while (performance.now() - lastFailure < 1_500 && performance.now() - since < 2 * FAILOVER_MS) await wait(50);
    isRunning = false;
    await Promise.all(working);
    expect(lastFailure - since).toBeLessThan(FAILOVER_MS);
    expect(started.length + ended.length).toBeGreaterThan(20);
    // A busy machine may lose a connection once more. What counts is the answer.
    const answered = async <T>(question: () => Promise<T>): Promise<T> => {
      for (const end = performance.now() + FAILOVER_MS; performance.now() < end; ) {
        const asked = await ask(question);
        if (asked !== undefined) return asked.answer;
        await wait(50);
      }
      throw new Error('there was no answer any more');
    };
    for (const credential of started) expect(await answered(() => there.sessions.find(credential))).toBeDefined();
    for (const credential of ended) expect(await answered(() => here.sessions.find(credential))).toBeUndefined();
    for (const id of used) expect(await answered(() => there.entries.consume(id, Date.now() + 600_000))).toBe('replayed');
    // Messages about ends pass again, too.
    const told: string[] = [];
    here.sessions.onEnded((id) => told.push(id));
    await answered(() => there.sessions.end(first.credential));
    for (const end = performance.now() + FAILOVER_MS; told.length === 0 && performance.now() < end; ) await wait(20);
    expect(told).toEqual([first.session.id]);
  }, 120_000);
});
