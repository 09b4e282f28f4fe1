import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { RedisSessionStore } from '../../../src/session/redis-store.ts';
import { Sessions } from '../../../src/session/sessions.ts';
import { RedisConnection } from '../../../src/state/redis-connection.ts';
import { RedisEntries } from '../../../src/state/redis-entries.ts';
import type { RedisServerOptions } from '../../../src/state/redis-servers.ts';
import { startRedisCluster, startSentinels, type RedisGroup } from '../../support/redis-group.ts';

const NAME = 'main';
const PASSWORD = 'of-the-sentinels';
const PERSON = { kind: 'web', name: 'Ada', idToken: 'h.p.s', address: '127.0.0.1' } as const;
/** Redis needs two to four seconds for this; the rest is for a busy machine. */
const FAILOVER_MS = 30_000;

type Making = {
  readonly name: string;
  readonly start: () => Promise<RedisGroup>;
  readonly optionsOf: (group: RedisGroup) => RedisServerOptions;
  readonly change: (group: RedisGroup) => Promise<string>;
};

const MAKINGS: readonly Making[] = [
  {
    name: 'Sentinels',
    start: () => startSentinels(NAME, PASSWORD),
    optionsOf: ({ hosts }) => ({
      url: `redis://service:pass-word@${hosts}`,
      sentinel: { name: NAME, username: undefined, password: PASSWORD },
    }),
    change: ({ sentinels }) => sentinels[0]!.ask(`AUTH ${PASSWORD}\r\nSENTINEL FAILOVER ${NAME}`),
  },
  {
    name: 'a Cluster',
    start: startRedisCluster,
    optionsOf: ({ hosts }) => ({ url: `redis://service:pass-word@${hosts}`, cluster: true }),
    change: ({ holders }) => holders[1].ask('CLUSTER FAILOVER'),
  },
];

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openInstance(options: RedisServerOptions) {
  const said: string[] = [];
  const connection = await RedisConnection.open({ ...options, warn: (message) => void said.push(message) });
  closers.push(() => connection.close());
  const store = new RedisSessionStore({ connection, perSubject: 64, now: Date.now });
  return {
    said,
    connection,
    sessions: new Sessions({ store, ttlSeconds: 600, isAdmin: () => false, now: Date.now }),
    entries: new RedisEntries({ connection, now: Date.now }),
  };
}

type Instance = Awaited<ReturnType<typeof openInstance>>;

/** People who come and go on two instances until they are stopped. What was acknowledged is kept in mind. */
async function startWork(here: Instance, there: Instance) {
  const started: string[] = [];
  const ended: string[] = [];
  const used: string[] = [];
  const noted: string[] = [];
  const first = await here.sessions.start({
    ...PERSON,
    identity: { issuer: 'https://id.example', subject: 'first', groups: [] },
  });
  let isRunning = true;
  let failures = 0;
  let lastFailure = 0;
  const later = () => Date.now() + 600_000;
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
  const work = async ({ sessions, entries }: Instance, of: string) => {
    for (let i = 0; isRunning; i += 1) {
      const name = `${of} ${i}`;
      const found = await ask(() => sessions.find(first.credential));
      // When it was last used is written after a minute.
      if (found !== undefined) expect({ ...found.answer, lastUsedAt: undefined }).toEqual(first.session);
      const made = await ask(() =>
        sessions.start({ ...PERSON, identity: { issuer: 'https://id.example', subject: name, groups: [] } }),
      );
      if (made !== undefined && i % 2 === 0) started.push(made.answer.credential);
      if (made !== undefined && i % 2 === 1 && (await ask(() => sessions.end(made.answer.credential))) !== undefined)
        ended.push(made.answer.credential);
      if ((await ask(() => entries.consume(name, later())))?.answer === 'first') used.push(name);
      if ((await ask(() => entries.put(name, name, later()))) !== undefined) noted.push(name);
      await wait(5);
    }
  };
  const working = Promise.all([work(here, 'here'), work(there, 'there')]);
  // A busy machine may lose a connection once more. What counts is the answer.
  const answered = async <T>(question: () => Promise<T>): Promise<T> => {
    for (const end = performance.now() + FAILOVER_MS; performance.now() < end;) {
      const asked = await ask(question);
      if (asked !== undefined) return asked.answer;
      await wait(50);
    }
    throw new Error('there was no answer any more');
  };
  return {
    failures: () => failures,
    lastFailure: () => lastFailure,
    stop: async () => {
      // On a slow machine this takes longer.
      while (started.length + ended.length < 20) await wait(10);
      isRunning = false;
      await working;
    },
    expectNothingLost: async () => {
      for (const credential of started) expect(await answered(() => there.sessions.find(credential))).toBeDefined();
      for (const credential of ended) expect(await answered(() => here.sessions.find(credential))).toBeUndefined();
      for (const id of used) expect(await answered(() => there.entries.consume(id, later()))).toBe('replayed');
      for (const id of noted) expect(await answered(() => here.entries.get(id))).toBe(id);
      // Messages about ends pass again, too. Those that a connection misses come with `onEndsMissed` when it is back.
      const told = new Set<string>();
      const ends: string[] = [];
      here.sessions.onEnded((id) => told.add(id));
      for (const end = performance.now() + FAILOVER_MS; !ends.some((id) => told.has(id)) && performance.now() < end;) {
        const { session, credential } = await answered(() =>
          there.sessions.start({ ...PERSON, identity: first.session.identity }),
        );
        await answered(() => there.sessions.end(credential));
        ends.push(session.id);
        await wait(20);
      }
      expect(ends.some((id) => told.has(id))).toBe(true);
    },
  };
}

/** A Sentinel that gives a server another role cuts off everybody who is connected to it. */
async function askAgain(server: RedisGroup['holders'][number], question: string): Promise<string> {
  return server.ask(question).catch(() => server.ask(question));
}

describe.each(MAKINGS)('Sessions in Redis with $name', ({ start, optionsOf, change }) => {
  it.each([
    ['is killed', 'kill'],
    ['stands still', 'freeze'],
  ] as const)(
    'are there again when the server %s: requests fail meanwhile, nobody is signed out, and nothing is lost that was acknowledged',
    async (_what, fail) => {
      const group = await start();
      closers.push(() => group.close());
      closers.push(async () => group.holders[0].thaw());
      const [here, there] = [await openInstance(optionsOf(group)), await openInstance(optionsOf(group))];
      expect(here.said).toEqual([]);
      const work = await startWork(here, there);
      await wait(500);
      const since = performance.now();
      await group.holders[0][fail]();
      while (work.failures() === 0) await wait(10);
      while (performance.now() - work.lastFailure() < 1_500 && performance.now() - since < 2 * FAILOVER_MS)
        await wait(50);
      await work.stop();
      expect(work.lastFailure() - since).toBeLessThan(FAILOVER_MS);
      await work.expectNothingLost();
    },
  );

  it('are all there when the replica takes over from a server that goes on, as before an upgrade: nothing is lost that was acknowledged', async () => {
    const group = await start();
    closers.push(() => group.close());
    const [before, after] = group.holders;
    const work = await startWork(await openInstance(optionsOf(group)), await openInstance(optionsOf(group)));
    await wait(500);
    expect(await change(group)).toMatch(/^\+OK/);
    for (
      const end = performance.now() + FAILOVER_MS;
      !(await askAgain(after, 'ROLE')).includes('master') && performance.now() < end;
    )
      await wait(20);
    await wait(2_500);
    // The Sentinels do so, too, but take their time. What it alone knows is lost then.
    await askAgain(before, `REPLICAOF 127.0.0.1 ${after.port}`);
    await work.stop();
    await work.expectNothingLost();
  });
});
